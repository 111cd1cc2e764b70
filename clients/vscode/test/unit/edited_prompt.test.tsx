// @vitest-environment jsdom
/** An earlier prompt that is edited: in the composer, with what it replaces marked in the conversation. */

import { type ComponentChild, render } from "preact";
import { act } from "preact/test-utils";
import { beforeEach, expect, test, vi } from "vitest";
import type { FromChat } from "../../src/chat/messages";

const sent: FromChat[] = [];
vi.stubGlobal("acquireVsCodeApi", () => ({
  postMessage: (message: FromChat) => sent.push(message),
  getState: () => undefined,
  setState: () => undefined,
}));
vi.stubGlobal(
  "ResizeObserver",
  class {
    observe(): void {}
    disconnect(): void {}
  },
);
const { Timeline } = await import("../../src/webview/timeline");
const { App } = await import("../../src/webview/app");
const { Model } = await import("../../src/webview/model");

beforeEach(() => {
  document.body.innerHTML = "<div id='root'></div>";
});
const root = () => document.getElementById("root") as HTMLElement;

function show(node: ComponentChild): void {
  void act(() => render(node, root()));
}

test("an earlier prompt is edited in the composer, and what was written before that comes back", () => {
  const model = new Model(() => undefined);
  const draw = () => show(<App model={model} />);
  const input = () => root().querySelector<HTMLTextAreaElement>("[aria-label='Prompt']");
  const edited = (itemId: string, text: string) => {
    model.take({ type: "edited", itemId, text });
    draw();
  };
  model.take({ type: "compose", text: "half a thought" });
  draw();
  edited("i", "Explain this");
  expect(input()?.value).toBe("Explain this");
  void act(() => {
    input()?.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
  });
  expect(sent.at(-1)).toEqual({ type: "endEdit" });
  edited("", "");
  expect(input()?.value).toBe("half a thought");
  expect(root().querySelector(".editing-note")).toBeNull();
});

test("what is replaced by an edited prompt is marked from its line on", () => {
  const prompts = ["a", "b"].map((itemId) => ({
    itemId,
    kind: "userMessage",
    status: "completed",
    content: [{ type: "text", text: itemId }],
  }));
  show(<Timeline sessionId="s" items={prompts} older={false} idle={true} edited="b" />);
  const lines = [...root().querySelectorAll(".checkpoint")];
  expect(lines.map((line) => line.classList.contains("edited"))).toEqual([false, true]);
});
