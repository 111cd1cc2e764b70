// @vitest-environment jsdom
/** Questions in the page: what is shown, and what can be answered. */

import { render } from "preact";
import { act } from "preact/test-utils";
import { expect, test, vi } from "vitest";
import type { Question } from "../../src/protocol.gen";
import { page, root, show } from "./chat_page";
import { fieldsOf } from "../../src/store/schema";
import { contentOf } from "../../src/webview/form";
import { Cards } from "../../src/webview/cards";

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
    text: "│ ls -la\nin /project\nAllowing it for longer than once adds the rule:\n│ shell(ls -la)",
    whole: true,
  },
};
const call = { itemId: "c1", kind: "toolCall", status: "pending", input: { command: "ls -la", timeout: 5 } };
const button = (name: string) =>
  [...root().querySelectorAll("button")].find(
    (found) => found.textContent.trim() === name,
  ) as HTMLButtonElement;

/** What holds for longer, once it is shown. */
const longer = (scope: string) =>
  [...root().querySelectorAll<HTMLButtonElement>(".longer button")].find((found) =>
    found.textContent.includes(scope),
  );

function write(element: HTMLInputElement | HTMLTextAreaElement, value: string): void {
  void act(() => {
    element.value = value;
    element.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

test("a page that is to be opened has a button, below all of its address", () => {
  const url = "https://login.example/authorize?client_id=a%20b&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2F";
  const title = `The MCP server shop wants you to open a page of login.example:\nshop wants you to log in.\n${url}`;
  const asked: Question = { requestId: "q3", kind: "form", title, subject: { type: "url", url }, schema: {} };
  show(<Cards questions={[asked]} items={new Map()} />);
  expect(root().querySelector(".address")?.textContent).toBe(url);
  button("Open the page").click();
  expect(page.sent.at(-1)).toEqual({ type: "link", href: url });
  show(<Cards questions={[{ ...asked, subject: { type: "url", url: "command:run" } }]} items={new Map()} />);
  expect(button("Open the page")).toBeUndefined();
});

test("a permission shows the exact command, where it runs, and the rule that always saves", () => {
  show(<Cards questions={[command]} items={new Map([["c1", call]])} />);
  expect(root().querySelector("textarea")?.value).toBe("ls -la");
  expect(root().textContent).toContain("in /project");
  expect(root().textContent).toContain("shell(ls -la)");
  expect(longer("session")).toBeUndefined();
  void act(() => root().querySelector<HTMLElement>('[aria-label="Allow for longer"]')?.click());
  expect(longer("session")?.textContent).toBe("Allow for this sessionshell(ls -la)");
  void act(() => longer("session")?.click());
  expect(page.sent).toEqual([
    { type: "answer", requestId: "q1", answer: { outcome: "selected", optionId: "session" } },
  ]);
});

test("Ctrl+Enter allows what was read, and Escape refuses", () => {
  show(<Cards questions={[command]} items={new Map([["c1", call]])} />);
  const press = (key: string, ctrlKey = false) =>
    void act(() => {
      const event = new KeyboardEvent("keydown", { key, ctrlKey, bubbles: true });
      root().querySelector("textarea")?.dispatchEvent(event);
    });
  press("Enter");
  expect(page.sent).toEqual([]);
  press("Enter", true);
  press("Escape");
  expect(page.sent.map((message) => message.type === "answer" && message.answer)).toEqual([
    { outcome: "selected", optionId: "once" },
    { outcome: "selected", optionId: "reject" },
  ]);
});

test("an edited command is allowed once only, with all its other arguments", () => {
  show(<Cards questions={[command]} items={new Map([["c1", call]])} />);
  write(root().querySelector("textarea") as HTMLTextAreaElement, "ls");
  expect(root().querySelector('[aria-label="Allow for longer"]')).toBeNull();
  void act(() => button("Allow as edited").click());
  const answer = { outcome: "selected", optionId: "once", input: { command: "ls", timeout: 5 } };
  expect(page.sent).toEqual([{ type: "answer", requestId: "q1", answer }]);
});

test("what is spelled out or counted cannot be edited, and stands there to the letter", () => {
  const hidden = 'echo "[tests pass](https://a)"⟨5000 spaces⟩; rm ⟨U+202E⟩b';
  const shown = { text: `│ ${hidden}\nin /project`, whole: true };
  show(<Cards questions={[{ ...command, shown }]} items={new Map([["c1", call]])} />);
  expect(root().querySelector("textarea")).toBeNull();
  expect(root().querySelector(".asked pre")?.textContent).toBe(hidden);
  expect(root().querySelector(".asked a")).toBeNull();
});

test("the rule of a lasting yes stands in the line that tells of it, to the letter, and several lines below it", () => {
  const tells = "“Allow for this project” adds the rule:";
  const asked = (rule: string) => {
    const quoted = rule.split("\n").map((line) => `│ ${line}`);
    const shown = { text: [...["│ ls", "in /project", tells], ...quoted].join("\n"), whole: true };
    show(<Cards questions={[{ ...command, shown }]} items={new Map()} />);
    return root().querySelector(".asked");
  };
  const inline = asked("shell(ls  *)");
  expect(inline?.textContent).toContain(`${tells} shell(ls  *)`);
  expect(inline?.querySelectorAll("pre")).toHaveLength(1); // the command
  expect(asked("shell(a)\nshell(b)")?.querySelectorAll("pre")[1]?.textContent).toBe("shell(a)\nshell(b)");
});

test("without all of the text there is no yes", () => {
  for (const shown of [{ text: "│ ls\n[… 9 more characters]", whole: false }, undefined]) {
    const question: Question = { ...command, shown: shown ?? { text: "", whole: false } };
    if (!shown) delete question.shown; // as a server of before sends it
    show(<Cards questions={[question]} items={new Map()} />);
    const names = [...root().querySelectorAll("button")].map((found) => found.textContent);
    expect(names).toEqual(["Reject", "Add a reason…"]);
    render(null, root());
  }
});

test("the card of an edit has the file's path once", () => {
  const ask = (title: string, changes: object[]) => {
    const lines = changes.map(
      (change) => `modified: ${(change as { uri: string }).uri}\n│ @@ -1,1 +1,1 @@\n│ -a\n│ +b`,
    );
    const shown = { text: lines.join("\n"), whole: true };
    const subject = { type: "edit", changes };
    show(
      <Cards
        questions={[{ ...command, title, subject, shown, reason: "It changes the workspace." }]}
        items={new Map()}
      />,
    );
    const card = root().querySelector(".card");
    const text = card?.textContent ?? "";
    return {
      head: card?.querySelector("h3")?.textContent.trim(),
      times: text.split("a%20b/signer.py").length - 1,
      text,
    };
  };
  const change = { uri: "file:///project/a%20b/signer.py", change: "modified" };
  const { head, times, text } = ask("Edit a b/signer.py", [change]);
  expect(head).toBe("Edit this file?Open diff");
  expect([times, text.split("signer.py").length - 1]).toEqual([1, 1]);
  expect(ask("Write a b/signer.py", [{ ...change, change: "added" }]).head).toBe(
    "Create this file?Open diff",
  );
  expect(ask("Rename old to new", [change]).head).toBe("Rename old to newOpen diff");
  expect(ask("Move a to b", [change, { uri: "file:///project/b", change: "added" }]).head).toBe(
    "Move a to bOpen diff",
  );
});

test("what is longer than its box is allowed only after it was scrolled to its end", () => {
  const sizes = { scrollHeight: 1000, clientHeight: 100 };
  const spies = Object.entries(sizes).map(([name, value]) =>
    vi.spyOn(Element.prototype, name as keyof typeof sizes, "get").mockReturnValue(value),
  );
  show(<Cards questions={[command]} items={new Map([["c1", call]])} />);
  expect(button("Allow once").disabled).toBe(true);
  const more = root().querySelector<HTMLButtonElement>('[aria-label="Allow for longer"]');
  expect(more?.disabled).toBe(true);
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
  const described = { ...call, input: { ...call.input, description: "list the files" } };
  show(<Cards questions={[command]} items={new Map([["c1", described]])} />);
  expect(root().textContent).toContain("The agent says: list the files");
});

test("the server's reason is shown, also where it is plain", () => {
  show(<Cards questions={[command]} items={new Map([["c1", call]])} />);
  expect(root().textContent).toContain("It runs a command.");
});

test("a refusal carries the reason, and never an edited command", () => {
  show(<Cards questions={[command]} items={new Map([["c1", call]])} />);
  write(root().querySelector("textarea") as HTMLTextAreaElement, "ls");
  void act(() => button("Add a reason…").click());
  write(root().querySelector("input.reason") as HTMLInputElement, "use find");
  void act(() => button("Reject").click());
  const answer = { outcome: "selected", optionId: "reject", feedback: "use find" };
  expect(page.sent).toEqual([{ type: "answer", requestId: "q1", answer }]);
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
  expect(page.sent).toEqual([
    { type: "answer", requestId: "q2", answer: { outcome: "accept", content: { choice: "b" } } },
  ]);
  expect(contentOf(fieldsOf(schema), { choice: "a", n: "3" })).toEqual({ choice: "a", n: 3 });
});

test("all of a question is shown, and a box whose default is yes is ticked", () => {
  const schema = {
    type: "object",
    properties: { gift: { type: "boolean", default: true }, hot: { type: "boolean" } },
  };
  const title = "The server shop asks:\nWhat parcel?\nNever enter a key here.";
  show(<Cards questions={[{ requestId: "q5", kind: "form", title, schema }]} items={new Map()} />);
  expect(root().querySelector("form.card h3")?.textContent).toBe("The server shop asks:");
  expect(root().querySelector("form.card > p")?.textContent).toBe("What parcel?\nNever enter a key here.");
  void act(() => button("Answer").click());
  const content = { gift: true, hot: false };
  expect(page.sent).toEqual([{ type: "answer", requestId: "q5", answer: { outcome: "accept", content } }]);
});

test("a secret is not shown while it is typed", () => {
  const schema = { type: "object", properties: { token: { type: "string", format: "password" } } };
  show(<Cards questions={[{ requestId: "q4", kind: "form", title: "Token?", schema }]} items={new Map()} />);
  expect((root().querySelector("form.card input") as HTMLInputElement).type).toBe("password");
});

test("several choices are ticked, and go as a list", () => {
  const items = { type: "string", enum: ["red", "blue", "green"] };
  const schema = { type: "object", properties: { choice: { type: "array", title: "Choices", items } } };
  show(<Cards questions={[{ requestId: "q3", kind: "form", title: "Which?", schema }]} items={new Map()} />);
  for (const place of [2, 1, 0, 1]) {
    const boxes = root().querySelectorAll<HTMLInputElement>("input[type=checkbox]");
    void act(() => boxes[place]?.click());
  }
  void act(() => button("Answer").click());
  expect(page.sent).toEqual([
    { type: "answer", requestId: "q3", answer: { outcome: "accept", content: { choice: ["green", "red"] } } },
  ]);
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
  expect(page.sent).toEqual([{ type: "answer", requestId: "q1", answer: edited }]);
});

test("what a helper asks is a card that says who asks, and is answered like any other", () => {
  show(<Cards questions={[{ ...command, from: "worker" }]} items={new Map()} />);
  expect(root().textContent).toContain("The helper “worker” asks:");
  const allow = [...root().querySelectorAll("button")].find((button) => button.textContent === "Allow once");
  void act(() => allow?.click());
  expect(page.sent).toEqual([
    { type: "answer", requestId: "q1", answer: { outcome: "selected", optionId: "once" } },
  ]);
});

const plan: Question = {
  requestId: "q9",
  kind: "plan",
  title: "Approve this plan?",
  subject: { type: "plan", plan: "# Steps\n\n1. Read\n2. Write <b>it</b>" },
  options: [
    { optionId: "ask", label: "Approve and ask first", decision: "allow", scope: "once" },
    { optionId: "acceptEdits", label: "Approve and accept edits", decision: "allow", scope: "session" },
    { optionId: "reject", label: "Keep planning", decision: "reject", scope: "once" },
  ],
  shown: { text: "│ # Steps", whole: true },
};
const press = (name: string) =>
  act(() => [...root().querySelectorAll("button")].find((button) => button.textContent === name)?.click());
const type = (selector: string, value: string) =>
  act(() => {
    const field = root().querySelector<HTMLInputElement>(selector);
    if (field) field.value = value;
    field?.dispatchEvent(new Event("input", { bubbles: true }));
  });

test("a plan is read as Markdown and approved with a comment", () => {
  show(<Cards questions={[plan]} items={new Map()} />);
  expect(root().querySelector(".markdown h1")?.textContent).toBe("Steps");
  expect(root().querySelectorAll(".markdown li")).toHaveLength(2);
  expect(root().querySelector(".markdown b")).toBeNull();
  void type("input.reason", "be quick");
  void press("Approve and accept edits");
  const answer = { outcome: "selected", optionId: "acceptEdits", feedback: "be quick" };
  expect(page.sent).toEqual([{ type: "answer", requestId: "q9", answer }]);
});

test("a plan is changed before it is approved", () => {
  show(<Cards questions={[plan]} items={new Map()} />);
  void press("Change the plan");
  void type("textarea.plan", "Only read.");
  void press("Show the plan");
  expect(root().querySelector(".markdown")?.textContent.trim()).toBe("Only read.");
  void press("Approve and ask first");
  const answer = { outcome: "selected", optionId: "ask", input: { plan: "Only read." } };
  expect(page.sent).toEqual([{ type: "answer", requestId: "q9", answer }]);
});
