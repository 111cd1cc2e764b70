/** What is known of one session after some of its events: pure, and the same as the server's reference fold. */

import type {
  Content,
  ContextUsageData,
  Event,
  HistoryRewoundData,
  Item,
  ItemDeltaData,
  McpServer,
  NoticeData,
  Question,
  QueueChangedData,
  RunEndedData,
  Snapshot,
  TurnRetryingData,
} from "../protocol.gen";
import { LIVE } from "./ends";
import { after, type Helpers } from "./helpers";
import { type Json, isObject, merged, textOf } from "./patch";

/** An item of any kind: unknown kinds and members are kept. */
export type AnyItem = Json & { itemId: string; kind: string; status: string };

/** What goes from one transcript to another, beside its items. */
const PLAIN = [
  ...(["seq", "epoch", "state", "requests", "runs", "lastItems", "info"] as const),
  ...([
    "options",
    "queue",
    "runId",
    "usage",
    "helpers",
    "begun",
    "took",
    "restored",
    "servers",
    "retrying",
  ] as const),
];
export type TranscriptView = { items: AnyItem[] } & Partial<Pick<Transcript, (typeof PLAIN)[number]>>;

const encoder = new TextEncoder();

export class Transcript {
  seq = 0;
  epoch = "";
  state = "idle";
  /** In the order in which they started; a changed item is another object. */
  items = new Map<string, AnyItem>();
  requests: Record<string, Question> = {};
  runs: Record<string, RunEndedData> = {};
  /** The last item of each run that is known. */
  lastItems: Record<string, string> = {};
  info: Json = {};
  options: Json = {};
  queue: QueueChangedData["queue"] = [];
  /** The run that goes on, "" when there is none. */
  runId = "";
  usage: ContextUsageData | undefined;
  /** A request to the model that failed is sent again at `until`, in milliseconds since 1970. */
  retrying: (TurnRetryingData & { until: number }) | undefined;
  notices: NoticeData[] = [];
  helpers: Helpers = {};
  /** When the run began that goes on, in milliseconds since 1970, where that was seen. */
  begun: number | undefined;
  /** How long calls took, in milliseconds, where both ends were seen. */
  took: Readonly<Record<string, number>> = {};
  /** The last time that something went back, as long as nothing was done since and it was not undone. */
  restored: HistoryRewoundData | undefined;
  /** The MCP servers of the session, as they were shown last. */
  servers: readonly McpServer[] = [];
  private readonly starts = new Map<string, number>();
  /** When the open questions were asked. */
  private readonly asked = new Map<string, number>();
  /** Items of which a part is missing: their whole text is to be asked for. */
  readonly incomplete = new Set<string>();
  /** What a rewind took out stands here again, and was never read: the session is to be read anew. */
  isStale = false;
  private readonly rewinds = new Map<string, Map<string, AnyItem>>();
  private readonly lengths = new Map<string, number>();

  /** Begin again from a snapshot of the server. */
  static from(snapshot: Snapshot, epoch: string, openItems: readonly Item[]): Transcript {
    const transcript = new Transcript();
    transcript.seq = snapshot.seq;
    transcript.epoch = epoch;
    transcript.state = snapshot.state;
    transcript.options = snapshot.options;
    transcript.info = snapshot.info as Json;
    transcript.queue = snapshot.queue;
    transcript.usage = snapshot.usage;
    transcript.restored = snapshot.rewound;
    transcript.takeRuns(snapshot.runs);
    for (const item of [...snapshot.items, ...openItems]) transcript.put(item as unknown as AnyItem);
    for (const question of snapshot.openRequests) transcript.requests[question.requestId] = question;
    return transcript;
  }

  /** Make one of the plain data of another. */
  static of({ items, ...known }: TranscriptView): Transcript {
    const transcript = Object.assign(new Transcript(), known);
    for (const item of items) transcript.put(item);
    return transcript;
  }

  /** What is known, as plain data. */
  get view(): TranscriptView {
    const known = Object.fromEntries(PLAIN.map((name) => [name, this[name]]));
    return { items: [...this.items.values()], ...known };
  }

  /** The runs of a snapshot, of an older part of the session perhaps. */
  takeRuns(runs: Snapshot["runs"]): void {
    const ended: Record<string, RunEndedData> = {};
    for (const { runId, itemIds, ended: end } of runs) {
      const last = itemIds.at(-1);
      if (last) this.lastItems = { [runId]: last, ...this.lastItems };
      if (end) ended[runId] = end;
      else this.runId = runId;
    }
    this.runs = { ...ended, ...this.runs };
  }

