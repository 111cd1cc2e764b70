/** Changes of the agent that nobody has judged yet: pure. */

/** A row of the server's `agls.changes`. `line` counts from 0; `stands` is `false` where an open file was changed there since. */
export interface Hunk {
  hunk: string;
  sessionId: string;
  uri: string;
  line: number;
  /** Which cell of a notebook it is in, from 0; then `line` is one of that cell. */
  cell?: number;
  stands?: boolean;
  old: string;
  new: string;
}

/** The lines of a text with their ends; only LF ends a line, as in the server's patches. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Those of these changes that took lines out, without the one that is shown already. */
export function takenOut(hunks: readonly Hunk[], without: Hunk | undefined): Hunk[] {
  return hunks.filter(({ hunk, old }) => old !== "" && hunk !== without?.hunk);
}

export function lengthOf(hunk: Hunk): number {
  return linesOf(hunk.new).length;
}

/** The text without those of these changes that still stand: what was there before them. */
export function before(text: string, hunks: readonly Hunk[]): string {
  const lines = linesOf(text);
  const standing = hunks.filter((hunk) => hunk.stands !== false).sort((a, b) => b.line - a.line);
  for (const hunk of standing) lines.splice(hunk.line, lengthOf(hunk), ...linesOf(hunk.old));
  return lines.join("");
}

/** What somebody typed: the place that was replaced, by lines and characters that count from 0, and its text. */
export interface Typed {
  range: { start: { line: number }; end: { line: number; character: number } };
  text: string;
}

/** Changes of one file after something was typed: those behind it stand lower or higher until the server is asked again. */
export function shifted(hunks: readonly Hunk[], { range, text }: Typed): Hunk[] {
  const { start, end } = range;
  const more = text.split("\n").length - 1 - (end.line - start.line);
  const isBehind = ({ line }: Hunk) => line > end.line || (line === end.line && end.character === 0);
  return hunks.map((hunk) => (more !== 0 && isBehind(hunk) ? { ...hunk, line: hunk.line + more } : hunk));
}

export function at(hunks: readonly Hunk[], line: number): Hunk | undefined {
  return hunks.find((hunk) => line >= hunk.line && line <= hunk.line + Math.max(lengthOf(hunk), 1) - 1);
}

/** The change after (or before) a line, around the end if need be. */
export function next(hunks: readonly Hunk[], line: number, step: 1 | -1): Hunk | undefined {
  const sorted = [...hunks].sort((a, b) => a.line - b.line);
  if (step > 0) return sorted.find((hunk) => hunk.line > line) ?? sorted[0];
  return sorted.findLast((hunk) => hunk.line < line) ?? sorted.at(-1);
}

export function byFile(hunks: readonly Hunk[]): Map<string, Hunk[]> {
  const files = new Map<string, Hunk[]>();
  for (const hunk of hunks) files.set(hunk.uri, [...(files.get(hunk.uri) ?? []), hunk]);
  return files;
}

export function statOf(hunks: readonly Hunk[]): { added: number; removed: number } {
  const count = (side: "new" | "old") => hunks.reduce((sum, hunk) => sum + linesOf(hunk[side]).length, 0);
  return { added: count("new"), removed: count("old") };
}
