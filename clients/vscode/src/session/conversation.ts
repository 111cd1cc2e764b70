/** The session in front of the user: opened, followed, and brought back after a reload or a restart. */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { Action, Content, Event, ResumeResult } from "../protocol.gen";
import type { How, SessionView } from "../chat/messages";
import type { Server } from "../server/server";
import { TELLING } from "../store/helpers";
import { type AnyItem, Transcript } from "../store/transcript";

const LAST = "agls.session"; // of this workspace
const TAIL = 200; // items
const PAGE = 5000; // events of a helper, the last ones

export class Conversation implements vscode.Disposable {
  sessionId = "";
  transcript = new Transcript();
  /** There are items before the first one of the transcript. */
  hasOlder = false;
  /** What can be done in the session, as the server said last. */
  actions: readonly Action[] = [];
  private making: Promise<string> | undefined;
  private readonly events = new vscode.EventEmitter<Event[]>();
  private readonly replaced = new vscode.EventEmitter<void>();
  private readonly repaired = new vscode.EventEmitter<AnyItem>();
  /** More of this session happened; the transcript has it already. */
  readonly onEvents = this.events.event;
  /** Another session, or the same one read anew. */
  readonly onReplaced = this.replaced.event;
  /** An item of which a part was missing is whole. */
  readonly onRepaired = this.repaired.event;

  constructor(
    private readonly server: Server,
    private readonly memory: vscode.Memento,
  ) {}

  /** Events from the server, of whatever session. */
  take(events: readonly Event[]): void {
    const ours: Event[] = [];
    const told: Event[] = [];
    for (const event of events) {
      if (event.sessionId === this.sessionId) {
        this.transcript.take(event);
        if (event.type === "commands") this.actions = event.data["commands"] as Action[];
        ours.push(event);
      } else if (!this.transcript.takeHelper(event)) continue;
      told.push(event);
    }
    if (told.length === 0) return;
    this.events.fire(told);
    for (const itemId of this.transcript.incomplete) void this.repair(itemId);
    if (ours.some((event) => event.type === "notice" && event.data["kind"] === "detached"))
      void this.reconnect();
  }

  /** The server is there (again): bring the session back that was open last. */
  async reconnect(): Promise<void> {
    const sessionId = this.sessionId || this.memory.get<string>(LAST, "");
    if (!sessionId) return;
    const { epoch, seq } = this.transcript;
    const known = this.sessionId === sessionId && seq > 0;
    try {
      const params = known ? { replay: "since", after: { epoch, seq } } : { replay: "tail", tail: TAIL };
      this.show(sessionId, await this.server.request("agent/resume", { sessionId, ...params }), known);
    } catch (problem) {
      if (kindOf(problem) === "sessionNotFound") await this.begin();
      else throw problem;
    }
  }

  async open(sessionId: string): Promise<void> {
    const result = await this.server.request("agent/resume", { sessionId, replay: "tail", tail: TAIL });
    this.show(sessionId, result, false);
    await this.memory.update(LAST, sessionId);
  }

  /** Nothing is in front of the user; the next prompt makes a session. */
  async begin(): Promise<void> {
    this.sessionId = "";
    this.transcript = new Transcript();
    this.hasOlder = false;
    await this.memory.update(LAST, undefined);
    this.replaced.fire();
  }

  /** The session, made now if there is none; once, however often it is asked for meanwhile. */
  async ensure(): Promise<string> {
    if (this.sessionId) return this.sessionId;
    this.making ??= this.make().finally(() => (this.making = undefined));
    return this.making;
  }

  private async make(): Promise<string> {
    const folder = vscode.workspace.workspaceFolders?.[0];
    if (!folder) throw new Error("Open a folder first: the agent works on its files.");
    const roots = (vscode.workspace.workspaceFolders ?? []).slice(1).map((other) => other.uri.toString());
    const made = await this.server.request("agent/session/new", {
      cwd: folder.uri.toString(),
      additionalRoots: roots,
      options: optionsOfSettings(),
      clientKey: randomUUID(),
    });
    this.sessionId = made.sessionId;
    this.transcript = new Transcript();
    this.transcript.epoch = made.epoch;
    this.transcript.options = made.options;
    this.actions = made.commands as unknown as Action[];
    this.hasOlder = false;
    await this.memory.update(LAST, made.sessionId);
    this.replaced.fire();
    return made.sessionId;
  }

