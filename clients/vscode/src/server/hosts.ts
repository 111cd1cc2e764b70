/** Names of hosts, as the server has them. */

/** The host of an address or of a host's name, in small letters; "" when it is neither. */
export function hostOf(given: string): string {
  const text = given.trim();
  const address = text.includes("://") ? text : `https://${text}`;
  try {
    const { hostname, username } = new URL(address);
    return username ? "" : hostname.replace(/^\[|\]$/g, "");
  } catch {
    return "";
  }
}
