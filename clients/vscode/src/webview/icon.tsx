/** The editor's own icons. */

interface Props {
  name: string;
  /** It turns, unless the user wants less motion. */
  spins?: boolean;
}

export function Icon({ name, spins = false }: Props) {
  return <span class={`codicon codicon-${name}${spins ? " spins" : ""}`} aria-hidden="true" />;
}

const KINDS: Record<string, string> = {
  read: "file",
  search: "search",
  edit: "edit",
  command: "terminal",
  web: "globe",
  plan: "checklist",
  helper: "organization",
  question: "question",
  other: "tools",
};
const STATES: Record<string, string> = {
  failed: "error",
  rejected: "circle-slash",
  cancelled: "debug-stop",
};

/** What a call is and how it stands: it turns while it goes on, and says when it did not end well. */
export function CallIcon({ kind, status, waits }: { kind: string; status: string; waits: boolean }) {
  if (waits) return <Icon name="question" />;
  if (status === "running" || status === "pending") return <Icon name="loading" spins />;
  return (
    <span class={`mark ${status}`}>
      <Icon name={STATES[status] ?? KINDS[kind] ?? "tools"} />
    </span>
  );
}