  /** Send a prompt; while a run goes on it is queued, or put into the run. */
  async send(input: Content[], how: How): Promise<void> {
    const sessionId = await this.ensure();
    const clientKey = randomUUID();
    if (how === "steer" && this.transcript.state !== "idle") {
      await this.server.request("agent/steer", { sessionId, input, ifEnded: "run", clientKey });
    } else {
      await this.server.request("agent/run", { sessionId, input, admission: "queue", clientKey });
    }
  }

  async stop(): Promise<void> {
    if (this.sessionId) await this.server.request("agent/cancel", { sessionId: this.sessionId });
  }

  async setOption(optionId: string, value: unknown): Promise<void> {
    const sessionId = await this.ensure();
    await this.server.request("agent/setOption", { sessionId, optionId, value, chosenBy: "user" });
  }

  async unqueue(itemId: string): Promise<void> {
    await this.server.request("agent/queue", { sessionId: this.sessionId, op: "remove", itemId });
  }

  /** Read more of what was said before the first known item. Gives the items. */
  async readOlder(): Promise<AnyItem[]> {
    if (!this.hasOlder) return [];
    const { sessionId } = this;
    const [before = ""] = this.transcript.items.keys();
    // In front of an item and no page of events: only the server's fold knows what later rewinds took out.
    const params = { sessionId, replay: "tail", tail: TAIL, before };
    const { snapshot } = await this.server.request("agent/resume", params);
    if (sessionId !== this.sessionId || !snapshot) return [];
    const known = this.transcript.items;
    const items = (snapshot.items as unknown as AnyItem[]).filter((item) => !known.has(item.itemId));
    this.transcript.prepend(items);
    this.hasOlder = snapshot.olderCursor !== undefined;
    void this.learn();
    return items;
  }

  view(): SessionView {
    const { transcript: known, sessionId, hasOlder } = this;
    const { epoch, seq, state, runs, info, options, queue, runId, usage, helpers } = known;
    const items = [...known.items.values()];
    const requests = Object.values(known.requests);
    return {
      sessionId,
      epoch,
      seq,
      state,
      items,
      requests,
      runs,
      info,
      options,
      queue,
      runId,
      usage,
      helpers,
      older: hasOlder,
    };
  }

  dispose(): void {
    this.events.dispose();
    this.replaced.dispose();
    this.repaired.dispose();
  }

  private show(sessionId: string, result: ResumeResult, known: boolean): void {
    this.sessionId = sessionId;
    if (result.replayed === "events" && known) {
      for (const event of (result.events ?? []) as unknown as Event[]) this.transcript.take(event);
      for (const item of result.openItems) this.transcript.put(item as unknown as AnyItem);
      this.transcript.state = result.state;
    } else if (result.snapshot) {
      this.transcript = Transcript.from(result.snapshot, result.epoch, result.openItems);
      this.hasOlder = result.snapshot.olderCursor !== undefined;
    }
    this.replaced.fire();
    void this.learn();
  }

  /** Read what helpers did before somebody listened. One whose session is gone stays unheard. */
  private async learn(): Promise<void> {
    const { transcript } = this;
    for (const sessionId of transcript.unheard()) {
      const params = { sessionId, types: TELLING, limit: PAGE };
      const page = await this.server.request("agent/events", params).catch(() => undefined);
      if (transcript !== this.transcript) return;
      const events = (page?.events ?? []) as unknown as Event[];
      this.events.fire(events.filter((event) => transcript.takeHelper(event)));
    }
  }

  private async repair(itemId: string): Promise<void> {
    this.transcript.incomplete.delete(itemId);
    const { item } = await this.server.request("agent/item", { sessionId: this.sessionId, itemId });
    if (!item) return;
    this.transcript.put(item as unknown as AnyItem);
    this.repaired.fire(item as unknown as AnyItem);
  }
}

/** `data.kind` of an error of the server. */
export function kindOf(problem: unknown): string {
  const data = (problem as { data?: { kind?: unknown } } | undefined)?.data;
  return typeof data?.kind === "string" ? data.kind : "";
}

/** Modes in which something with an effect runs unasked. */
const WIDENING = ["acceptEdits", "allowAll"];

function optionsOfSettings(): Record<string, unknown> {
  const settings = vscode.workspace.getConfiguration("agls");
  const named = ["mode", "model", "effort"].map((name) => [name, settings.get<string>(name, "")] as const);
  const refused = vscode.workspace.isTrusted ? [] : WIDENING; // there, a mode is picked for each session
  return Object.fromEntries(named.filter(([, value]) => value && !refused.includes(value)));
}
