/** A unified diff put into a text, or taken out of it. Pure. */

interface Part {
  old: { line: number; lines: string[] };
  new: { line: number; lines: string[] };
}

/** The text with the patch in it, or `back` to what it was before; `undefined` where the patch does not fit. */
export function applied(text: string, patch: string, way: "in" | "back"): string | undefined {
  const lines = text.split("\n");
  const made: string[] = [];
  let done = 0;
  for (const part of partsOf(patch)) {
    const [from, to] = way === "in" ? [part.old, part.new] : [part.new, part.old];
    const begin = from.lines.length === 0 ? from.line : from.line - 1; // of no lines, the one before is named
    if (begin < done || from.lines.some((line, index) => lines[begin + index] !== line)) return undefined;
    made.push(...lines.slice(done, begin), ...to.lines);
    done = begin + from.lines.length;
  }
  return [...made, ...lines.slice(done)].join("\n");
}

function partsOf(patch: string): Part[] {
  const parts: Part[] = [];
  for (const line of patch.split("\n")) {
    const [, old, now] = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line) ?? [];
    if (old !== undefined)
      parts.push({ old: { line: Number(old), lines: [] }, new: { line: Number(now), lines: [] } });
    const part = parts.at(-1);
    if (!part) continue;
    if (/^[ -]/.test(line)) part.old.lines.push(line.slice(1));
    if (/^[ +]/.test(line)) part.new.lines.push(line.slice(1));
  }
  return parts;
}
