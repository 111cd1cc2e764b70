/** The session in front of the user: opened, followed, and brought back after a reload or a restart. */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { Action, CommandResult, Content, Event, McpServer, ResumeResult } from "../protocol.gen";
import type { How, McpAction, SessionView } from "../chat/messages";
import type { Server } from "../server/server";
import { SUMMARIZED } from "../store/helpers";
import { textOf } from "../store/patch";
import { type AnyItem, Transcript, wordsOf } from "../store/transcript";
import { newSession } from "./new_session";

const TAIL = 200; // items
const PAGE = 5000; // events of a helper, the last ones

/** Which session was open when the window was left, "" for none. */
export interface Remembered {
  sessionId: string;
  remember: (sessionId: string) => Thenable<void>;
}

export class Conversation implements vscode.Disposable {
  sessionId = "";
  /** The session that is brought back once the server is there. */
  expected: string;
  transcript = new Transcript();
  /** There are items before the first one of the transcript. */
  hasOlder = false;
  /** Messages to the run that wait until the model can read them, by item. */
  steers: Record<string, string> = {};
  /** Another process writes it: here it is followed. */
  private isReadOnly = false;
  private making: Promise<string> | undefined;
  private readonly events = new vscode.EventEmitter<Event[]>();
  private readonly replaced = new vscode.EventEmitter<void>();
  private readonly repaired = new vscode.EventEmitter<AnyItem>();
  private readonly steered = new vscode.EventEmitter<void>();
  /** Other messages wait until the model can read them. */
  readonly onSteers = this.steered.event;
  /** More of this session happened; the transcript has it already. */
  readonly onEvents = this.events.event;
  /** Another session, or the same one read anew. */
  readonly onReplaced = this.replaced.event;
  /** An item of which a part was missing is whole. */
  readonly onRepaired = this.repaired.event;

  constructor(
    private readonly server: Server,
    private readonly remembered: Remembered,
  ) {
    this.expected = remembered.sessionId;
  }

  /** The session that is shown, or will be. */
  get place(): string {
    return this.sessionId || this.expected;
  }

  hasHelper(sessionId: string): boolean {
    return Object.values(this.transcript.helpers).some((mine) => sessionId in mine);
  }

  /** The folder that the session works in; one that works in a worktree has an option that says so. */
  get worksIn(): vscode.Uri | undefined {
    const { options, info } = this.transcript;
    const [worktree, folder] = [textOf(options["worktree"]), textOf(info["cwd"])];
    if (worktree) return vscode.Uri.file(worktree);
    return folder ? vscode.Uri.parse(folder, true) : undefined;
  }

  /** Events from the server, of whatever session. */
  take(events: readonly Event[]): void {
    const ours: Event[] = [];
    const shown: Event[] = [];
    for (const event of events) {
      if (event.sessionId === this.sessionId) {
        this.transcript.take(event);
        this.settleSteers(event);
        ours.push(event);
      } else if (!this.transcript.takeHelper(event)) continue;
      shown.push(event);
    }
    if (shown.length === 0) return;
    this.events.fire(shown);
    for (const itemId of this.transcript.incomplete) void this.repair(itemId);
    if (this.transcript.isStale) void this.open(this.sessionId);
    if (ours.some((event) => event.type === "notice" && event.data["kind"] === "detached"))
      void this.reconnect();
  }

  /** The server is there (again): bring the session back that was open last. */
  async reconnect(): Promise<void> {
    const sessionId = this.place;
    if (!sessionId) return;
    const { epoch, seq } = this.transcript;
    const known = this.sessionId === sessionId && seq > 0;
    const takeControl = !this.sessionId; // what another window has is not shown unasked
    try {
      const params = known ? { replay: "since", after: { epoch, seq } } : { replay: "tail", tail: TAIL };
      const asked = { sessionId, takeControl, ...params };
      this.show(sessionId, await this.server.request("agent/resume", asked), known);
    } catch (problem) {
      const kind = kindOf(problem);
      if (kind === "sessionNotFound") await this.begin();
      else if (kind !== "sessionBusyElsewhere" || this.sessionId) throw problem;
      else {
        // Another window on this folder may have it: this one begins with an empty chat, and the memory is the other's.
        this.expected = "";
        this.replaced.fire();
      }
    }
  }

  /** The server is gone, and what it did with it: nothing goes on, and nobody waits for an answer. */
  lost(): void {
    Object.assign(this.transcript, { state: "idle", runId: "", requests: {}, retrying: undefined });
    this.transcript.breakOff();
    this.steers = {};
    this.replaced.fire();
  }

