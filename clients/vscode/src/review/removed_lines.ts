/** What the changes of the visible files took out, below each, all of it at once: a thread of VS Code's comments for each. */

import * as vscode from "vscode";
import { counted } from "../store/rows";
import { removed, threadText } from "../zone";
import type { Bar } from "./bar";
import { documentOf } from "./cells";
import { type Hunk, lengthOf, linesOf, takenOut } from "./hunks";
import { rangeOf, type Review } from "./review";

const SETTING = "review.removedLines";

export class RemovedLines implements vscode.Disposable {
  private readonly controller = vscode.comments.createCommentController("agls.removed", "agls");
  private readonly threads = new Map<string, { text: string; thread: vscode.CommentThread }>();
  private readonly watching: vscode.Disposable;

  constructor(
    private readonly review: Review,
    private readonly bar: Bar,
  ) {
    this.watching = vscode.Disposable.from(
      review.onChange(() => this.draw()),
      bar.onShow(() => this.draw()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.draw()),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration(`agls.${SETTING}`)) this.draw();
      }),
    );
  }

  /** Show them, or hide them again; the user's setting remembers it. */
  async toggle(): Promise<void> {
    const settings = vscode.workspace.getConfiguration("agls");
    await settings.update(SETTING, !settings.get<boolean>(SETTING), vscode.ConfigurationTarget.Global);
  }

  dispose(): void {
    this.watching.dispose();
    this.controller.dispose();
  }

  private draw(): void {
    const isOn = vscode.workspace.getConfiguration("agls").get<boolean>(SETTING, false);
    const files = new Set(vscode.window.visibleTextEditors.map(({ document }) => document.uri.toString()));
    const shown = [...files].flatMap((uri) => takenOut(this.review.of(vscode.Uri.parse(uri)), this.bar.hunk));
    const wanted = new Map((isOn ? shown : []).map((hunk) => [hunk.hunk, hunk]));
    for (const [id, { thread }] of this.threads) {
      if (wanted.has(id)) continue;
      thread.dispose();
      this.threads.delete(id);
    }
    for (const hunk of wanted.values()) this.show(hunk);
  }

  private show(hunk: Hunk): void {
    const range = placeOf(hunk);
    const known = this.threads.get(hunk.hunk);
    if (known?.text === hunk.old) {
      if (!known.thread.range?.isEqual(range)) known.thread.range = range;
      return;
    }
    known?.thread.dispose();
    const lines = linesOf(hunk.old).map((line) => line.replace(/\r?\n$/, ""));
    const thread = this.controller.createCommentThread(documentOf(hunk), range, []);
    threadText(thread, {
      kind: "removed",
      title: `${counted(lines.length, "line")} removed`,
      heading: "Before",
      body: removed(lines),
    });
    this.threads.set(hunk.hunk, { text: hunk.old, thread });
  }
}

/** Below the lines that took their place; where none did, below the line before. */
function placeOf(hunk: Hunk): vscode.Range {
  if (lengthOf(hunk) > 0) return rangeOf(hunk);
  const line = Math.max(0, hunk.line - 1);
  return new vscode.Range(line, 0, line, 0);
}
