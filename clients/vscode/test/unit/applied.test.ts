/** Patches put into texts and taken out of them, for the two sides of a diff editor. */

import { expect, test } from "vitest";
import { applied } from "../../src/review/applied";

const before = "one\ntwo\nthree\nfour\nfive\n";
const after = "one\n2\nthree\nfour\nfour and a half\nfive\n";
const patch =
  "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n@@ -4,2 +4,3 @@\n four\n+four and a half\n five\n";

test("a patch goes in and comes out again", () => {
  expect(applied(before, patch, "in")).toBe(after);
  expect(applied(after, patch, "back")).toBe(before);
});

test("a patch of another text does not fit", () => {
  expect(applied(after, patch, "in")).toBeUndefined();
  expect(applied("", patch, "in")).toBeUndefined();
});

test("a file is made of nothing, and becomes nothing", () => {
  const made = "--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n";
  expect(applied("", made, "in")).toBe("a\nb\n");
  expect(applied("a\nb\n", made, "back")).toBe("");
});

test("lines that only come or go stand behind the line that is named", () => {
  expect(applied("a\nb\n", "@@ -1,0 +2,1 @@\n+x\n", "in")).toBe("a\nx\nb\n");
  expect(applied("a\nx\nb\n", "@@ -1,0 +2,1 @@\n+x\n", "back")).toBe("a\nb\n");
});
