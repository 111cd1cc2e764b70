/** What the golden transcripts do not have: lost and shortened deltas, pages of history, snapshots, unknown things. */

import { expect, test } from "vitest";
import type { Event, Snapshot } from "../../src/protocol.gen";
import { shownOutput } from "../../src/store/colours";
import { merged } from "../../src/store/patch";
import { type AnyItem, Transcript } from "../../src/store/transcript";

let seq = 0;
function event(type: string, data: Record<string, unknown>, more: Partial<Event> = {}): Event {
  const envelope = { v: 1, sessionId: "s", epoch: "e", ts: "", agentId: "main", seq: ++seq };
  return { ...envelope, type, data, ...more };
}

function item(itemId: string, more: Record<string, unknown> = {}): AnyItem {
  return { itemId, kind: "message", status: "running", ...more };
}

function delta(offset: number, append: string, field = "text"): Event {
  return event("itemDelta", { field, offset, append }, { itemId: "a" });
}

function open(...events: Event[]): Transcript {
  const transcript = new Transcript();
  transcript.take(event("itemStarted", { item: item("a") }, { itemId: "a" }));
  for (const one of events) transcript.take(one);
  return transcript;
}

test("a rewind can be undone after a reload; what it took out is read anew then", () => {
  const rewound = { conversation: true, lastItemId: "", checkpointId: "r1", changes: [] };
  const empty = { items: [], runs: [], state: "idle", info: {}, options: {}, openRequests: [], queue: [] };
  const snapshot = { ...empty, seq: 3, rewound } as unknown as Snapshot;
  const known = Transcript.from(snapshot, "e", []);
  expect(known.restored).toEqual(rewound);
  expect(known.isStale).toBe(false);
  known.take(event("historyRewound", { ...rewound, checkpointId: "r2", undoes: "r1" }));
  expect([known.restored, known.isStale]).toEqual([undefined, true]);
  const later = Transcript.from(snapshot, "e", []);
  later.take(event("runStarted", {}, { runId: "r" }));
  expect(later.restored).toBeUndefined();
});

test("a delta that overlaps what is known adds only what is new, counted in bytes", () => {
  const known = open(delta(0, "wörld"), delta(3, "rld and more"));
  expect(known.items.get("a")?.["text"]).toBe("wörld and more");
  expect(known.incomplete.size).toBe(0);
});

test("what a command prints has its colours while it runs, until a piece of them is missing", () => {
  const printed = (offset: number, append: string, coloured?: string) =>
    event("itemDelta", { field: "output", offset, append, ...(coloured && { coloured }) }, { itemId: "a" });
  const known = open(
    printed(0, "a "),
    printed(2, "red", "\x1b[31mred\x1b[0m"),
    printed(5, " b"),
    printed(5, " b", "\x1b[32m b\x1b[0m"), // sent again
  );
  const { output, coloured } = known.items.get("a") as AnyItem & { output: string; coloured: string };
  expect(shownOutput(output, coloured)).toBe("a \x1b[31mred\x1b[0m b");
  const later = open(printed(0, "a "), printed(1, " red", "\x1b[31m red\x1b[0m"));
  expect(later.items.get("a")).toMatchObject({ output: "a red" });
  expect(later.items.get("a")).not.toHaveProperty("coloured");
});

test("a lost delta is noticed, and the whole item settles it", () => {
  const known = open(delta(0, "one "), delta(8, "three"));
  expect([...known.incomplete]).toEqual(["a"]);
  known.put(item("a", { text: "one two three" }));
  expect(known.incomplete.size).toBe(0);
  known.take(delta(13, "!"));
  expect(known.items.get("a")?.["text"]).toBe("one two three!");
});

test("after a gap, deltas go on behind the bytes that were left out", () => {
  const known = open(
    event("itemUpdated", { patch: { output: "head…tail", truncated: 100 } }, { itemId: "a" }),
  );
  const at = new TextEncoder().encode("head…tail").length + 100;
  known.take(delta(at, " more", "output"));
  expect(known.items.get("a")?.["output"]).toBe("head…tail more");
  expect(known.incomplete.size).toBe(0);
});

test("a message that was shortened keeps what streamed into it", () => {
  const known = open(delta(0, "all of it"));
  const short = item("a", { status: "completed", text: "all…" });
  known.take(event("itemCompleted", { item: short }, { itemId: "a", _meta: { shortened: 9 } }));
  expect(known.items.get("a")).toMatchObject({ status: "completed", text: "all of it" });
});

