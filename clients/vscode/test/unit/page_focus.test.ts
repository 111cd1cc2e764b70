// @vitest-environment jsdom
/** Who has the focus when the chat's page wants to place its cursor. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { keepFocus, whenFocused } from "../../src/webview/focus";

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

test("a place is found for the focus when what has it is taken out, and not when the user had left it", async () => {
  vi.useRealTimers();
  vi.spyOn(document, "hasFocus").mockReturnValue(true);
  document.body.innerHTML = "<main><p>words</p><button>one</button><button>two</button></main>";
  const page = document.querySelector("main") as HTMLElement;
  const [one, two] = page.querySelectorAll("button");
  keepFocus(page, place);
  const seen = () => new Promise((resolve) => setTimeout(resolve));
  one?.focus();
  page.querySelector("p")?.remove();
  await seen();
  expect(placed).toBe(0);
  one?.remove();
  await seen();
  expect(placed).toBe(1);
  two?.focus();
  page.dispatchEvent(new Event("pointerdown", { bubbles: true }));
  two?.remove();
  await seen();
  expect(placed).toBe(1);
});
