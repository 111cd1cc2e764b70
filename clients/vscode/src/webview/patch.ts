/** The rows of a unified diff, for reading: empty lines in great number may be written as a count. */

export interface Row {
  kind: "add" | "del" | "same" | "hunk";
  text: string;
  old?: number;
  new?: number;
}

const KINDS: Record<string, "add" | "del" | "same"> = { "+": "add", "-": "del", " ": "same" };

export function rowsOf(patch: string): Row[] {
  const rows: Row[] = [];
  let at: { old: number; new: number } | undefined;
  for (const line of patch.split("\n")) {
    const [, old, now] = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line) ?? [];
    if (old !== undefined) at = { old: Number(old), new: Number(now) };
    if (!at || line === "") continue;
    const kind = KINDS[line.charAt(0)];
    if (!kind) rows.push({ kind: "hunk", text: line });
    else rows.push({ kind, text: line.slice(1), ...passed(at, kind, line) });
  }
  return rows;
}

/** The numbers of a line; behind it `at` is further on. */
function passed(
  at: { old: number; new: number },
  kind: string,
  line: string,
): { old?: number; new?: number } {
  const lines = Number(/^.⟨(\d+) line ends⟩$/.exec(line)?.[1] ?? 1);
  const numbers = { ...at };
  if (kind !== "add") at.old += lines;
  if (kind !== "del") at.new += lines;
  if (kind === "add") return { new: numbers.new };
  return kind === "del" ? { old: numbers.old } : numbers;
}

export function statOf(patch: string): { added: number; removed: number } {
  const rows = rowsOf(patch);
  const count = (kind: Row["kind"]) => rows.filter((row) => row.kind === kind).length;
  return { added: count("add"), removed: count("del") };
}
