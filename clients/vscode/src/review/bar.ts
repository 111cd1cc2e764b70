/** The change that the user looks at: what stood there, its place among the others, and the ways on, between the lines. */

import * as vscode from "vscode";
import { removed, Zone } from "../zone";
import { type Hunk, lengthOf, linesOf } from "./hunks";
import { rangeOf, type Review } from "./review";

export class Bar implements vscode.Disposable {
  private readonly zone = new Zone("agls.review");
  private id = "";
  private readonly shown = new vscode.EventEmitter<void>();
  /** It went to another change. */
  readonly onShow = this.shown.event;
  private readonly watching: vscode.Disposable;

  constructor(
    private readonly review: Review,
    private readonly uriOf: (hunk: Hunk) => vscode.Uri,
  ) {
    this.watching = review.onChange(() => this.draw());
  }

  /** The change that is shown, as it is now. */
  get hunk(): Hunk | undefined {
    return this.review.hunks.find(({ hunk }) => hunk === this.id);
  }

  show({ hunk }: Hunk): void {
    this.id = hunk;
    this.draw();
    this.shown.fire();
  }

  dispose(): void {
    this.watching.dispose();
    this.shown.dispose();
    this.zone.dispose();
  }

  private draw(): void {
    const { hunk } = this;
    if (!hunk) return this.zone.hide();
    const uri = this.uriOf(hunk);
    this.zone.show({ uri, range: rangeOf(hunk), ...wordsOf(hunk, this.review.beside(hunk)) });
  }
}

/** What stands in the bar of a change; `all` are those of its file. */
export function wordsOf(
  hunk: Hunk,
  all: readonly Hunk[],
): { kind: string; title: string; heading: string; body: string } {
  const old = linesOf(hunk.old).map((line) => line.replace(/\r?\n$/, ""));
  const ordered = [...all].sort((a, b) => (a.cell ?? 0) - (b.cell ?? 0) || a.line - b.line);
  const place = `${ordered.findIndex((other) => other.hunk === hunk.hunk) + 1} of ${all.length}`;
  const changed = hunk.stands === false ? " · you went on with it" : "";
  return {
    kind: hunk.stands === false ? "edited" : "standing",
    title: `${place} · +${lengthOf(hunk)} −${old.length}${changed}`,
    heading: "Before",
    body: old.length > 0 ? removed(old) : "No line was taken out.",
  };
}
