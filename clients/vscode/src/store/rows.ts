/** How calls read in words, and which of them stand together in one row. Pure. */

import type { CallWords } from "../protocol.gen";
import { LIVE } from "./ends";
import { baseName, isObject, textOf } from "./patch";
import type { AnyItem } from "./transcript";

export type Words = ReadonlyMap<string, CallWords>;

/** A call in words: "Read" "signer.py" in "src". `file` is a path to open, "" when it is about none. */
export interface CallRow {
  kind: CallWords["kind"];
  verb: string;
  about: string;
  folder: string;
  file: string;
}

const UNKNOWN: Omit<CallWords, "name"> = { done: "Used", doing: "Using", kind: "other" };

/** Of what is asked for, or was not done, nobody says that it goes on. */
const BASE: Record<string, string> = {
  Committing: "Commit",
  Deleting: "Delete",
  Editing: "Edit",
  Fetching: "Fetch",
  Finding: "Find",
  Handing: "Hand",
  Listing: "List",
  Looking: "Look",
  Moving: "Move",
  Presenting: "Present",
  Reading: "Read",
  Renaming: "Rename",
  Running: "Run",
  Saving: "Save",
  Searching: "Search",
  Using: "Use",
  Working: "Work",
  Writing: "Write",
};

/** How this call reads. A tool that nobody has words for is named, with what it is about. `asked`: the user decides about it. */
export function rowOf(item: AnyItem, words: Words, asked = false): CallRow {
  const name = textOf(item["name"]);
  const known = words.get(name);
  const { kind } = known ?? UNKNOWN;
  const verb = verbOf(item, known ?? UNKNOWN, asked);
  const title = textOf(item["title"], name).replace(name, named(name));
  if (!known)
    return { kind: kindOf(item), verb: item.kind === "task" ? "" : verb, about: title, folder: "", file: "" };
  const input = isObject(item["input"]) ? item["input"] : {};
  const about = known.about ? textOf(input[known.about]) : "";
  if (kind === "command") return { kind, verb, about: commandOf(item, about), folder: "", file: "" };
  const isFile = known.about === "path" && about !== "";
  if (!isFile) return { kind, verb, about, folder: "", file: "" };
  const short = baseName(about) || about;
  return { kind, verb, about: short, folder: about.slice(0, -short.length).replace(/\/$/, ""), file: about };
}

/** What was done, is being done, or was only wanted: what was stopped, not allowed or failed is not "Edited". */
function verbOf(item: AnyItem, { done, doing }: Omit<CallWords, "name">, asked: boolean): string {
  if (item.status === "completed" || (item.status === "failed" && isObject(item["terminal"]))) return done;
  return LIVE.has(item.status) && !asked ? doing : doing.replace(/^\w+/, (word) => BASE[word] ?? word);
}

/** The name of a tool that nobody has words for, in words: `mcp__github__list_issues` is "github: list issues". */
function named(name: string): string {
  const [source, ...rest] = name.split("__");
  const parts = rest.length > 0 ? rest : [source ?? ""];
  return parts.join(": ").replaceAll("_", " ");
}

function kindOf(item: AnyItem): CallWords["kind"] {
  return item.kind === "task" ? "command" : "other";
}

/** The command as it ran, which may be another one than was asked for. */
function commandOf(item: AnyItem, asked: string): string {
  const terminal = item["terminal"];
  return (isObject(terminal) && textOf(terminal["command"])) || asked;
}

/** Calls that only looked with what stands between them, or notices: they stand in one row together. */
export interface Folded {
  kind: "folded";
  itemId: string;
  items: AnyItem[];
}

const LEAST = 3; // calls that are worth a row of their own together
const BETWEEN = new Set(["thought", "notice"]); // what may stand between them
const LOOKS = new Set(["read", "search"]);

/** The same items, with each series of calls that only looked as one, and of notices. `apart` are items that stand alone. */
export function folded(
  items: readonly AnyItem[],
  words: Words,
  apart: (itemId: string) => boolean,
): (AnyItem | Folded)[] {
  const rows: (AnyItem | Folded)[] = [];
  let series: AnyItem[] = [];
  const end = (): void => {
    const tail: AnyItem[] = []; // what stands behind the last call belongs to what follows
    while (BETWEEN.has(series.at(-1)?.kind ?? "")) tail.unshift(series.pop() as AnyItem);
    const [first] = series;
    const calls = series.filter(({ kind }) => kind === "toolCall").length;
    if (first && calls >= LEAST)
      rows.push({ kind: "folded", itemId: `folded ${first.itemId}`, items: series });
    else rows.push(...series);
    rows.push(...tail);
    series = [];
  };
  for (const item of items) {
    const isLook =
      item.kind === "toolCall" &&
      item.status === "completed" &&
      LOOKS.has(words.get(textOf(item["name"]))?.kind ?? "") &&
      !item["changes"];
    const isBetween = BETWEEN.has(item.kind) && item.status === "completed" && series.length > 0;
    if ((isLook || isBetween) && !apart(item.itemId)) series.push(item);
    else {
      end();
      rows.push(item);
    }
  }
  end();
  return withNotices(rows, apart);
}

/** The same rows, with notices that follow one another as one. */
function withNotices(
  rows: readonly (AnyItem | Folded)[],
  apart: (itemId: string) => boolean,
): (AnyItem | Folded)[] {
  const shown: (AnyItem | Folded)[] = [];
  for (const row of rows) {
    const before = shown.at(-1);
    const isNext = row.kind === "notice" && before !== undefined && isNotice(before);
    if (isNext && !apart(row.itemId) && !apart(before.itemId)) {
      const items = isFolded(before) ? before.items : [before];
      const { itemId } = items[0] ?? before;
      shown.splice(-1, 1, { kind: "folded", itemId: `folded ${itemId}`, items: [...items, row] });
    } else shown.push(row);
  }
  return shown;
}

export function isFolded(row: AnyItem | Folded): row is Folded {
  return row.kind === "folded";
}

/** One notice, or several in one row. */
export function isNotice(row: AnyItem | Folded): boolean {
  return (isFolded(row) ? row.items[0] : row)?.kind === "notice";
}

/** "Project instructions, Skills": what notices are about, each once. */
export function titlesOf(notices: readonly AnyItem[]): string {
  return [...new Set(notices.map(({ title }) => textOf(title)).filter(Boolean))].join(", ");
}

/** "Read 4 files, searched 2 times". */
export function summaryOf(items: readonly AnyItem[], words: Words): string {
  const count = (kind: string) =>
    items.filter((item) => words.get(textOf(item["name"]))?.kind === kind).length;
  const [reads, searches] = [count("read"), count("search")];
  const parts = [
    ...(reads ? [`read ${counted(reads, "file")}`] : []),
    ...(searches ? [`searched ${searches === 1 ? "once" : `${searches} times`}`] : []),
  ];
  const text = parts.join(", ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The last line of what the model thinks now, "" when it does not think aloud. */
export function thoughtOf(item: AnyItem | undefined): string {
  if (item?.kind !== "thought" || !LIVE.has(item.status)) return "";
  const lines = textOf(item["text"]).split("\n");
  return (lines.findLast((line) => line.trim() !== "") ?? "").replace(/^[#*\s]+|[*\s]+$/g, "");
}

/** "1.2 s", "3 min 4 s". */
export function duration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}
