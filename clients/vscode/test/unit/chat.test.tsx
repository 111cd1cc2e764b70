// @vitest-environment jsdom
/** The chat's parts in a page: long transcripts, completion, questions, forms. */

import { type ComponentChild, render } from "preact";
import { act } from "preact/test-utils";
import { beforeEach, expect, test, vi } from "vitest";
import type { FromChat } from "../../src/chat/messages";
import type { Event, Question } from "../../src/protocol.gen";
import type { AnyItem } from "../../src/store/transcript";

const sent: FromChat[] = [];
let kept: { draft?: string } | undefined; // what the editor keeps of the page
vi.stubGlobal("acquireVsCodeApi", () => ({
  postMessage: (message: FromChat) => sent.push(message),
  getState: () => kept,
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
const { Composer, wordAt } = await import("../../src/webview/composer");
const { contentOf, fieldsOf } = await import("../../src/webview/form");
const { Model } = await import("../../src/webview/model");
const { Cards } = await import("../../src/webview/cards");

beforeEach(() => {
  sent.length = 0;
  kept = undefined;
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

test("a reply that broke off is marked as one that does not count", () => {
  const torn = { kind: "message", status: "failed", text: "half", discarded: true };
  const thought = { ...torn, itemId: "t", kind: "thought", text: "hm" };
  const whole = { itemId: "b", kind: "message", status: "completed", text: "whole" };
  const items = [thought, { ...torn, itemId: "a" }, whole];
  show(<Timeline sessionId="s" items={items} older={false} idle={true} />);
  const marked = [...root().querySelectorAll("article.discarded")];
  expect(marked.map((one) => one.textContent)).toEqual(["half\nbroken off: does not count"]);
  expect(root().textContent?.match(/broken off: does not count/g)?.length).toBe(2);
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
  subject: { type: "command", command: "ls -la", cwd: "/project" },
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
  shown: {
    text: "│ ls -la\nin /project\nAllowed from then on, if it is for longer than once:\n│ shell(ls -la)",
    whole: true,
  },
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
  expect(root().textContent).toContain("in /project");
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

test("what is spelled out or counted cannot be edited, and stands there to the letter", () => {
  const hidden = 'echo "[tests pass](https://a)"⟨5000 spaces⟩; rm ⟨U+202E⟩b';
  const shown = { text: `│ ${hidden}\nin /project`, whole: true };
  show(<Cards questions={[{ ...command, shown }]} items={new Map([["c1", call]])} />);
  expect(root().querySelector("textarea")).toBeNull();
  expect(root().querySelector(".asked pre")?.textContent).toBe(hidden);
  expect(root().querySelector(".asked a")).toBeNull();
});

test("without all of the text there is no yes", () => {
  for (const shown of [{ text: "│ ls\n[… 9 more characters]", whole: false }, undefined]) {
    const question: Question = { ...command, shown: shown ?? { text: "", whole: false } };
    if (!shown) delete question.shown; // as a server of before sends it
    show(<Cards questions={[question]} items={new Map()} />);
    const names = [...root().querySelectorAll("button")].map((found) => found.textContent);
    expect(names).toEqual(["Reject"]);
    render(null, root());
  }
});

test("what is longer than its box is allowed only after it was scrolled to its end", () => {
  const sizes = { scrollHeight: 1000, clientHeight: 100 };
  const spies = Object.entries(sizes).map(([name, value]) =>
    vi.spyOn(Element.prototype, name as keyof typeof sizes, "get").mockReturnValue(value),
  );
  show(<Cards questions={[command]} items={new Map([["c1", call]])} />);
  expect(button("Allow once").disabled).toBe(true);
  expect(button("Allow for this session").disabled).toBe(true);
  expect(button("Reject").disabled).toBe(false);
  expect(root().textContent).toContain("scroll to the end");
  const box = root().querySelector(".asked") as HTMLElement;
  void act(() => {
    box.scrollTop = 900;
    box.dispatchEvent(new Event("scroll"));
  });
  expect(button("Allow once").disabled).toBe(false);
  for (const spy of spies) spy.mockRestore();
});

test("what the agent says of a command stands in its question", () => {
  const told = { ...call, input: { ...call.input, description: "list the files" } };
  show(<Cards questions={[command]} items={new Map([["c1", told]])} />);
  expect(root().textContent).toContain("The agent says: list the files");
});

test("a refusal carries the reason, and never an edited command", () => {
  show(<Cards questions={[command]} items={new Map([["c1", call]])} />);
  write(root().querySelector("textarea") as HTMLTextAreaElement, "ls");
  write(root().querySelector("input.reason") as HTMLInputElement, "use find");
  void act(() => button("Reject").click());
  const answer = { outcome: "selected", optionId: "reject", feedback: "use find" };
  expect(sent).toEqual([{ type: "answer", requestId: "q1", answer }]);
});

function press(key: string, more: KeyboardEventInit = {}): void {
  void act(() => {
    const event = new KeyboardEvent("keydown", { key, bubbles: true, ...more });
    root().querySelector("textarea")?.dispatchEvent(event);
  });
}

test("Enter sends, Shift+Enter does not; Enter takes a completion while there is one", () => {
  const model = new Model(() => undefined);
  show(<Composer model={model} />);
  const prompt = root().querySelector("textarea") as HTMLTextAreaElement;
  write(prompt, "look at @gre");
  const asked = sent.find((message) => message.type === "complete");
  expect(asked).toMatchObject({ kind: "@", word: "gre" });
  const row = { label: "greet.py", detail: "greet.py", insert: "@greet.py " };
  model.take({ type: "completions", ticket: asked?.ticket ?? 0, rows: [row] });
  show(<Composer model={model} />);
  press("Enter");
  expect(prompt.value).toBe("look at @greet.py ");
  press("Enter", { shiftKey: true });
  expect(sent.some((message) => message.type === "send")).toBe(false);
  press("Enter");
  expect(sent.at(-1)).toEqual({ type: "send", text: "look at @greet.py ", how: "queue" });
  expect(prompt.value).toBe("");
});

test("a draft comes back with the page, but not one that was sent before the page was left", () => {
  const items = [
    {
      itemId: "u",
      kind: "userMessage",
      status: "completed",
      content: [{ type: "text", text: "Mend it" }],
    },
  ];
  const empty = {
    runs: {},
    lastItems: {},
    steers: {},
    info: {},
    options: {},
    queue: [],
    runId: "",
    older: false,
    requests: [],
  };
  const view = { sessionId: "s", epoch: "e", seq: 1, state: "idle", ...empty };
  const restored = (draft: string, shown: AnyItem[]) => {
    kept = { draft };
    const model = new Model(() => undefined);
    model.take({ type: "session", view: { ...view, items: shown } });
    return model.compose.text;
  };
  expect(restored("Mend it", [])).toBe("Mend it");
  expect(restored("Mend it all", items)).toBe("Mend it all");
  expect(restored("Mend it", items)).toBe("");
});

test("what went wrong is told until the user goes on", () => {
  const model = new Model(() => undefined);
  model.take({ type: "failed", text: "There is no /x.", kind: "" });
  show(<Composer model={model} />);
  expect(model.failed?.text).toBe("There is no /x.");
  write(root().querySelector("textarea") as HTMLTextAreaElement, "y");
  expect(model.failed).toBeUndefined();
});

test("while it works, Ctrl+Enter says it at once and Escape stops", () => {
  const model = new Model(() => undefined);
  model.transcript.state = "running";
  show(<Composer model={model} />);
  const prompt = root().querySelector("textarea") as HTMLTextAreaElement;
  write(prompt, "Use tabs");
  press("Enter", { ctrlKey: true });
  expect(sent.at(-1)).toEqual({ type: "send", text: "Use tabs", how: "steer" });
  press("Escape");
  expect(sent.at(-1)).toEqual({ type: "stop" });
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

test("a command in the background says so, what it printed, and how it ended", () => {
  const task = { itemId: "task_1", kind: "task", status: "running", title: "make", output: "one\n" };
  const terminal = { command: "make -j", cwd: "/project", exitCode: null };
  const shown = (item: AnyItem) => {
    show(<Timeline sessionId="s" items={[item]} older={false} idle={true} />);
    return root().querySelector("details.tool");
  };
  const running = shown({ ...task, terminal });
  expect(running?.querySelector("summary")?.textContent).toContain("makein the backgroundrunning");
  expect(running?.querySelector(".output pre")?.textContent).toBe("one\n");
  const ended = shown({ ...task, status: "completed", terminal: { ...terminal, exitCode: 2 } });
  expect(ended?.querySelector("summary")?.textContent).toContain("makein the backgroundexit code 2");
});

test("a helper's events change nothing of the session but what its call says it does", () => {
  const model = new Model(() => undefined);
  const call = { itemId: "c", kind: "toolCall", status: "running", name: "agent__worker", title: "Look" };
  const view = { sessionId: "s", epoch: "e", seq: 4, state: "running", items: [call], requests: [] };
  const empty = {
    runs: {},
    lastItems: {},
    steers: {},
    info: {},
    options: {},
    queue: [],
    runId: "r",
    older: false,
  };
  model.take({ type: "session", view: { ...view, ...empty } });
  const place = { v: 1, sessionId: "child", epoch: "f", ts: "", agentId: "worker", parentItemId: "c" };
  const item = { itemId: "i", kind: "toolCall", status: "running", name: "shell", title: "shell ls" };
  const told = [
    { ...place, seq: 1, type: "sessionInfo", data: { parentSessionId: "s" } },
    { ...place, seq: 2, type: "runStarted", runId: "x", data: {} },
    { ...place, seq: 3, type: "itemStarted", itemId: "i", data: { item } },
    {
      ...place,
      seq: 4,
      type: "requestOpened",
      data: { requestId: "q", kind: "permission", title: "Run ls" },
    },
    { ...place, seq: 5, type: "sessionState", data: { state: "requiresAction" } },
  ];
  model.take({ type: "events", events: told as unknown as Event[] });
  const { seq, state, info, requests, items, runId } = model.transcript;
  expect({ seq, state, info, requests, runId }).toEqual({
    seq: 4,
    state: "running",
    info: {},
    requests: {},
    runId: "r",
  });
  expect([...items.keys()]).toEqual(["c"]);
  show(
    <Timeline
      sessionId="s"
      items={[...items.values()]}
      older={false}
      idle={false}
      helpers={model.transcript.helpers}
    />,
  );
  const shown = () => root().querySelector(".helpers summary")?.textContent;
  expect(shown()).toBe("workershell lsrunning");
  const ended = { ...place, seq: 6, type: "runEnded", runId: "x", data: { stopReason: "endTurn" } };
  model.take({ type: "events", events: [ended] as unknown as Event[] });
  expect(model.transcript.helpers["c"]?.["child"]?.state).toBe("endTurn");
  expect(model.transcript.runs).toEqual({});
  const over = [{ ...call, status: "completed" }];
  const { helpers } = model.transcript;
  show(<Timeline sessionId="s" items={over} older={false} idle={true} helpers={helpers} />);
  expect(shown()).toBe("worker1 call, done");
  expect(root().querySelector(".helpers .calls")?.textContent).toContain("shell ls");
});

test("a plan shows each step and how far it is; what is of a kind nobody knows is shown by its title", () => {
  const steps = [
    { text: "Look", status: "completed" },
    { text: "Mend", status: "inProgress" },
  ];
  const items = [
    { itemId: "p", kind: "plan", status: "completed", title: "The plan", steps },
    { itemId: "h", kind: "hologram", status: "completed", title: "Something new", text: "It says **this**." },
  ];
  show(<Timeline sessionId="s" items={items} older={false} idle={true} />);
  expect(root().querySelector(".plan")?.textContent).toBe("The planLook doneMend being done");
  expect(root().querySelector(".hologram")?.textContent).toMatch(/Something new[^]*It says this\./);
});

test("a helper's command can be edited, with the arguments of its own call", () => {
  const input = { command: "ls -la", cwd: "/project" };
  const other = {
    itemId: "c1",
    kind: "toolCall",
    status: "pending",
    input: { command: "ls -la", of: "another" },
  };
  const items = new Map([[other.itemId, other]]);
  show(<Cards questions={[{ ...command, from: "worker", input }]} items={items} />);
  write(root().querySelector("textarea") as HTMLTextAreaElement, "ls");
  void act(() => button("Allow as edited").click());
  const edited = { outcome: "selected", optionId: "once", input: { command: "ls", cwd: "/project" } };
  expect(sent).toEqual([{ type: "answer", requestId: "q1", answer: edited }]);
});

test("what a helper asks is a card that says who asks, and is answered like any other", () => {
  show(<Cards questions={[{ ...command, from: "worker" }]} items={new Map()} />);
  expect(root().textContent).toContain("The helper “worker” asks:");
  const allow = [...root().querySelectorAll("button")].find((button) => button.textContent === "Allow once");
  void act(() => allow?.click());
  expect(sent).toEqual([
    { type: "answer", requestId: "q1", answer: { outcome: "selected", optionId: "once" } },
  ]);
});
