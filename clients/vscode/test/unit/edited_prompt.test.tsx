// @vitest-environment jsdom
/** An earlier prompt that is edited: in the composer, with what it replaces marked in the conversation. */

import { act } from "preact/test-utils";
import { expect, test } from "vitest";
import { page, root, show } from "./chat_page";
import { Timeline } from "../../src/webview/timeline";
import { App } from "../../src/webview/app";
import { Model } from "../../src/webview/model";

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
  expect(page.sent.at(-1)).toEqual({ type: "endEdit" });
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

test("a prompt is edited while a run goes on, and the composer says what sending it does", () => {
  const model = new Model(() => undefined);
  model.transcript.state = "running";
  const labels = () =>
    [...root().querySelectorAll(".bar .end button")].map((one) => one.getAttribute("aria-label"));
  model.take({ type: "compose", text: "and then" });
  show(<App model={model} />);
  expect(labels()).toEqual(["Stop", "Send now", "Queue"]);
  model.take({ type: "edited", itemId: "i", text: "Explain this" });
  show(<App model={model} />);
  expect(labels()).toEqual(["Stop", "Send"]);
  expect(root().querySelector(".editing-note")?.textContent).toContain("stops the work and replaces");
});

test("another session has its own draft, also where an earlier prompt was edited", () => {
  const model = new Model(() => undefined);
  const draw = () => show(<App model={model} />);
  const input = () => root().querySelector<HTMLTextAreaElement>("[aria-label='Prompt']");
  model.take({ type: "compose", text: "half a thought" });
  model.take({ type: "edited", itemId: "i", text: "Explain this" });
  draw();
  model.take({ type: "edited", itemId: "", text: "" });
  model.take({ type: "draft", text: "of the other", replaces: true });
  draw();
  expect(input()?.value).toBe("of the other");
  model.take({ type: "draft", text: "", replaces: true });
  draw();
  expect(input()?.value).toBe("");
});
