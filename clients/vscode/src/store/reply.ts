/** What the answer of one run reads like where it is written from top to bottom, once: in the editor's own chat. Pure. */

import type { CallWords, Change, Event, ItemDeltaData, RunEndedData } from "../protocol.gen";
import { textOf } from "./patch";
import { rowOf } from "./rows";
import type { AnyItem } from "./transcript";

export type Part =
  | { kind: "text"; text: string }
  | { kind: "progress"; text: string }
  | { kind: "edited"; uri: string }
  | { kind: "question" };

export class Reply {
  /** How the run ended, once it did. */
  ended: RunEndedData | undefined;
  private runId = "";
  /** What came before it was known which run it is. */
  private early: Event[] = [];
  /** The text already written, by message item. */
  private readonly written = new Map<string, string>();
  private readonly edited = new Set<string>();

  constructor(
    private readonly sessionId: string,
    private readonly words: ReadonlyMap<string, CallWords>,
  ) {}

  /** The run is this one. Returns what is to be written for what came of it already. */
  begin(runId: string): Part[] {
    this.runId = runId;
    return this.early.splice(0).flatMap((event) => this.take(event));
  }

  /** Take in one event. Returns what is to be written for it: nothing for events of other runs, helpers' among them. */
  take(event: Event): Part[] {
    if (event.sessionId !== this.sessionId || this.ended) return [];
    if (!this.runId) {
      this.early.push(event);
      return [];
    }
    if (event.runId !== this.runId) return [];
    const item = event.data["item"] as AnyItem | undefined;
    switch (event.type) {
      case "itemStarted":
        if (item?.kind === "message") this.written.set(item.itemId, "");
        return item?.kind === "toolCall" ? [{ kind: "progress", text: this.call(item) }] : [];
      case "itemDelta":
        return this.more(event.itemId ?? "", event.data as unknown as ItemDeltaData);
      case "itemCompleted":
        return item ? this.whole(item) : [];
      case "requestOpened":
        return [{ kind: "question" }];
      case "runEnded":
        this.ended = event.data as unknown as RunEndedData;
        return [];
      default:
        return [];
    }
  }

  private more(itemId: string, { field, append }: ItemDeltaData): Part[] {
    const written = this.written.get(itemId);
    if (written === undefined || field !== "text") return [];
    this.written.set(itemId, written + append);
    return [{ kind: "text", text: append }];
  }

  /** Returns the parts of an ended item that are not written yet: deltas may be lost under load. */
  private whole(item: AnyItem): Part[] {
    if (item.kind === "message") {
      const written = this.written.get(item.itemId) ?? "";
      const text = textOf(item["text"]);
      this.written.delete(item.itemId);
      const rest = text.startsWith(written) ? text.slice(written.length) : "";
      return [{ kind: "text", text: `${rest}\n\n` }];
    }
    const changes = item.status === "completed" ? ((item["changes"] ?? []) as Change[]) : [];
    const uris = changes.map(({ uri }) => uri).filter((uri) => !this.edited.has(uri));
    for (const uri of uris) this.edited.add(uri);
    return uris.map((uri) => ({ kind: "edited", uri }));
  }

  private call(item: AnyItem): string {
    const { verb, about } = rowOf(item, this.words);
    return `${verb} ${about}`.trim();
  }
}