  async open(sessionId: string): Promise<void> {
    const result = await this.server.request("agent/resume", { sessionId, replay: "tail", tail: TAIL });
    this.show(sessionId, result, false);
    await this.remembered.remember(sessionId);
  }

  /** What can be done with the session, or with one that would be made here. */
  async actions(): Promise<readonly Action[]> {
    const { sessionId } = this;
    const { actions } = await this.server.request("agent/action/list", sessionId ? { sessionId } : {});
    return actions;
  }

  /** Nothing is in front of the user; the next prompt makes a session. */
  async begin(): Promise<void> {
    this.sessionId = this.expected = "";
    this.isReadOnly = false;
    this.steers = {};
    this.transcript = new Transcript();
    this.hasOlder = false;
    await this.remembered.remember("");
    this.replaced.fire();
  }

  /** The session, made now if there is none; once, however often it is asked for meanwhile. */
  async ensure(): Promise<string> {
    if (this.sessionId) return this.sessionId;
    this.making ??= this.make().finally(() => (this.making = undefined));
    return this.making;
  }

  private async make(): Promise<string> {
    const made = await newSession(this.server);
    this.sessionId = made.sessionId;
    this.transcript = new Transcript();
    this.transcript.epoch = made.epoch;
    this.transcript.options = made.options;
    this.hasOlder = false;
    await this.remembered.remember(made.sessionId);
    this.replaced.fire();
    return made.sessionId;
  }

  /** Send what the user typed: the server knows what it points at, and whether it is a command. Returns what that did. */
  async say(text: string, attached: readonly Content[], how: How): Promise<CommandResult | undefined> {
    const done = await this.send([{ type: "text", text }, ...attached], how, true);
    await this.follow(done?.data ?? {});
    return done;
  }

  /** A command may be for another session, or leave this one. */
  private async follow({ open, leave }: Record<string, unknown>): Promise<void> {
    if (typeof open === "string") await this.open(open);
    else if (leave === true) await this.begin();
  }

  /** A session that another process had is written here from now on; refused while that has it still. */
  private async takeOver(): Promise<void> {
    const { sessionId, transcript } = this;
    const after = { epoch: transcript.epoch, seq: transcript.seq };
    const asked = { sessionId, replay: "since", after, takeControl: true };
    this.show(sessionId, await this.server.request("agent/resume", asked), true);
  }

  /** Send a prompt; while a run goes on it is queued, or put into the run. */
  async send(input: Content[], how: How, expand = false): Promise<CommandResult | undefined> {
    const sessionId = await this.ensure();
    if (this.isReadOnly) await this.takeOver();
    const params = { sessionId, input, expand, clientKey: randomUUID() };
    if (how === "queue" || this.transcript.state === "idle") {
      const { action } = await this.server.request("agent/run", { ...params, admission: "queue" });
      return action;
    }
    const sent = await this.server.request("agent/steer", { ...params, ifEnded: "run" });
    const { outcome, itemId, action } = sent;
    if (outcome === "injected" && itemId && !this.transcript.items.has(itemId)) {
      this.steers = { ...this.steers, [itemId]: wordsOf(input) };
      this.steered.fire();
    }
    return action;
  }

  /** Go on with the last run, which came to no end of its own. */
  async goOn(): Promise<void> {
    const { sessionId } = this;
    await this.server.request("agent/run", { sessionId, continueRun: true, clientKey: randomUUID() });
  }

  /** Stop all work. Returns what waited to be sent: none of it begins now. */
  async stop(): Promise<Content[][]> {
    const { sessionId } = this;
    if (!sessionId) return [];
    const waiting = this.transcript.queue;
    const { dropped } = await this.server.request("agent/cancel", { sessionId, queued: "drop" });
    return waiting.filter(({ runId }) => dropped.includes(runId)).map(({ content }) => content);
  }

  /** Stop all work, and wait until none goes on. */
  async settle(): Promise<void> {
    if (this.transcript.state === "idle") return;
    const settled = new Promise<void>((resolve) => {
      const look = () => {
        if (this.transcript.state !== "idle") return;
        watching.dispose();
        resolve();
      };
      const watching = vscode.Disposable.from(this.onEvents(look), this.onReplaced(look));
    });
    await this.stop();
    await settled;
  }

  async setOption(optionId: string, value: unknown): Promise<void> {
    const sessionId = await this.ensure();
    await this.server.request("agent/setOption", { sessionId, optionId, value, chosenBy: "user" });
  }