test("an unknown event moves seq and nothing else; an unknown kind of item is kept", () => {
  const known = open();
  const before = [...known.items];
  const strange = event("somethingNew", { item: item("b") });
  known.take(strange);
  expect([known.seq, [...known.items]]).toEqual([strange.seq, before]);
  known.take(
    event(
      "itemStarted",
      { item: { itemId: "z", kind: "hologram", status: "running", x: 1 } },
      { itemId: "z" },
    ),
  );
  expect(known.items.get("z")).toMatchObject({ kind: "hologram", x: 1 });
});

test("what goes on here and not on the server has broken off", () => {
  const known = open();
  for (const itemId of ["said", "heard"])
    known.take(
      event(
        "itemStarted",
        { item: { itemId, kind: "message", status: "running", text: "Half" } },
        { itemId },
      ),
    );
  known.take(
    event(
      "itemStarted",
      { item: { itemId: "call", kind: "toolCall", status: "running" } },
      { itemId: "call" },
    ),
  );
  known.breakOff([known.items.get("heard") as never]);
  expect(known.items.get("said")).toMatchObject({ status: "failed", discarded: true, text: "Half" });
  expect(known.items.get("heard")).toMatchObject({ status: "running" });
  expect(known.items.get("call")).toMatchObject({ status: "cancelled" });
});

test("older pages stand before what is known, in their order, and change none of it", () => {
  const known = open();
  known.prepend([item("x"), item("y"), item("a", { text: "old" })]);
  expect([...known.items.keys()]).toEqual(["x", "y", "a"]);
  expect(known.items.get("a")?.["text"]).toBeUndefined();
  expect([known.before("x"), known.before("a"), known.before("no such")]).toEqual(["", "y", undefined]);
});

test("a snapshot with open items and questions is where one goes on", () => {
  const question = { requestId: "q", kind: "permission" as const, title: "Run ls" };
  const done = { itemId: "u", kind: "userMessage" as const, status: "completed", content: [] };
  const snapshot = {
    seq: 7,
    items: [done],
    runs: [
      { runId: "r1", itemIds: ["u"], ended: { stopReason: "endTurn", filesChanged: [] } },
      { runId: "r2", itemIds: ["a"] },
    ],
    state: "requiresAction",
    info: { title: "A title" },
    options: { mode: "plan" },
    openRequests: [question],
    queue: [],
    usage: { used: 3, sure: "told", size: 10 },
  };
  const running = { itemId: "a", kind: "message" as const, status: "running", text: "so far" };
  const known = Transcript.from(snapshot, "e", [running]);
  expect([known.seq, known.epoch, known.state, known.options]).toEqual([
    7,
    "e",
    "requiresAction",
    { mode: "plan" },
  ]);
  expect([...known.items.keys()]).toEqual(["u", "a"]);
  expect([known.runId, Object.keys(known.runs), known.info, known.usage?.size]).toEqual([
    "r2",
    ["r1"],
    { title: "A title" },
    10,
  ]);
  known.take(delta(6, " and on"));
  known.take(event("requestResolved", { requestId: "q", outcome: "selected" }));
  expect(known.items.get("a")?.["text"]).toBe("so far and on");
  expect(known.requests).toEqual({});
});

test("a merge patch removes with null, merges objects and replaces the rest (RFC 7396)", () => {
  expect(
    merged({ a: "b", c: { d: 1, e: [1] } }, { a: null, c: { d: null, e: [2], f: { g: null, h: 1 } } }),
  ).toEqual({
    c: { e: [2], f: { h: 1 } },
  });
});

const call = (itemId: string, status: string) => {
  const input = { command: itemId, text: "x".repeat(5000), edits: [1] };
  return { itemId, kind: "toolCall", status, name: "shell", title: `shell ${itemId}`, input };
};
/** Events of a helper's session, whether they arrive live or are read afterwards. */
function ofHelper(...rows: [type: string, data: Record<string, unknown>][]): Event[] {
  return rows.map(([type, data]) =>
    event(type, data, { sessionId: "child", agentId: "worker", parentItemId: "a" }),
  );
}