  /** Take in one more event; an unknown type only moves `seq`. */
  take(event: Event): void {
    if (event.seq !== undefined) this.seq = event.seq;
    if (event.epoch) this.epoch = event.epoch;
    const data = event.data;
    switch (event.type) {
      case "itemStarted":
      case "itemCompleted":
        this.time(event);
        this.whole(event, data["item"] as AnyItem);
        break;
      case "itemUpdated":
        this.patched(event.itemId ?? "", data["patch"]);
        break;
      case "itemDelta":
        this.appended(event.itemId ?? "", data as unknown as ItemDeltaData);
        break;
      case "requestOpened":
        this.asked.set(String(data["requestId"]), Date.parse(event.ts));
        this.requests = { ...this.requests, [String(data["requestId"])]: data as unknown as Question };
        break;
      case "requestResolved": {
        this.answered(String(data["requestId"]), Date.parse(event.ts));
        const open = Object.entries(this.requests).filter(([id]) => id !== data["requestId"]);
        this.requests = Object.fromEntries(open);
        break;
      }
      case "runStarted":
        this.runId = event.runId ?? "";
        this.restored = undefined;
        this.begun = Date.parse(event.ts);
        this.lastItems[this.runId] ??= [...this.items.keys()].at(-1) ?? ""; // it may end before it has one
        break;
      case "runEnded":
        this.runs = { ...this.runs, [event.runId ?? ""]: data as unknown as RunEndedData };
        this.runId = "";
        this.begun = undefined;
        this.retrying = undefined;
        break;
      case "turnStarted":
      case "turnEnded":
        this.retrying = undefined;
        break;
      case "turnRetrying":
        this.retryAt(event, data as unknown as TurnRetryingData);
        break;
      case "historyRewound":
        this.restored = data["undoes"] ? undefined : (data as unknown as HistoryRewoundData);
        if (data["conversation"]) this.rewound(data as unknown as HistoryRewoundData);
        break;
      default:
        this.replaced(event);
    }
  }

  /** How runs ended that came to no end of their own, by their last item. */
  get endings(): Map<string, RunEndedData> {
    const bad = Object.entries(this.runs).filter(([, ended]) => ended.stopReason !== "endTurn");
    return new Map(bad.flatMap(([runId, ended]) => [[this.lastItems[runId] ?? "", ended]]));
  }

  /** Take in what happens in another session that works for a call; it may arrive before the call itself. */
  takeHelper(event: Event): boolean {
    const { sessionId, parentItemId } = event;
    if (parentItemId === undefined) return false;
    const mine = this.helpers[parentItemId] ?? {};
    const known = mine[sessionId] ?? { name: event.agentId, task: "", state: "running", calls: [] };
    const now = after(known, event);
    if (now === mine[sessionId]) return false;
    this.helpers = { ...this.helpers, [parentItemId]: { ...mine, [sessionId]: now } };
    return true;
  }

  /** The sessions of helpers of which no event came. */
  unread(): string[] {
    const read = new Set(Object.values(this.helpers).flatMap((mine) => Object.keys(mine)));
    const known = [...this.items.values()].map((item) => textOf(item["childSessionId"]));
    return [...new Set(known)].filter((child) => child !== "" && !read.has(child));
  }

  /** Older items, read from the pages of the history, that stand before what is known. */
  prepend(older: Iterable<AnyItem>): void {
    const all = new Map<string, AnyItem>();
    for (const item of older) all.set(item.itemId, item);
    for (const [id, item] of this.items) all.set(id, item);
    this.items = all;
  }

  /** The whole item, as the server gave it on request. */
  put(item: AnyItem): void {
    this.items.set(item.itemId, item);
    this.incomplete.delete(item.itemId);
    this.forget(item.itemId);
  }

  /** What goes on here and not on the server (`open`) has broken off: no more events of it come. */
  breakOff(open: readonly Item[] = []): void {
    const going = new Set(open.map(({ itemId }) => itemId));
    for (const item of this.items.values()) {
      if (!LIVE.has(item.status) || going.has(item.itemId)) continue;
      const isCall = item.kind === "toolCall" || item.kind === "task";
      this.put({ ...item, ...(isCall ? { status: "cancelled" } : { status: "failed", discarded: true }) });
    }
  }

