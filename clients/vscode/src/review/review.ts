/** The change set: what the server lists as not judged yet, asked again whenever it may be another. */

import * as vscode from "vscode";
import type { Event } from "../protocol.gen";
import type { Server } from "../server/server";
import { setContext } from "../settings";
import { cellOf } from "./cells";
import { type Hunk, byFile, lengthOf, shifted } from "./hunks";

const PAUSE = 120; // milliseconds after the last reason to look again
const SESSIONS = "agls.review"; // with changes that nobody has judged, of this workspace
const PATIENCE = 20_000; // milliseconds for the editor to take an edit

export class Review implements vscode.Disposable {
  hunks: Hunk[] = [];
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onChange = this.changed.event;
  private timer: NodeJS.Timeout | undefined;
  private restored = false;
  private asked = 0;
  private readonly watching: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly memory: vscode.Memento,
    private readonly log: vscode.LogOutputChannel,
  ) {
    const look = (document: vscode.TextDocument) => this.of(document.uri).length > 0 && this.later();
    this.watching = vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length === 0) return;
        this.follow(document.uri, contentChanges);
        look(document);
      }),
      vscode.workspace.onDidOpenTextDocument(look),
      vscode.workspace.onDidOpenNotebookDocument(({ uri }) => this.of(uri).length > 0 && this.later()),
      vscode.workspace.onDidChangeNotebookDocument(
        ({ notebook, contentChanges }) =>
          contentChanges.length > 0 && this.of(notebook.uri).length > 0 && this.later(),
      ),
      server.onState((state) => {
        this.restored = false;
        if (state === "ready") void this.restore();
      }),
    );
  }

  /** Open the sessions that had changes to review, also those that nobody looks at: the server knows only what is open. */
  private async restore(): Promise<void> {
    for (const sessionId of this.memory.get<string[]>(SESSIONS, []))
      await this.server.request("agent/resume", { sessionId, replay: "none" }).catch((problem: unknown) => {
        this.log.info(`a session with changes to review was not opened: ${String(problem)}`);
      });
    this.restored = true;
    this.later();
  }

  /** Events of a session: some mean that the change set is another one. */
  take(events: readonly Event[]): void {
    const matters = (event: Event) =>
      event.type === "historyRewound" ||
      (event.type === "recorded" && event.data["feature"] === "review") ||
      (event.type === "itemCompleted" && "changes" in (event.data["item"] as object));
    if (events.some(matters)) this.later();
  }

  of(uri: vscode.Uri): Hunk[] {
    const cell = cellOf(uri);
    const key = (cell?.notebook.uri ?? uri).toString();
    const here = this.hunks.filter((hunk) => vscode.Uri.parse(hunk.uri).toString() === key);
    return cell ? here.filter((hunk) => hunk.cell === cell.index) : here;
  }

  /** Those of the same file as this change, or of the same notebook. */
  beside({ uri }: Hunk): Hunk[] {
    return this.hunks.filter((hunk) => hunk.uri === uri);
  }

  /** What is asked for before the server answers, such as the lines above a change, stands where the text went. */
  private follow(uri: vscode.Uri, typed: readonly vscode.TextDocumentContentChangeEvent[]): void {
    const here = this.of(uri);
    if (here.length === 0) return;
    const moved = typed.reduce<Hunk[]>(shifted, here);
    if (moved.every((hunk, place) => hunk === here[place])) return;
    const places = new Map(moved.map((hunk) => [hunk.hunk, hunk]));
    this.hunks = this.hunks.map((hunk) => places.get(hunk.hunk) ?? hunk);
  }

  later(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), PAUSE);
  }

  async refresh(): Promise<void> {
    const turn = ++this.asked;
    try {
      const { changes } = await this.server.command<{ changes: Hunk[] }>("agls.changes", {});
      if (turn !== this.asked) return; // it was asked again meanwhile: that answer is newer
      this.hunks = changes;
      const sessions = [...new Set(changes.map(({ sessionId }) => sessionId))];
      if (this.restored) await this.memory.update(SESSIONS, sessions);
    } catch (problem) {
      this.log.debug(`the changes could not be listed: ${String(problem)}`);
      return;
    }
    setContext("hasChanges", this.hunks.length > 0);
    this.changed.fire();
  }

  async keep(hunks: readonly Hunk[]): Promise<void> {
    for (const { hunk } of hunks) await this.server.command("agls.keep", { hunk });
    setContext("hasJudged", true); // a step of the walkthrough
    await this.refresh();
  }

  /** Put back what stood there, from the last change to the first. What was edited since is left alone, and reported. */
  async undo(hunks: readonly Hunk[]): Promise<void> {
    const left: Hunk[] = [];
    for (const [uri, found] of byFile(hunks)) {
      const isNotebook = found.some(({ cell }) => cell !== undefined); // the server finds it, open or not
      const document = isNotebook ? undefined : await opened(uri);
      left.push(...(await this.undoInFile(found)));
      if (document) await savedIfUnseen(document);
    }
    if (left.length < hunks.length) setContext("hasJudged", true);
    await this.refresh();
    if (left.length > 0) {
      const many = left.length === 1 ? "1 change was" : `${left.length} changes were`;
      void vscode.window.showWarningMessage(
        `${many} edited since and left alone. Keep or change them by hand.`,
      );
    }
  }

  /** From the last change to the first; gives those that were edited since. */
  private async undoInFile(found: readonly Hunk[]): Promise<Hunk[]> {
    const left: Hunk[] = [];
    const fromTheEnd = (a: Hunk, b: Hunk) => (b.cell ?? 0) - (a.cell ?? 0) || b.line - a.line;
    for (const { hunk } of [...found].sort(fromTheEnd)) {
      await this.refresh();
      const now = this.hunks.find((other) => other.hunk === hunk);
      if (now && now.stands !== false) await this.revert(now);
      else if (now) left.push(now);
    }
    return left;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.watching.dispose();
    this.changed.dispose();
  }

  /** The server's edit follows its answer: wait until the change is judged. */
  private async revert({ hunk }: Hunk): Promise<void> {
    await this.server.command("agls.revert", { hunk });
    const end = Date.now() + PATIENCE;
    while (Date.now() < end) {
      const { changes } = await this.server.command<{ changes: Hunk[] }>("agls.changes", {});
      if (!changes.some((other) => other.hunk === hunk)) return;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    throw new Error("The editor did not take the edit back. The file may be read-only.");
  }
}

async function opened(uri: string): Promise<vscode.TextDocument> {
  return vscode.workspace.openTextDocument(vscode.Uri.parse(uri, true));
}

/** Nobody sees it: it was changed on the disk, and goes back there. */
async function savedIfUnseen(document: vscode.TextDocument): Promise<void> {
  const isSeen = vscode.window.visibleTextEditors.some((editor) => editor.document === document);
  if (document.isDirty && !isSeen) await document.save();
}

/** Where a change stands; an empty range before its line where it only removed something. */
export function rangeOf(hunk: Hunk): vscode.Range {
  const lines = lengthOf(hunk);
  return new vscode.Range(hunk.line, 0, hunk.line + Math.max(lines, 1) - 1, Number.MAX_SAFE_INTEGER);
}