test("what a helper did is kept with its call: its task, its calls in their order, and its end", () => {
  const known = open();
  const events = ofHelper(
    ["sessionInfo", { title: "task-1", parentSessionId: "s" }],
    ["runStarted", {}],
    ["itemStarted", { item: item("said") }],
    ["itemStarted", { item: call("9", "pending") }],
    ["itemStarted", { item: call("1", "pending") }],
    ["itemCompleted", { item: { ...call("9", "failed"), terminal: { command: "edited" } } }],
    ["runEnded", { stopReason: "endTurn" }],
    ["sessionState", { state: "idle" }],
  );
  expect(events.map((one) => known.takeHelper(one))).toEqual([
    true,
    true,
    false,
    true,
    true,
    true,
    true,
    false,
  ]);
  const helper = {
    name: "worker",
    task: "task-1",
    state: "endTurn",
    calls: [
      { ...call("9", "failed"), input: { command: "9" }, terminal: { command: "edited" } },
      { ...call("1", "pending"), input: { command: "1" } },
    ],
  };
  expect(known.helpers).toEqual({ a: { child: helper } });
  const early = new Transcript(); // the order holds per session only: the event of its call comes later
  for (const one of events) early.takeHelper(one);
  expect(early.helpers).toEqual(known.helpers);
});

test("a helper at work is one item, which its end replaces, and is asked about when nothing was read of it", () => {
  const helper = (status: string) =>
    item("a.child", { kind: "subagent", title: "w", status, childSessionId: "child" });
  const known = open(event("itemStarted", { item: helper("running") }, { itemId: "a.child" }));
  expect(known.unread()).toEqual(["child"]);
  known.take(event("itemCompleted", { item: helper("completed") }, { itemId: "a.child" }));
  const drawn = [...known.items.values()].filter(({ kind }) => kind === "subagent");
  expect(drawn.map(({ status }) => status)).toEqual(["completed"]);
});

test("helpers that worked before anybody listened are to be asked about, each once", () => {
  const known = open();
  const ended = (itemId: string, childSessionId: string) =>
    item(itemId, { kind: "subagent", status: "completed", childSessionId });
  known.prepend([ended("a.child", "child"), ended("b.child", "child"), ended("a.other", "other")]);
  expect(known.unread()).toEqual(["child", "other"]);
  for (const one of ofHelper(["runStarted", {}])) known.takeHelper(one);
  expect(known.unread()).toEqual(["other"]);
});

test("a call takes the time in which it works, not that of an answer; a retry counts to its moment", () => {
  const known = open();
  const at = (seconds: number, type: string, data: Record<string, unknown>) =>
    known.take(event(type, data, { itemId: "c", ts: new Date(seconds * 1000).toISOString() }));
  at(0, "itemStarted", { item: call("c", "pending") });
  at(1, "requestOpened", { requestId: "q", itemId: "c", kind: "permission", title: "Run it" });
  at(61, "requestResolved", { requestId: "q" });
  at(63, "itemCompleted", { item: call("c", "completed") });
  expect(known.took).toEqual({ c: 3000 });
  at(70, "turnRetrying", { attempt: 1, delayMs: 20_000, cause: "busy", discardPartial: false });
  expect(known.retrying?.until).toBe(90_000);
});

test("a task that a rewind took out ends all the same, and comes back as it ended", () => {
  const task = (status: string) => item("t", { kind: "task", title: "make", background: true, status });
  const known = open(event("itemStarted", { item: task("running") }, { itemId: "t" }));
  known.take(event("historyRewound", { conversation: true, lastItemId: "a", checkpointId: "r1" }));
  expect([...known.items.keys()]).toEqual(["a"]);
  known.take(event("itemDelta", { field: "output", offset: 0, append: "x" }, { itemId: "t" }));
  known.take(event("itemCompleted", { item: task("completed") }, { itemId: "t" }));
  known.take(
    event("historyRewound", { conversation: true, lastItemId: "t", checkpointId: "r2", undoes: "r1" }),
  );
  expect([...known.items.values()].map((one) => [one.itemId, one.status])).toEqual([
    ["a", "running"],
    ["t", "completed"],
  ]);
});

test("what went back last is known until it is undone, or something else is done", () => {
  const known = new Transcript();
  const rewound = { conversation: true, lastItemId: "", checkpointId: "r1", changes: [] };
  known.take(event("historyRewound", rewound));
  expect(Transcript.of(known.view).restored?.checkpointId).toBe("r1");
  known.take(event("historyRewound", { ...rewound, checkpointId: "r2", undoes: "r1" }));
  expect(known.restored).toBeUndefined();
  known.take(event("historyRewound", { ...rewound, conversation: false, checkpointId: "r3" }));
  expect(known.restored?.checkpointId).toBe("r3");
  known.take(event("runStarted", {}));
  expect(known.restored).toBeUndefined();
});
