/** All that the chat knows; the components read it, and are drawn again at most once per frame. */

import type { Chip, FromChat, Model as ModelRow, SessionView, ToChat } from "../chat/messages";
import type {
  CallWords,
  CompletionItem,
  Event,
  ProviderListResult,
  ProviderModelsResult,
} from "../protocol.gen";
import type { Outcome } from "../session/actions";
import type { Elsewhere } from "../session/questions";
import type { ServerState } from "../server/server";
import { sentenceOf } from "../store/ends";
import { textOf } from "../store/patch";
import { Transcript } from "../store/transcript";
import type { Reading } from "./words";

const LISTENED = 600; // characters of an answer that a screen reader is given at once

interface Host {
  postMessage(message: FromChat): void;
  /** What the editor gives to the extension when it opens the tab again. */
  setState(kept: unknown): void;
}
declare function acquireVsCodeApi(): Host;
export const host: Host = acquireVsCodeApi();

function wordsOfCalls(calls: readonly CallWords[]): ReadonlyMap<string, CallWords> {
  return new Map(calls.map((row) => [row.name, row]));
}

/** Where models can be had, as far as it was asked. */
interface Providers {
  offered: ProviderListResult | undefined;
  /** The models of the chosen one. */
  listed: ProviderModelsResult | undefined;
  /** It is being asked. */
  listing: boolean;
}

export class Model {
  transcript = new Transcript();
  sessionId = "";
  older = false;
  server: { state: ServerState; problem: string } = { state: "starting", problem: "" };
  /** What the set-up of the server does now, "" when there is none. */
  progress = "";
  models: ModelRow[] = [];
  reading: Reading = { words: new Map(), took: {} };
  providers: Providers = { offered: undefined, listed: undefined, listing: false };
  /** Why no run could begin, "" when one could. */
  problem = "";
  /** That is a mistake in the configuration. */
  isMistake = false;
  settings: Record<string, unknown> = {};
  chips: Chip[] = [];
  completions: { ticket: number; rows: CompletionItem[] } = { ticket: 0, rows: [] };
  changes = { changes: 0, files: 0 };
  /** What helpers ask, and sessions that are not shown. */
  elsewhere: Elsewhere[] = [];
  failed: { text: string; kind: string } | undefined;
  /** What came of the last command. */
  outcome: Outcome | undefined;
  /** Messages to the run that the model has not read yet, by item. */
  steers: Record<string, string> = {};
  /** A prompt that is put into the composer; the number makes it another one. */
  compose = { text: "", number: 0, focus: false, replaces: false };
  /** The earlier prompt that is written anew, "" for none, with its words. */
  edited = { itemId: "", text: "" };
  /** The user is about to take a model of a provider: the card stays, also when another model is found meanwhile. */
  private choosing = false;
  /** The user can begin: nothing of the set-up is missing. A server that only starts needs none. */
  get isSetUp(): boolean {
    const { state } = this.server;
    const isMissing = this.problem !== "" || this.choosing;
    return state !== "missing" && state !== "failed" && !isMissing && !this.progress;
  }
  /** How many tokens the model of this session holds, where it is known. */
  get window(): number | undefined {
    const named = this.transcript.options["model"] ?? this.settings["model"];
    const row = named ? this.models.find(({ name }) => name === named) : this.models[0];
    return this.transcript.usage?.size ?? row?.contextWindow;
  }
  /** What a screen reader announces. */
  announcement = "";
  private scheduled = false;

  constructor(private readonly draw: () => void) {}

