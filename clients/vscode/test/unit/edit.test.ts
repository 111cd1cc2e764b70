/** Edits at the cursor: where they stand while the document is changed, and what is shown of them. */

import { expect, test, vi } from "vitest";
import type { CancellationToken, InlineCompletionContext } from "vscode";
import { afterAPause } from "../../src/edit/completion";
import { linesIn, middle, moved } from "../../src/edit/place";

vi.mock("vscode", () => ({}));
const { fenced, removed } = await import("../../src/zone");

const at = (line: number, character: number, toLine: number, toCharacter: number, text: string) => ({
  range: { start: { line, character }, end: { line: toLine, character: toCharacter } },
  text,
});
const place = { first: 5, last: 7 };

test("a place moves with the lines above it, and not with those below", () => {
  expect(moved(place, at(0, 0, 0, 0, "one\ntwo\n"))).toEqual({ first: 7, last: 9 });
  expect(moved(place, at(2, 0, 4, 0, ""))).toEqual({ first: 3, last: 5 });
  expect(moved(place, at(4, 0, 5, 0, ""))).toEqual({ first: 4, last: 6 });
  expect(moved(place, at(5, 0, 5, 0, "a line\n"))).toEqual({ first: 6, last: 8 });
  expect(moved(place, at(4, 3, 4, 9, "x"))).toEqual(place);
  expect(moved(place, at(8, 0, 9, 0, ""))).toEqual(place);
});

test("a change in the place itself is the user's", () => {
  expect(moved(place, at(6, 1, 6, 2, "x"))).toBeUndefined();
  expect(moved(place, at(5, 0, 5, 0, "x"))).toBeUndefined();
  expect(moved(place, at(4, 0, 6, 0, ""))).toBeUndefined();
  expect(moved(place, at(4, 2, 5, 0, ""))).toBeUndefined(); // the line above is joined with it
});

test("only what differs is new or was taken out", () => {
  expect(middle(["a", "b", "c"], ["a", "x", "y", "c"])).toEqual({ from: 1, old: ["b"], now: ["x", "y"] });
  expect(middle(["a", "a"], ["a", "a", "a"])).toEqual({ from: 2, old: [], now: ["a"] });
  expect(middle(["a"], ["a"])).toEqual({ from: 1, old: [], now: [] });
  expect(linesIn("a\r\nb\nc")).toEqual(["a", "b", "c"]);
});

test("code stands in a fence that nothing in it ends", () => {
  expect(fenced("x\n", "python")).toBe("```python\nx\n```");
  expect(fenced("```\n[link](command:x)\n````", "")).toBe("`````\n```\n[link](command:x)\n````\n`````");
  expect(removed([], 2)).toBe("");
  expect(removed(["a", "b", "c"], 2)).toBe("```diff\n- a\n- b\n… 1 more\n```");
});

test("a model is asked for a suggestion once the user pauses, and not when the next key came before", async () => {
  const next = vi.fn(() => Promise.resolve([]));
  const token = { isCancellationRequested: false };
  const ask = (triggerKind: number) =>
    afterAPause(
      {} as never,
      {} as never,
      { triggerKind } as unknown as InlineCompletionContext,
      token as CancellationToken,
      next,
    );
  await ask(1);
  expect(next).toHaveBeenCalledTimes(1);
  const given = ask(1);
  token.isCancellationRequested = true;
  expect(await given).toBeUndefined();
  expect(next).toHaveBeenCalledTimes(1);
  token.isCancellationRequested = false;
  await ask(0);
  expect(next).toHaveBeenCalledTimes(2);
});

test("the bar of a change says which it is, and what stood there", async () => {
  const { wordsOf } = await import("../../src/review/bar");
  const hunk = (id: string, line: number, old: string, now: string, stands = true) =>
    ({ hunk: id, sessionId: "s", uri: "file:///a.py", line, stands, old, new: now }) as const;
  const [first, second] = [hunk("a", 8, "old\r\n", "new\nmore\n"), hunk("b", 2, "", "new\n", false)];
  expect(wordsOf(first, [first, second])).toEqual({
    kind: "standing",
    title: "2 of 2 · +2 −1",
    heading: "Before",
    body: "```diff\n- old\n```",
  });
  expect(wordsOf(second, [first, second])).toMatchObject({
    kind: "edited",
    title: "1 of 2 · +1 −0 · you went on with it",
    body: "No line was taken out.",
  });
});
