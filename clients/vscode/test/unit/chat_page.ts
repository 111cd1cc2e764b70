/** A page for the chat's parts: imported before them, since they ask for the editor's API when they are loaded. */

import { type ComponentChild, render } from "preact";
import { act } from "preact/test-utils";
import { beforeEach, vi } from "vitest";
import type { FromChat } from "../../src/chat/messages";

/** What the page sent to the extension. */
export const page: { sent: FromChat[] } = { sent: [] };

vi.stubGlobal("acquireVsCodeApi", () => ({
  postMessage: (message: FromChat) => page.sent.push(message),
  setState: () => undefined,
}));
vi.stubGlobal(
  "ResizeObserver",
  class {
    observe(): void {}
    disconnect(): void {}
  },
);

Element.prototype.scrollIntoView = () => undefined; // jsdom has none

beforeEach(() => {
  page.sent.length = 0;
  document.body.innerHTML = "<div id='root'></div>";
});

export const root = () => document.getElementById("root") as HTMLElement;

export function show(node: ComponentChild): void {
  void act(() => render(node, root()));
}
