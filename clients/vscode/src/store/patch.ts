/** JSON merge patches (RFC 7396). */

export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text of the wire; what is none (or not there) is the other one. */
export function textOf(value: unknown, otherwise = ""): string {
  return typeof value === "string" ? value : otherwise;
}

/** The last part of a path or an address. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** `target` after the patch: `null` removes, an object merges, all else replaces. Neither is changed. */
export function merged(target: Json, patch: Json): Json {
  const result: Json = {};
  for (const [name, value] of Object.entries(target)) {
    if (!(name in patch)) result[name] = value;
  }
  for (const [name, value] of Object.entries(patch)) {
    const old = target[name];
    if (isObject(value)) result[name] = merged(isObject(old) ? old : {}, value);
    else if (value !== null) result[name] = value;
  }
  return result;
}
