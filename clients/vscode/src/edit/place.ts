/** Where an edit at the cursor stands in a document that is changed meanwhile, and what differs in it: pure. */

/** Whole lines, from 0; `last` is one of them. */
export interface Place {
  first: number;
  last: number;
}

/** A change of a document as VS Code reports it: these lines had this text put in their place. */
export interface Changed {
  range: { start: { line: number; character: number }; end: { line: number; character: number } };
  text: string;
}

/** The place after a change of the document; `undefined` when the change was in the place itself. */
export function moved(place: Place, { range, text }: Changed): Place | undefined {
  const { start, end } = range;
  const toTheStart = end.line === place.first && end.character === 0;
  const leavesWholeLines = text === "" ? start.character === 0 && start.line < end.line : text.endsWith("\n");
  if (end.line < place.first || (toTheStart && leavesWholeLines)) {
    const lines = (text.match(/\n/g) ?? []).length - (end.line - start.line);
    return { first: place.first + lines, last: place.last + lines };
  }
  return start.line > place.last ? place : undefined;
}

/** The lines that two texts have not in common: those in the middle, from the first difference to the last one. */
export function middle(
  old: readonly string[],
  now: readonly string[],
): { from: number; old: string[]; now: string[] } {
  const most = Math.min(old.length, now.length);
  let from = 0;
  while (from < most && old[from] === now[from]) from++;
  let end = 0;
  while (end < most - from && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  return { from, old: old.slice(from, old.length - end), now: now.slice(from, now.length - end) };
}

export function linesIn(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}
