/** Drafts are of a session or of a window; what a closed window left is taken over once. */

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Drafts, WINDOW } from "../../src/chat/drafts";

let folder = "";
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "drafts-"))));
afterEach(() => rmSync(folder, { recursive: true }));

const opened = () => new Drafts(folder, (problem) => expect.fail(String(problem)));
const written = (names: string[]) => vi.waitFor(() => expect(readdirSync(folder).sort()).toEqual(names));

test("each session has its own, which is there again", async () => {
  const drafts = opened();
  drafts.keep("ses_1", "one");
  drafts.keep("ses_2", "two");
  await written(["ses_1", "ses_2"]);
  expect(await opened().read("ses_1")).toBe("one");
  expect(await opened().read("ses_2")).toBe("two");
  expect(await opened().read("ses_3")).toBe("");
});

test("an emptied one leaves no file", async () => {
  const drafts = opened();
  drafts.keep("ses_1", "one");
  await written(["ses_1"]);
  drafts.keep("ses_1", "");
  await written([]);
});

test("a session that begins goes on with what is written", async () => {
  const drafts = opened();
  await drafts.read(WINDOW);
  drafts.keep(WINDOW, "half a thought");
  drafts.move(WINDOW, "ses_1");
  await written(["ses_1"]);
  expect(await drafts.read(WINDOW)).toBe("");
  expect(await drafts.read("ses_1")).toBe("half a thought");
});

test("a window that is left hands on what is written, once", async () => {
  const drafts = opened();
  drafts.keep(WINDOW, "half a thought");
  await written([WINDOW]);
  drafts.dispose();
  expect(readdirSync(folder)).toEqual([`${WINDOW}.left`]);
  expect(await opened().read(WINDOW)).toBe("half a thought");
});

test("what a window that was killed had is taken over; another open one keeps its own", async () => {
  mkdirSync(folder, { recursive: true });
  const other = `window-${process.ppid}`;
  const killed = "window-4194999"; // above the greatest number of a process
  writeFileSync(join(folder, other), "theirs");
  expect(await opened().read(WINDOW)).toBe("");
  writeFileSync(join(folder, killed), "mine");
  expect(await opened().read(WINDOW)).toBe("mine");
  expect(readdirSync(folder).sort()).toEqual([WINDOW, other].sort());
});
