/** How a call stands, as one sign. */

const SIGNS: Record<string, string> = {
  completed: "✓",
  failed: "✗",
  rejected: "⊘",
  cancelled: "◼",
  running: "…",
  pending: "…",
};

export function Mark({ status }: { status: string }) {
  return (
    <span class={`mark ${status}`} aria-hidden="true">
      {SIGNS[status] ?? "•"}
    </span>
  );
}
