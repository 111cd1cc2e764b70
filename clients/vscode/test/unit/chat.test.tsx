// @vitest-environment jsdom
/** The chat's parts in a page: long transcripts, completion, questions, forms. */

import { act } from "preact/test-utils";
import { expect, test } from "vitest";
import type { CompletionItem, Event, McpServer } from "../../src/protocol.gen";
import type { AnyItem } from "../../src/store/transcript";
import { page, root, show } from "./chat_page";
import { moved, spanAtEnd, Timeline } from "../../src/webview/timeline";
import { Composer } from "../../src/webview/composer";
import { App } from "../../src/webview/app";
import { Model } from "../../src/webview/model";
import { Servers } from "../../src/webview/servers";
import { ItemView } from "../../src/webview/items";

test("the outcome of a command is shown as Markdown above the prompt, until it is closed or the next prompt", () => {
  const model = new Model(() => undefined);
  const draw = () => show(<App model={model} />);
  const answer = { title: "Help", text: "# Commands\n\n- `/usage` ![](https://example.org/x.png)" };
  const shown = () => root().querySelector(".outcome");
  model.take({ type: "outcome", ...answer });
  draw();
  expect(shown()?.querySelector("h1")?.textContent).toBe("Commands");
  expect(shown()?.querySelector("code")?.textContent).toBe("/usage");
  expect(shown()?.querySelector("img")).toBeNull();
  const [open, close] = [...(shown()?.querySelectorAll("button") ?? [])];
  open?.click();
  expect(page.sent.at(-1)).toEqual({ type: "openOutcome", ...answer });
  close?.click();
  draw();
  expect(shown()).toBeNull();
  model.take({ type: "outcome", ...answer });
  model.take({ type: "compose", text: "Go on." });
  draw();
  root().querySelector<HTMLButtonElement>("[aria-label='Send']")?.click();
  draw();
  expect(shown()).toBeNull();
});

test("a plan is an open checklist", () => {
  const entries = [
    { id: 1, text: "Read", state: "done" },
    { id: 2, text: "Write", state: "pending" },
  ];
  const plan = { title: "Plan: 1 of 2 done", text: "- [x] 1. Read\n- [ ] 2. Write", entries };
  show(<ItemView item={{ itemId: "i", kind: "plan", status: "completed", ...plan }} />);
  const shown = root().querySelector("details.plan");
  expect(shown?.hasAttribute("open")).toBe(true);
  expect(shown?.querySelector("summary")?.textContent).toBe("Plan: 1 of 2 done");
  const lines = [...root().querySelectorAll("details.plan li")].map((line) => line.textContent);
  expect(lines.map((line) => line.trim())).toEqual(["Read done", "Write not begun"]);
});

test("a call that is asked about is read in its question; later its long texts read as they are", () => {
  const input = { plan: "# Greet\n\nIn greet.py.", steps: ["one"] };
  const call = {
    itemId: "c",
    kind: "toolCall",
    status: "pending",
    name: "present_plan",
    title: "Present",
    input,
  };
  const draw = (asked: Set<string>) =>
    show(<Timeline sessionId="s" items={[call]} older={false} idle={false} asked={asked} />);
  draw(new Set(["c"]));
  expect(root().querySelector(".tool")?.textContent).toBe("Use Presentwaits for you");
  draw(new Set());
  const shown = [...root().querySelectorAll("pre.input")].map((one) => one.textContent);
  expect(shown).toEqual(["# Greet\n\nIn greet.py.", '{\n  "steps": [\n    "one"\n  ]\n}']);
});

test("a command that made a folder has a button that opens it, and the page does not say which", () => {
  const model = new Model(() => undefined);
  const draw = () => show(<App model={model} />);
  const button = () =>
    [...root().querySelectorAll("button")].find((each) => each.textContent === "Open folder");
  model.take({ type: "outcome", title: "Worktree", text: "It is made." });
  draw();
  expect(button()).toBeUndefined();
  model.take({ type: "outcome", title: "Worktree", text: "It is made.", folder: "/trees/fix" });
  draw();
  button()?.click();
  expect(page.sent.at(-1)).toEqual({ type: "openFolder" });
});

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
  expect(marked.map((one) => one.textContent)).toEqual(["half\ncut off: not part of the conversation"]);
  expect(root().textContent.match(/cut off: not part of the conversation/g)?.length).toBe(2);
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

