/** All that the chat knows; the components read it, and are drawn again at most once per frame. */

import type { Chip, Completion, FromChat, Model as ModelRow, SessionView, ToChat } from "../chat/messages";
import type { Event } from "../protocol.gen";
import type { ServerState } from "../server/server";
import { Transcript } from "../store/transcript";

interface Host {
  postMessage(message: FromChat): void;
  getState(): { draft?: string } | undefined;
  setState(state: { draft?: string }): void;
}
declare function acquireVsCodeApi(): Host;
export const host: Host = acquireVsCodeApi();

export class Model {
  transcript = new Transcript();
  sessionId = "";
  older = false;
  server: { state: ServerState; problem: string } = { state: "starting", problem: "" };
  models: ModelRow[] = [];
  settings: Record<string, unknown> = {};
  chips: Chip[] = [];
  completions: { ticket: number; rows: Completion[] } = { ticket: 0, rows: [] };
  changes = { changes: 0, files: 0 };
  failed = "";
  /** A prompt that the host put into the composer; the number makes it another one. */
  compose = { text: host.getState()?.draft ?? "", number: 0 };
  /** How many tokens the model of this session holds, where it is known. */
  get window(): number | undefined {
    const named = this.transcript.options["model"] ?? this.settings["model"];
    const row = named ? this.models.find(({ name }) => name === named) : this.models[0];
    return this.transcript.usage?.size ?? row?.contextWindow;
  }
  /** What a screen reader is told. */
  said = "";
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

  take(message: ToChat): void {
    switch (message.type) {
      case "session":
        this.show(message.view);
        break;
      case "events":
        for (const event of message.events) this.event(event);
        break;
      case "older":
        this.transcript.prepend(message.items);
        this.older = message.older;
        break;
      case "item":
        this.transcript.put(message.item);
        break;
      case "server":
        this.server = message;
        break;
      case "models":
        this.models = message.models;
        this.settings = message.options;
        break;
      case "chips":
        this.chips = message.chips;
        break;
      case "completions":
        this.completions = message;
        break;
      case "compose":
        this.compose = { text: message.text, number: this.compose.number + 1 };
        break;
      case "changes":
        this.changes = message;
        break;
      case "failed":
        this.failed = message.text;
        break;
    }
    this.changed();
  }

  private event(event: Event): void {
    this.transcript.take(event);
    if (event.type === "requestOpened") this.said = `aglet asks: ${String(event.data["title"])}`;
    if (event.type === "runEnded")
      this.said = `aglet: the run has ended, ${String(event.data["stopReason"])}`;
    if (event.type === "runStarted") this.failed = "";
  }

  private show(view: SessionView): void {
    const known = (this.transcript = new Transcript());
    this.sessionId = view.sessionId;
    this.older = view.older;
    this.failed = "";
    for (const item of view.items) known.put(item);
    known.requests = Object.fromEntries(view.requests.map((question) => [question.requestId, question]));
    Object.assign(known, {
      seq: view.seq,
      epoch: view.epoch,
      state: view.state,
      runs: view.runs,
      info: view.info,
      options: view.options,
      queue: view.queue,
      runId: view.runId,
      usage: view.usage,
    });
  }
}