  /** The item before this one, "" at the beginning; `undefined` when the item is not known. */
  before(itemId: string): string | undefined {
    const ids = [...this.items.keys()];
    const at = ids.indexOf(itemId);
    return at < 0 ? undefined : (ids[at - 1] ?? "");
  }

  private replaced(event: Event): void {
    const data = event.data;
    if (event.type === "sessionState") this.state = String(data["state"]);
    else if (event.type === "sessionInfo") this.info = data;
    else if (event.type === "options") this.options = isObject(data["options"]) ? data["options"] : {};
    else if (event.type === "queueChanged") this.queue = (data as unknown as QueueChangedData).queue;
    else if (event.type === "contextUsage") this.usage = data as unknown as ContextUsageData;
    else if (event.type === "mcpStatus") this.servers = data["servers"] as McpServer[];
    else if (event.type === "notice") this.notices = [...this.notices, data as unknown as NoticeData];
  }

  /** Keep how long an item took: from its beginning to its end, as the server dates them. */
  private time({ type, itemId = "", ts }: Event): void {
    const now = Date.parse(ts);
    const start = this.starts.get(itemId);
    if (type === "itemStarted") this.starts.set(itemId, now);
    else if (start !== undefined) this.took = { ...this.took, [itemId]: now - start };
    if (type === "itemCompleted") this.starts.delete(itemId);
  }

  /** A call waits for the user's answer: that is no time that it takes. */
  private answered(requestId: string, now: number): void {
    const [itemId = "", opened] = [this.requests[requestId]?.itemId, this.asked.get(requestId)];
    const start = this.starts.get(itemId);
    if (start !== undefined && opened !== undefined) this.starts.set(itemId, start + now - opened);
    this.asked.delete(requestId);
  }

  private retryAt({ ts }: Event, data: TurnRetryingData): void {
    this.retrying = { ...data, until: Date.parse(ts) + data.delayMs };
  }

  private whole(event: Event, item: AnyItem): void {
    if (event.runId) this.lastItems[event.runId] = item.itemId;
    const streamed = this.items.get(item.itemId)?.["text"];
    const kept = streamed && event._meta ? { text: streamed } : {}; // the event's is shortened
    this.put({ ...item, ...kept });
  }

  private patched(itemId: string, patch: unknown): void {
    const item = this.items.get(itemId);
    if (item && isObject(patch)) this.put(merged(item, patch) as AnyItem);
  }

  private appended(itemId: string, delta: ItemDeltaData): void {
    const item = this.items.get(itemId);
    if (!item) return;
    const added = encoder.encode(delta.append);
    const key = `${itemId}\n${delta.field}`;
    const known = this.lengths.get(key) ?? lengthOf(item, delta.field);
    const repeated = known - delta.offset;
    if (repeated < 0) this.incomplete.add(itemId);
    if (repeated >= added.length && added.length > 0) return;
    const text = new TextDecoder().decode(repeated > 0 ? added.subarray(repeated) : added);
    this.lengths.set(key, delta.offset + added.length);
    const before = textOf(item[delta.field]);
    const coloured = repeated > 0 ? undefined : delta.coloured;
    const colours =
      coloured || item["coloured"] ? { coloured: textOf(item["coloured"], before) + (coloured ?? text) } : {};
    this.items.set(itemId, { ...item, [delta.field]: before + text, ...colours });
  }

  private forget(itemId: string): void {
    for (const field of ["text", "output"]) this.lengths.delete(`${itemId}\n${field}`);
  }

  private rewound(data: HistoryRewoundData): void {
    const before = this.items;
    if (data.undoes) {
      this.isStale ||= !this.rewinds.has(data.undoes);
      const stood = this.rewinds.get(data.undoes) ?? before; // a task may have ended since
      this.items = new Map([...stood].map(([id, item]) => [id, before.get(id) ?? item]));
    } else {
      const shown = [...before];
      const last = shown.findIndex(([id]) => id === data.lastItemId);
      this.items = new Map(shown.slice(0, last + 1));
    }
    this.rewinds.set(data.checkpointId, before);
  }
}

/** Bytes that streamed into a field so far, those the server left out among them. */
function lengthOf(item: AnyItem, field: string): number {
  const text = item[field];
  const left = field === "output" && typeof item["truncated"] === "number" ? item["truncated"] : 0;
  return (typeof text === "string" ? encoder.encode(text).length : 0) + left;
}

/** The words of a message, without what was attached to it. */
export function wordsOf(content: readonly Content[]): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
