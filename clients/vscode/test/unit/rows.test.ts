/** Calls in words, and which of them stand together. */

import { expect, test } from "vitest";
import type { CallWords } from "../../src/protocol.gen";
import { duration, folded, rowOf, summaryOf, thoughtOf, titlesOf } from "../../src/store/rows";
import { dayOf } from "../../src/store/days";
import { Transcript } from "../../src/store/transcript";

const ROWS: CallWords[] = [
  { name: "look", done: "Read", doing: "Reading", kind: "read", about: "path" },
  { name: "seek", done: "Searched", doing: "Searching", kind: "search", about: "pattern" },
  { name: "run", done: "Ran", doing: "Running", kind: "command", about: "command" },
];
const words = new Map(ROWS.map((row) => [row.name, row]));
let count = 0;
const call = (name: string, input: Record<string, unknown>, status = "completed") => {
  return { itemId: `i${(count += 1)}`, kind: "toolCall", status, name, title: `${name} x`, input };
};
const thought = () => ({ itemId: `i${(count += 1)}`, kind: "thought", status: "completed", text: "Hm." });
const nothing = () => false;

test("a call of a file has its name before its folder, and the path to open", () => {
  const row = rowOf(call("look", { path: "src/signing/signer.py" }), words);
  expect(row).toEqual({
    kind: "read",
    verb: "Read",
    about: "signer.py",
    folder: "src/signing",
    file: "src/signing/signer.py",
  });
  expect(rowOf(call("look", { path: "a.py" }, "running"), words)).toMatchObject({
    verb: "Reading",
    folder: "",
  });
});

test("a command is shown as it ran, which may be another one than was asked for", () => {
  const item = { ...call("run", { command: "rm a" }), terminal: { command: "ls", cwd: "/", exitCode: 0 } };
  expect(rowOf(item, words)).toMatchObject({ verb: "Ran", about: "ls", file: "" });
});

test("what the user is asked about, and what was stopped or failed, does not read as if it went on or was done", () => {
  const verb = (status: string, asked = false) =>
    rowOf(call("run", { command: "ls" }, status), words, asked).verb;
  expect([verb("running"), verb("pending"), verb("pending", true)]).toEqual(["Running", "Running", "Run"]);
  expect([verb("cancelled"), verb("rejected"), verb("failed")]).toEqual(["Run", "Run", "Run"]);
  const ended = { ...call("run", {}, "failed"), terminal: { command: "ls", cwd: "/", exitCode: 1 } };
  expect(rowOf(ended, words).verb).toBe("Ran"); // it ran, whatever came of it
});

test("a tool that nobody has words for is named in words", () => {
  const item = { ...call("mcp__github__list_issues", {}), title: "mcp__github__list_issues me/project" };
  expect(rowOf(item, words)).toMatchObject({ verb: "Used", about: "github: list issues me/project" });
});

test("calls that only looked are folded with the thoughts between them, in their order", () => {
  const looked = [
    call("look", { path: "a" }),
    thought(),
    call("seek", { pattern: "b" }),
    call("look", { path: "c" }),
  ];
  const last = thought();
  const ran = call("run", { command: "ls" });
  const rows = folded([...looked, last, ran], words, nothing);
  expect(rows.map(({ itemId }) => itemId)).toEqual([`folded ${looked[0]?.itemId}`, last.itemId, ran.itemId]);
  expect(summaryOf(looked, words)).toBe("Read 2 files, searched once");
});

test("notices that follow one another are one row, and those between calls that only looked stand with these", () => {
  const notice = (title: string) => ({ ...thought(), kind: "notice", title });
  const first = [notice("Project instructions"), notice("Skills"), notice("Skills")];
  const looked = [call("look", { path: "a" }), notice("Instructions for these files")];
  const more = [call("look", { path: "b" }), call("look", { path: "c" })];
  const alone = notice("Limits");
  const rows = folded([...first, ...looked, ...more, alone], words, nothing);
  expect(rows).toEqual([
    { kind: "folded", itemId: `folded ${first[0]?.itemId}`, items: first },
    { kind: "folded", itemId: `folded ${looked[0]?.itemId}`, items: [...looked, ...more] },
    alone,
  ]);
  expect(titlesOf(first)).toBe("Project instructions, Skills");
  expect(folded(first, words, (itemId) => itemId === first[1]?.itemId)).toHaveLength(3);
});

test("two calls, calls that failed and those that stand apart are not folded", () => {
  const two = [call("look", { path: "a" }), call("look", { path: "b" })];
  expect(folded(two, words, nothing)).toEqual(two);
  const failed = [...two, call("look", { path: "c" }, "failed")];
  expect(folded(failed, words, nothing)).toEqual(failed);
  const three = [...two, call("look", { path: "c" })];
  expect(folded(three, words, (itemId) => itemId === three[1]?.itemId)).toEqual(three);
});

test("of a thought that goes on the last line is told, without its markup", () => {
  const item = { ...thought(), status: "running", text: "First.\n**Then the signer**\n\n" };
  expect(thoughtOf(item)).toBe("Then the signer");
  expect(thoughtOf({ ...item, status: "completed" })).toBe("");
});

test("times are as short as people say them", () => {
  expect([400, 1234, 12_345, 64_000].map(duration)).toEqual(["0.4 s", "1.2 s", "12 s", "1 min 4 s"]);
});

test("how long a call took is kept beside it, by the dates of the server", () => {
  const transcript = new Transcript();
  const item = call("run", { command: "ls" }, "running");
  const place = { v: 1, sessionId: "s", epoch: "e", agentId: "main", itemId: item.itemId };
  const at = (second: number) => `2026-01-01T00:00:0${second}.500Z`;
  transcript.take({ ...place, ts: at(1), seq: 1, type: "itemStarted", data: { item } });
  expect(transcript.took).toEqual({});
  const done = { ...item, status: "completed" };
  transcript.take({ ...place, ts: at(3), seq: 2, type: "itemCompleted", data: { item: done } });
  expect(transcript.took).toEqual({ [item.itemId]: 2000 });
  expect(transcript.view.took).toEqual(transcript.took);
});

test("days have the names that people give them", () => {
  const now = new Date(2026, 10, 24, 0, 30);
  const named = [
    new Date(2026, 10, 24, 0, 1),
    new Date(2026, 10, 23, 23, 59),
    new Date(2026, 10, 20),
    new Date(2026, 1, 3),
  ];
  expect(named.map((date) => dayOf(date, now))).toEqual(["Today", "Yesterday", "Friday", "February 3"]);
  expect(dayOf(new Date(2025, 11, 31), now)).toBe("December 31, 2025");
});
