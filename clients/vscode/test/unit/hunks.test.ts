/** The change set, as far as it is pure. */

import { expect, test } from "vitest";
import {
  at,
  before,
  byFile,
  type Hunk,
  lengthOf,
  linesOf,
  next,
  shifted,
  statOf,
  takenOut,
} from "../../src/review/hunks";

const hunk = (line: number, old: string, now: string, more: Partial<Hunk> = {}): Hunk => {
  return { hunk: `h${line}`, sessionId: "s", uri: "file:///a", line, stands: true, old, new: now, ...more };
};

test("what was there before is the text with every standing change put back", () => {
  const now = "one\nTWO\nTWO and a half\nthree\nfive\nsix";
  const changes = [hunk(1, "two\n", "TWO\nTWO and a half\n"), hunk(5, "four\n", "")];
  expect(before(now, changes)).toBe("one\ntwo\nthree\nfive\nfour\nsix");
});

test("a change that was edited since is left as it is", () => {
  expect(before("a\nB\n", [hunk(1, "b\n", "X\n", { stands: false })])).toBe("a\nB\n");
});

test("what was taken out is shown of each change that took lines out, once", () => {
  const changes = [hunk(1, "two\n", "TWO\n"), hunk(3, "", "new\n"), hunk(5, "four\n", "")];
  expect(takenOut(changes, undefined).map(({ line }) => line)).toEqual([1, 5]);
  expect(takenOut(changes, changes[0]).map(({ line }) => line)).toEqual([5]);
});

test("only a line feed ends a line, and the last line may have none", () => {
  expect(linesOf("a\r\nb\rc\n\nd")).toEqual(["a\r\n", "b\rc\n", "\n", "d"]);
  expect(linesOf("")).toEqual([]);
  expect(before("x\ny", [hunk(1, "z\n", "y")])).toBe("x\nz\n");
});

test("the change under the cursor is found, one that only removed lines too", () => {
  const changes = [hunk(3, "a\n", "b\nc\n"), hunk(9, "gone\n", "")];
  expect([2, 3, 4, 5, 9, 10].map((line) => at(changes, line)?.line)).toEqual([
    undefined,
    3,
    3,
    undefined,
    9,
    undefined,
  ]);
  expect(lengthOf(changes[1] as Hunk)).toBe(0);
});

test("one goes from change to change, and around the end", () => {
  const changes = [hunk(9, "", "x\n"), hunk(3, "", "y\n")];
  expect([0, 3, 9].map((line) => next(changes, line, 1)?.line)).toEqual([3, 9, 3]);
  expect([20, 9, 3].map((line) => next(changes, line, -1)?.line)).toEqual([9, 3, 9]);
  expect(next([], 0, 1)).toBeUndefined();
});

test("a change goes with the text when something is typed before it, and only then", () => {
  const changes = [hunk(3, "a\n", "b\n"), hunk(9, "c\n", "d\n")];
  const after = (from: [number, number], to: [number, number], text: string) => {
    const [start, end] = [from, to].map(([line, character]) => ({ line, character })) as [never, never];
    return shifted(changes, { range: { start, end }, text }).map(({ line }) => line);
  };
  expect(after([0, 0], [0, 0], "# one\n# two\n")).toEqual([5, 11]);
  expect(after([3, 0], [3, 0], "\n")).toEqual([4, 10]); // at its very beginning
  expect(after([3, 1], [3, 1], "\n")).toEqual([3, 10]); // in it
  expect(after([4, 0], [7, 0], "")).toEqual([3, 6]);
  expect(after([0, 1], [0, 2], "x")).toEqual([3, 9]);
  expect(after([20, 0], [20, 0], "\n")).toEqual([3, 9]);
});

test("files and their numbers", () => {
  const changes = [hunk(1, "a\n", "b\nc\n"), hunk(2, "a\n", "", { uri: "file:///b" })];
  expect([...byFile(changes).keys()]).toEqual(["file:///a", "file:///b"]);
  expect(statOf(changes)).toEqual({ added: 2, removed: 2 });
});