  changed(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.draw();
    });
  }

  /** The user goes on: the message about what went wrong before is dropped. */
  dismissFailure(): void {
    if (!this.failed) return;
    this.failed = undefined;
    this.changed();
  }

  dismissOutcome(): void {
    if (!this.outcome) return;
    this.outcome = undefined;
    this.changed();
  }

  choose(begins: boolean): void {
    this.choosing = begins;
    this.changed();
  }

  /** Another provider is looked at. */
  forgetListed(): void {
    this.providers = { ...this.providers, listed: undefined, listing: false };
    this.changed();
  }

  take(message: ToChat): void {
    switch (message.type) {
      case "session":
        this.show(message.view);
        host.setState(message.kept);
        break;
      case "events":
        for (const event of message.events) this.event(event);
        break;
      case "older":
        this.transcript.prepend(message.items);
        Object.assign(this.transcript, { runs: message.runs, lastItems: message.lastItems });
        this.older = message.older;
        break;
      case "item":
        this.transcript.put(message.item);
        break;
      case "server":
        this.server = message;
        break;
      case "progress":
        this.progress = message.text;
        break;
      case "providers":
        this.providers = { ...this.providers, offered: message.offered };
        break;
      case "listed":
        this.providers = { ...this.providers, listed: message.listed, listing: message.listing };
        break;
      case "models":
        this.reading = { ...this.reading, words: wordsOfCalls(message.calls) };
        this.models = message.models;
        this.problem = message.problem;
        this.isMistake = message.isMistake;
        this.settings = message.options;
        break;
      case "chips":
        this.chips = message.chips;
        break;
      case "completions":
        this.completions = message;
        break;
      case "steers":
        this.steers = message.steers;
        break;
      case "compose":
        this.put(message.text, true);
        break;
      case "draft":
        this.put(message.text, false, message.replaces);
        break;
      case "edited":
        this.edited = { itemId: message.itemId, text: message.text };
        if (message.itemId) this.announcement = "You edit an earlier prompt: what came after it is replaced";
        break;
      case "focus":
        break; // the page does that
      case "changes":
        this.changes = message;
        break;
      case "elsewhere":
        this.asked(message.questions);
        break;
      case "outcome":
        this.outcome = message;
        this.announcement = `${message.title} is shown`;
        break;
      case "failed":
        this.failed = message;
        break;
    }
    this.changed();
  }

  /** Put a prompt into the composer, before what is written there or in its place; with `focus` the cursor, too. */
  put(text: string, focus: boolean, replaces = false): void {
    this.compose = { text, number: this.compose.number + 1, focus, replaces };
    this.changed();
  }

  private asked(questions: Elsewhere[]): void {
    const known = new Set(this.elsewhere.map(({ requestId }) => requestId));
    const added = questions.find(({ requestId }) => !known.has(requestId));
    if (added) this.announcement = `${added.from} asks: ${added.title}`;
    this.elsewhere = questions;
  }

  private event(event: Event): void {
    if (event.sessionId !== this.sessionId) {
      this.transcript.takeHelper(event);
      return;
    }
    this.transcript.take(event);
    if (this.reading.took !== this.transcript.took)
      this.reading = { ...this.reading, took: this.transcript.took };
    if (event.type === "requestOpened") this.announcement = `agls asks: ${String(event.data["title"])}`;
    if (event.type === "runEnded") this.announcement = this.ended(String(event.data["stopReason"]));
    if (event.type === "runStarted") this.failed = undefined;
  }

  /** What is announced of an end: how it was and, where a screen reader runs, the answer as far as one listens to it. */
  private ended(stopReason: string): string {
    const listens = document.body.classList.contains("vscode-using-screen-reader");
    const last = [...this.transcript.items.values()].at(-1);
    const answer = listens && last?.kind === "message" ? textOf(last["text"]).trim() : "";
    const rest = answer.length > LISTENED ? "… The rest is in the conversation." : "";
    return `${sentenceOf(stopReason)} ${answer.slice(0, LISTENED)}${rest}`.trim();
  }

  private show({ sessionId, older, steers, transcript }: SessionView): void {
    Object.assign(this, { sessionId, older, steers, failed: undefined, outcome: undefined });
    this.transcript = Transcript.of(transcript);
    this.reading = { ...this.reading, took: this.transcript.took };
  }
}