  async unqueue(itemId: string): Promise<void> {
    await this.server.request("agent/queue", { sessionId: this.sessionId, op: "remove", itemId });
  }

  /** Other words for a prompt that waits; what was attached to it stays. */
  async requeue(itemId: string, text: string): Promise<void> {
    const waiting = this.transcript.queue.find((run) => run.itemId === itemId);
    const attached = (waiting?.content ?? []).filter(({ type }) => type !== "text");
    const input: Content[] = [{ type: "text", text }, ...attached];
    const typed = { op: "replace", itemId, input, expand: true } as const;
    await this.server.request("agent/queue", { sessionId: this.sessionId, ...typed });
  }

  async moveQueued(itemId: string, to: number): Promise<void> {
    await this.server.request("agent/queue", { sessionId: this.sessionId, op: "move", itemId, to });
  }

  /** End a command or a helper in the background. */
  async stopTask(taskId: string): Promise<void> {
    const stop = { name: "task.stop", input: { task_id: taskId } };
    await this.server.request("agent/action/invoke", { sessionId: this.sessionId, ...stop });
  }

  /** End what a helper does now. */
  async stopHelper(sessionId: string): Promise<void> {
    await this.server.request("agent/cancel", { sessionId });
  }

  /** Do something with an MCP server, or give it an input, and show how it stands then; one that is switched off is not shown. */
  async actOnMcp(name: McpAction, server: string, input?: string): Promise<void> {
    const { sessionId } = this;
    const act = { sessionId, name, input: input === undefined ? { server } : { name: input } };
    const { data } = await this.server.request("agent/action/invoke", act);
    const now = (data?.["servers"] ?? []) as McpServer[];
    const left = this.transcript.servers.filter((one) => name !== "mcp.disable" || one.name !== server);
    const servers = left.map((one) => now.find((other) => other.name === one.name) ?? one);
    const shown = { agentId: "main", ts: new Date().toISOString(), type: "mcpStatus", data: { servers } };
    this.take([{ v: 1, ...shown, sessionId, epoch: this.transcript.epoch }]);
  }

  /** Let the agent go on without waiting for the command of this call. */
  async toBackground(itemId: string): Promise<void> {
    const move = { name: "task.background", input: { call_id: itemId } };
    await this.server.request("agent/action/invoke", { sessionId: this.sessionId, ...move });
  }

  /** Read more items before the first known one. Returns them. */
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
    this.transcript.takeRuns(snapshot.runs);
    this.transcript.prepend(items);
    this.hasOlder = snapshot.olderCursor !== undefined;
    void this.readHelpers();
    return items;
  }

  view(): SessionView {
    const { sessionId, hasOlder, steers, transcript } = this;
    return { sessionId, older: hasOlder, steers, transcript: transcript.view };
  }

  dispose(): void {
    this.events.dispose();
    this.replaced.dispose();
    this.repaired.dispose();
    this.steered.dispose();
  }

  private show(sessionId: string, result: ResumeResult, known: boolean): void {
    this.sessionId = sessionId;
    this.isReadOnly = result.readOnly === true;
    if (result.replayed === "events" && known) {
      for (const event of (result.events ?? []) as unknown as Event[]) this.transcript.take(event);
      for (const item of result.openItems) this.transcript.put(item as unknown as AnyItem);
      this.transcript.breakOff(result.openItems);
      this.transcript.state = result.state;
      this.transcript.requests = Object.fromEntries(
        result.openRequests.map((question) => [question.requestId, question]),
      );
    } else if (result.snapshot) {
      this.transcript = Transcript.from(result.snapshot, result.epoch, result.openItems);
      this.hasOlder = result.snapshot.olderCursor !== undefined;
    }
    this.replaced.fire();
    void this.readHelpers();
  }

  /** A message that the model reads now stands in the conversation; at the run's end none waits. */
  private settleSteers(event: Event): void {
    if (event.type === "runEnded") this.steers = {};
    else if (event.itemId !== undefined && event.itemId in this.steers) {
      const waiting = Object.entries(this.steers).filter(([itemId]) => itemId !== event.itemId);
      this.steers = Object.fromEntries(waiting);
    } else return;
    this.steered.fire();
  }

  /** Read what helpers did before somebody listened. One whose session is gone stays unread. */
  private async readHelpers(): Promise<void> {
    const { transcript } = this;
    for (const sessionId of transcript.unread()) {
      const params = { sessionId, types: SUMMARIZED, limit: PAGE };
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
