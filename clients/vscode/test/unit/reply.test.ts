/** The answer of a run as it is written into the editor's own chat: from top to bottom, once. */

import { expect, test } from "vitest";
import type { Event } from "../../src/protocol.gen";
import { type Part, Reply } from "../../src/store/reply";

const WORDS = new Map([
  ["read_file", { name: "read_file", done: "Read", doing: "Reading", kind: "read" as const, about: "path" }],
]);
const event = (type: string, data: object, sessionId = "ses_1", itemId?: string): Event =>
  ({ v: 1, agentId: "main", ts: "", epoch: "", type, sessionId, runId: "run_1", data, itemId }) as Event;
const delta = (append: string, itemId = "m", field = "text") =>
  event("itemDelta", { field, offset: 0, append }, "ses_1", itemId);
const message = (text: string, status: string) => ({ itemId: "m", kind: "message", status, text });
const edit = {
  itemId: "e",
  kind: "toolCall",
  name: "edit",
  status: "completed",
  changes: [{ uri: "file:///a" }],
};

function written(...events: Event[]): Part[] {
  const reply = new Reply("ses_1", WORDS);
  reply.begin("run_1");
  return events.flatMap((one) => reply.take(one));
}

test("the text of a message is written as it comes, and what got lost on the way when it is whole", () => {
  const begun = event("itemStarted", { item: message("", "running") });
  expect(
    written(
      begun,
      delta("One "),
      delta("two"),
      event("itemCompleted", { item: message("One two three", "completed") }),
    ),
  ).toEqual([
    { kind: "text", text: "One " },
    { kind: "text", text: "two" },
    { kind: "text", text: " three\n\n" },
  ]);
});

test("thoughts, outputs of calls and other sessions are not written", () => {
  const thought = event("itemStarted", { item: { itemId: "t", kind: "thought", status: "running" } });
  const elsewhere = event("itemCompleted", { item: message("Not here", "completed") }, "ses_2");
  expect(written(thought, delta("Hm", "t"), delta("x", "m", "output"), elsewhere)).toEqual([]);
});

test("a call is told in words while it runs, and each file that was edited is named once", () => {
  const input = { path: "src/signer.py" };
  const call = { itemId: "c", kind: "toolCall", name: "read_file", status: "running", input };
  const again = { ...edit, itemId: "f", changes: [{ uri: "file:///a" }, { uri: "file:///b" }] };
  const failed = { ...edit, itemId: "g", status: "failed", changes: [{ uri: "file:///c" }] };
  const done = [edit, again, failed].map((item) => event("itemCompleted", { item }));
  expect(written(event("itemStarted", { item: call }), ...done)).toEqual([
    { kind: "progress", text: "Reading signer.py" },
    { kind: "edited", uri: "file:///a" },
    { kind: "edited", uri: "file:///b" },
  ]);
});

test("a question leads to where it is answered; nothing is written behind the end", () => {
  const reply = new Reply("ses_1", WORDS);
  reply.begin("run_1");
  expect(reply.take(event("requestOpened", { requestId: "r" }))).toEqual([{ kind: "question" }]);
  expect(reply.ended).toBeUndefined();
  reply.take(event("runEnded", { stopReason: "cancelled", filesChanged: [] }));
  expect(reply.ended?.stopReason).toBe("cancelled");
  expect(reply.take(event("itemCompleted", { item: edit }))).toEqual([]);
});

test("text and end of another run are not written; events that came early are", () => {
  const reply = new Reply("ses_1", WORDS);
  const other = { ...event("runEnded", { stopReason: "error" }), runId: "run_0" };
  expect(reply.take(other)).toEqual([]);
  expect(reply.take(event("itemStarted", { item: message("", "running") }))).toEqual([]);
  expect(reply.take(delta("One"))).toEqual([]);
  expect(reply.begin("run_1")).toEqual([{ kind: "text", text: "One" }]);
  expect(reply.ended).toBeUndefined();
  expect(reply.take({ ...event("itemCompleted", { item: edit }), runId: "run_2" })).toEqual([]);
});
