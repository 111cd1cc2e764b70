// @vitest-environment jsdom
/** Who has the focus when the chat's page wants to place its cursor. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { whenFocused } from "../../src/webview/focus";

let placed = 0;
const place = (): void => {
  placed += 1;
};

beforeEach(() => {
  placed = 0;
  vi.useFakeTimers();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test("the cursor is placed at once in a page that has the focus", () => {
  vi.spyOn(document, "hasFocus").mockReturnValue(true);
  whenFocused(place);
  expect(placed).toBe(1);
});

test("the cursor is placed once, when the editor hands the focus to the page", () => {
  vi.spyOn(document, "hasFocus").mockReturnValue(false);
  whenFocused(place);
  expect(placed).toBe(0);
  window.dispatchEvent(new Event("focus"));
  window.dispatchEvent(new Event("focus"));
  expect(placed).toBe(1);
});

test("a page that comes up after the user went to an editor leaves the cursor there", () => {
  vi.spyOn(document, "hasFocus").mockReturnValue(false);
  whenFocused(place);
  vi.advanceTimersByTime(2000);
  window.dispatchEvent(new Event("focus")); // the user's own click, later
  expect(placed).toBe(0);
});
