// @vitest-environment jsdom
/** The chat's parts in a page: long transcripts, completion, questions, forms. */

import { type ComponentChild, render } from "preact";
import { act } from "preact/test-utils";
import { beforeEach, expect, test, vi } from "vitest";
import type { FromChat } from "../../src/chat/messages";
import type { Question } from "../../src/protocol.gen";

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
const { moved, spanAtEnd, Timeline } = await import("../../src/webview/timeline");
const { wordAt } = await import("../../src/webview/composer");
const { contentOf, fieldsOf } = await import("../../src/webview/form");
const { Cards } = await import("../../src/webview/cards");

beforeEach(() => {
  sent.length = 0;
  document.body.innerHTML = "<div id='root'></div>";
});
const root = () => document.getElementById("root") as HTMLElement;

function show(node: ComponentChild): void {
  void act(() => render(node, root()));
}

test("of five thousand items only the last are in the page", () => {
  const items = Array.from({ length: 5000 }, (_, n) => {
    return { itemId: `i${n}`, kind: "message", status: "completed", text: `Text **${n}**` };
  });
  show(<Timeline sessionId="s" items={items} older={false} idle={true} />);
  expect(root().querySelectorAll("article").length).toBe(80);
  expect(root().textContent).toContain("Text 4999");
});

test("whoever scrolls up and down again sees every item, and never too many at once", () => {
  const count = 1000;
  let span = spanAtEnd(count);
  const seen = new Set<number>();
  const note = () => {
    const end = Math.min(span.end, count);
    for (let n = span.start; n < end; n++) seen.add(n);
    expect(end - span.start).toBeLessThanOrEqual(160);
  };
  for (note(); span.start > 0; note()) span = moved(span, count, "top");
  expect(seen.size).toBe(count);
  for (; Number.isFinite(span.end); note()) span = moved(span, count, "bottom");
  expect(Math.min(span.end, count)).toBe(count);
});

test("what is typed asks for completion in the right places only", () => {
  expect(wordAt("look at @src/a", 14)).toEqual({ kind: "@", word: "src/a", start: 8 });
  expect(wordAt("/comp", 5)).toEqual({ kind: "/", word: "comp", start: 0 });
  expect(wordAt("me@example", 10)).toBeUndefined();
  expect(wordAt("a /comp", 7)).toBeUndefined();
  expect(wordAt("@done more", 10)).toBeUndefined();
});

const command: Question = {
  requestId: "q1",
  kind: "permission",
  title: "Run ls",
  itemId: "c1",
  reason: "It runs a command.",
  subject: { type: "command", command: "ls -la", cwd: "/work" },
  options: [
    { optionId: "once", label: "Allow once", decision: "allow", scope: "once" },
    {
      optionId: "session",
      label: "Allow for this session",
      decision: "allow",
      scope: "session",
      rule: "shell(ls -la)",
    },
    { optionId: "reject", label: "Reject", decision: "reject", scope: "once" },
  ],
};
const call = { itemId: "c1", kind: "toolCall", status: "pending", input: { command: "ls -la", timeout: 5 } };
const button = (name: string) =>
  [...root().querySelectorAll("button")].find(
    (found) => found.textContent.trim() === name,
  ) as HTMLButtonElement;

function write(element: HTMLInputElement | HTMLTextAreaElement, value: string): void {
  void act(() => {
    element.value = value;
    element.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

test("a permission shows the exact command, where it runs, and the rule that always saves", () => {
  show(<Cards questions={[command]} items={new Map([["c1", call]])} />);
  expect(root().querySelector("textarea")?.value).toBe("ls -la");
  expect(root().textContent).toContain("in /work");
  expect(root().textContent).toContain("shell(ls -la)");
  void act(() => button("Allow for this session").click());
  expect(sent).toEqual([
    { type: "answer", requestId: "q1", answer: { outcome: "selected", optionId: "session" } },
  ]);
});

test("an edited command is allowed once only, with all its other arguments", () => {
  show(<Cards questions={[command]} items={new Map([["c1", call]])} />);
  write(root().querySelector("textarea") as HTMLTextAreaElement, "ls");
  expect(button("Allow for this session")).toBeUndefined();
  void act(() => button("Allow as edited").click());
  const answer = { outcome: "selected", optionId: "once", input: { command: "ls", timeout: 5 } };
  expect(sent).toEqual([{ type: "answer", requestId: "q1", answer }]);
});

test("a refusal carries the reason, and never an edited command", () => {
  show(<Cards questions={[command]} items={new Map([["c1", call]])} />);
  write(root().querySelector("textarea") as HTMLTextAreaElement, "ls");
  write(root().querySelector("input.reason") as HTMLInputElement, "use find");
  void act(() => button("Reject").click());
  const answer = { outcome: "selected", optionId: "reject", feedback: "use find" };
  expect(sent).toEqual([{ type: "answer", requestId: "q1", answer }]);
});

test("a form is filled in by its schema, and what must be there is waited for", () => {
  const schema = {
    type: "object",
    properties: { choice: { type: "string", title: "Choice", enum: ["a", "b"] }, n: { type: "integer" } },
    required: ["choice"],
  };
  show(<Cards questions={[{ requestId: "q2", kind: "form", title: "Which?", schema }]} items={new Map()} />);
  expect(button("Answer").disabled).toBe(true);
  void act(() => (root().querySelectorAll("input[type=radio]")[1] as HTMLInputElement).click());
  expect(button("Answer").disabled).toBe(false);
  void act(() => button("Answer").click());
  expect(sent).toEqual([
    { type: "answer", requestId: "q2", answer: { outcome: "accept", content: { choice: "b" } } },
  ]);
  expect(contentOf(fieldsOf(schema), { choice: "a", n: "3" })).toEqual({ choice: "a", n: 3 });
});