function write(element: HTMLInputElement | HTMLTextAreaElement, value: string): void {
  void act(() => {
    element.value = value;
    element.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

function press(key: string, more: KeyboardEventInit = {}): void {
  void act(() => {
    const event = new KeyboardEvent("keydown", { key, bubbles: true, ...more });
    root().querySelector("textarea")?.dispatchEvent(event);
  });
}

const GREET = { label: "greet.py", kind: "file", insertText: "@greet.py", start: 8, end: 12 } as const;
const SOURCES = { label: "sources", kind: "folder", insertText: "@sources/", start: 0, end: 2 } as const;
const FOCUS = { label: "focus=", kind: "argument", insertText: "focus=", start: 9, end: 9 } as const;

/** A composer in which this was typed, and the completions that the server gave. */
function completed(text: string, ...rows: CompletionItem[]): HTMLTextAreaElement {
  const model = new Model(() => undefined);
  show(<Composer model={model} />);
  const prompt = root().querySelector("textarea") as HTMLTextAreaElement;
  write(prompt, text);
  const asked = page.sent.find((message) => message.type === "complete");
  expect(asked).toMatchObject({ text, cursor: text.length });
  model.take({ type: "completions", ticket: asked?.ticket ?? 0, rows });
  show(<Composer model={model} />);
  return prompt;
}

test("Enter sends, Shift+Enter does not; Enter takes a completion while there is one", () => {
  const prompt = completed("look at @gre", GREET);
  press("Enter");
  expect(prompt.value).toBe("look at @greet.py ");
  press("Enter", { shiftKey: true });
  expect(page.sent.some((message) => message.type === "send")).toBe(false);
  press("Escape");
  press("Enter");
  expect(page.sent).toContainEqual({ type: "send", text: "look at @greet.py ", how: "queue" });
  expect(prompt.value).toBe("");
});

test("behind a folder typing goes on, and the server is asked again", () => {
  const prompt = completed("@s", SOURCES);
  press("Tab");
  expect(prompt.value).toBe("@sources/");
  expect(page.sent.findLast(({ type }) => type === "complete")).toMatchObject({
    text: "@sources/",
    cursor: 9,
  });
});

test("Enter sends where no word is begun, and where the word is there already; the arrows still choose", () => {
  const prompt = completed("/compact ", FOCUS);
  press("Enter");
  expect(page.sent).toContainEqual({ type: "send", text: "/compact ", how: "queue" });
  expect(prompt.value).toBe("");
  page.sent.length = 0;
  completed("look at @greet.py", { ...GREET, end: 17 });
  press("Enter");
  expect(page.sent).toContainEqual({ type: "send", text: "look at @greet.py", how: "queue" });
  page.sent.length = 0;
  const other = completed("/compact ", FOCUS);
  press("ArrowDown");
  press("Enter");
  expect(other.value).toBe("/compact focus=");
});

test("rows of the word before are not taken for the next one, and plain words ask for nothing", () => {
  const prompt = completed("@gr", { ...GREET, start: 0, end: 3 });
  write(prompt, "@gre");
  press("Enter");
  expect(page.sent).toContainEqual({ type: "send", text: "@gre", how: "queue" });
  page.sent.length = 0;
  write(prompt, "plain words");
  expect(page.sent.filter(({ type }) => type !== "draft")).toEqual([]);
});

test("what is written is kept, and what was kept comes back before it", () => {
  const model = new Model(() => undefined);
  const draw = () => show(<Composer model={model} />);
  draw();
  const prompt = root().querySelector("textarea") as HTMLTextAreaElement;
  expect(page.sent).toEqual([]); // nothing was written: what is kept stays
  write(prompt, "and now this");
  expect(page.sent.at(-1)).toEqual({ type: "draft", text: "and now this" });
  model.take({ type: "draft", text: "Mend it", replaces: false });
  draw();
  expect(prompt.value).toBe("Mend it\n\nand now this");
  press("Enter");
  expect(page.sent.at(-1)).toEqual({ type: "draft", text: "" });
});

test("an error stays until the user types", () => {
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
  expect(page.sent).toContainEqual({ type: "send", text: "Use tabs", how: "steer" });
  press("Escape");
  expect(page.sent.at(-1)).toEqual({ type: "stop" });
});

test("a command in the background says so, what it printed, and how it ended", () => {
  const task = { itemId: "task_1", kind: "task", status: "running", title: "make", output: "one\n" };
  const terminal = { command: "make -j", cwd: "/project", exitCode: null };
  const shown = (item: AnyItem) => {
    show(<Timeline sessionId="s" items={[item]} older={false} idle={true} />);
    return root().querySelector("details.tool");
  };
  const running = shown({ ...task, terminal });
  expect(running?.querySelector("summary")?.textContent).toContain("makein the background");
  expect(running?.querySelector(".output pre")?.textContent).toBe("one\n");
  const ended = shown({ ...task, status: "completed", terminal: { ...terminal, exitCode: 2 } });
  expect(ended?.querySelector("summary")?.textContent).toContain("makein the backgroundexit 2");
});

test("a running command has a button that moves it to the background", () => {
  const call = {
    itemId: "call_1",
    kind: "toolCall",
    name: "shell",
    title: "Run make",
    input: { command: "make" },
  };
  const button = () =>
    [...root().querySelectorAll("button")].find((one) => one.textContent === "Move to background");
  show(<ItemView item={{ ...call, status: "running" }} />);
  button()?.click();
  expect(page.sent).toEqual([{ type: "background", itemId: "call_1" }]);
  show(<ItemView item={{ ...call, status: "completed" }} />);
  expect(button()).toBeUndefined();
});

test("a helper's events change nothing of the session but what its call says it does", () => {
  const model = new Model(() => undefined);
  const call = { itemId: "c", kind: "toolCall", status: "running", name: "agent__worker", title: "Look" };
  const transcript = { epoch: "e", seq: 4, state: "running", runId: "r", items: [call] };
  model.take({
    type: "session",
    view: { sessionId: "s", older: false, steers: {}, transcript },
    kept: { id: "", sessionId: "s" },
  });
  const place = { v: 1, sessionId: "child", epoch: "f", ts: "", agentId: "worker", parentItemId: "c" };
  const item = { itemId: "i", kind: "toolCall", status: "running", name: "shell", title: "shell ls" };
  const events = [
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
  model.take({ type: "events", events: events as unknown as Event[] });
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
  expect(shown()).toBe("workerUsing shell lsrunning");
  const ended = { ...place, seq: 6, type: "runEnded", runId: "x", data: { stopReason: "endTurn" } };
  model.take({ type: "events", events: [ended] as unknown as Event[] });
  expect(model.transcript.helpers["c"]?.["child"]?.state).toBe("endTurn");
  expect(model.transcript.runs).toEqual({});
  const row = { itemId: "c.1", kind: "subagent", status: "failed", title: "Look", childSessionId: "child" };
  const over = [{ ...call, status: "completed" }, row];
  const { helpers } = model.transcript;
  show(<Timeline sessionId="s" items={over} older={false} idle={true} helpers={helpers} />);
  expect(shown()).toBe("worker1 call, done");
  expect(root().querySelector(".child")).toBeNull(); // it is told once
  expect(root().querySelector(".helpers .calls")?.textContent).toContain("Using shell ls");
});

test("the end of a run is announced, with the answer where a screen reader runs", () => {
  const model = new Model(() => undefined);
  const transcript = { epoch: "e", seq: 4, state: "running", runId: "r", items: [] };
  model.take({
    type: "session",
    view: { sessionId: "s", older: false, steers: {}, transcript },
    kept: { id: "", sessionId: "s" },
  });
  const end = (text: string, stopReason: string) => {
    const item = { itemId: "m", kind: "message", status: "completed", text };
    const place = { v: 1, sessionId: "s", epoch: "e", ts: "", runId: "r" };
    const events = [
      { ...place, seq: 5, type: "itemCompleted", itemId: "m", data: { item } },
      { ...place, seq: 6, type: "runEnded", data: { stopReason } },
    ];
    model.take({ type: "events", events: events as unknown as Event[] });
    return model.announcement;
  };
  expect(end("It works.", "endTurn")).toBe("agls is done.");
  document.body.className = "vscode-using-screen-reader";
  expect(end("It works.", "endTurn")).toBe("agls is done. It works.");
  expect(end("It wor", "cancelled")).toBe("agls was stopped. It wor");
  expect(end("word ".repeat(500), "endTurn")).toMatch(/^agls is done\. (word )+… The rest is in the conv/);
  document.body.className = "";
});

test("what is of a kind nobody knows is shown by its title", () => {
  const items = [
    { itemId: "h", kind: "hologram", status: "completed", title: "Something new", text: "It says **this**." },
  ];
  show(<Timeline sessionId="s" items={items} older={false} idle={true} />);
  expect(root().querySelector(".hologram")?.textContent).toMatch(/Something new[^]*It says this\./);
});

test("MCP servers that start or cannot be used are shown with what helps, and no others", () => {
  const model = new Model(() => undefined);
  const draw = (...servers: McpServer[]) => {
    model.transcript.servers = servers;
    show(<Servers model={model} />);
    return root().textContent;
  };
  expect(draw({ name: "a", status: "connected", tools: 3 }, { name: "b", status: "stopped" })).toBe("");
  expect(draw({ name: "a", status: "connecting" })).toContain("Starting MCP servers: a…");
  const login = {
    name: "mail",
    status: "failed",
    needsLogin: true,
    message: "it wants a login: /mcp.login mail",
  };
  expect(draw(login)).toContain("mail: you are not logged in");
  const press = (label: string) =>
    [...root().querySelectorAll("button")].find((one) => one.textContent === label)?.click();
  press("Log in");
  expect(draw({ name: "gone", status: "failed", message: "it ended" })).toContain("gone: it ended");
  press("Restart");
  press("Switch off");
  expect(page.sent).toEqual([
    { type: "mcp", action: "mcp.login", server: "mail" },
    { type: "mcp", action: "mcp.restart", server: "gone" },
    { type: "mcp", action: "mcp.disable", server: "gone" },
  ]);
  page.sent.length = 0;
  expect(
    draw({ name: "shop", status: "stopped", message: "nobody gave the input token", needsInput: "token" }),
  ).toContain("shop: nobody gave the input token");
  press("Give input…");
  expect(page.sent).toEqual([{ type: "mcp", action: "mcp.input", server: "shop", input: "token" }]);
  draw({ name: "unset", status: "stopped", message: "the variable X is not set" });
  expect(root().querySelectorAll("button").length).toBe(0);
});
