/** The rows of a unified diff, for reading. */

export interface Row {
  kind: "add" | "del" | "same" | "hunk";
  text: string;
  old?: number;
  new?: number;
}

export function rowsOf(patch: string): Row[] {
  const rows: Row[] = [];
  let [old, now] = [0, 0];
  let inside = false;
  for (const line of patch.split("\n")) {
    const head = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (head) {
      [old, now, inside] = [Number(head[1]), Number(head[2]), true];
      rows.push({ kind: "hunk", text: line });
    } else if (inside && line.startsWith("+")) rows.push({ kind: "add", text: line.slice(1), new: now++ });
    else if (inside && line.startsWith("-")) rows.push({ kind: "del", text: line.slice(1), old: old++ });
    else if (inside && line.startsWith(" "))
      rows.push({ kind: "same", text: line.slice(1), old: old++, new: now++ });
  }
  return rows;
}

export function statOf(patch: string): { added: number; removed: number } {
  const rows = rowsOf(patch);
  const count = (kind: Row["kind"]) => rows.filter((row) => row.kind === kind).length;
  return { added: count("add"), removed: count("del") };
}
