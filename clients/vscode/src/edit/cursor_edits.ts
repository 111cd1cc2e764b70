/** An edit at the cursor (`agent/edit`): a wish over some lines, the model's text in their place, and then keep, undo or refine. Nothing of it is a session's. */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { labelled } from "../context/offers";
import { addedLines } from "../decorations";
import type { EditAttempt, EditDeltaParams, EditParams, EditResult } from "../protocol.gen";
import type { Server } from "../server/server";
import type { Chats } from "../chat/chats";
import { setContext } from "../settings";
import { fenced, removed, Zone } from "../zone";
import { linesIn, middle, moved, type Place } from "./place";

const PAUSE = 80; // milliseconds between two pictures of a text that is under way
const MOST_REMOVED = 40; // lines that are shown
const WAITS = "Keep or undo the edit that is shown first.";
const YOURS = "You changed these lines meanwhile: they are yours, and nothing was edited.";
const GONE_ON = "You went on with these lines: they are left alone. Undo by hand what you do not want.";

interface Edit {
  id: string;
  document: vscode.TextDocument;
  wish: string;
  place: Place;
  /** What stood there, and what stands there now: nothing while the model writes. */
  old: string;
  now?: string;
  /** What came of the text so far. */
  text: string;
  attempts: EditAttempt[];
  cancel: vscode.CancellationTokenSource;
}

export class CursorEdits implements vscode.CodeActionProvider, vscode.Disposable {
  private readonly zone = new Zone("agls.edit");
  private readonly added = addedLines();
  private edit: Edit | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly watching: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly chats: Chats,
  ) {
    this.watching = vscode.Disposable.from(
      this.zone,
      this.added,
      vscode.workspace.onDidChangeTextDocument((change) => this.follow(change)),
      vscode.workspace.onDidCloseTextDocument(
        (document) => document === this.edit?.document && this.finish(),
      ),
      vscode.window.onDidChangeVisibleTextEditors(() => this.mark()),
      vscode.window.onDidChangeTextEditorSelection(() => this.place()),
      vscode.window.onDidChangeActiveTextEditor(() => this.place()),
    );
  }

  provideCodeActions(_document: vscode.TextDocument, range: vscode.Range): vscode.CodeAction[] {
    if (range.isEmpty) return [];
    const action = new vscode.CodeAction("Edit with agls…", vscode.CodeActionKind.RefactorRewrite);
    action.command = { command: "agls.edit", title: action.title };
    return [action];
  }

  /** Ask what is wanted at the cursor or over the selection, and for it; at an edit that is shown, what else is. */
  async ask(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) throw new Error("Open a file first.");
    if (this.edit?.now !== undefined && this.isHere(editor)) return this.refine();
    if (this.edit) throw new Error(WAITS);
    const { document, selection } = editor;
    const wish = await wanted(`Edit ${labelled(document, selection).label}`);
    if (!wish) return;
    const last =
      selection.isEmpty || selection.end.character > 0 ? selection.end.line : selection.end.line - 1;
    const place = { first: selection.start.line, last };
    const { id, cancel } = fresh();
    const old = document.getText(rangeOf(document, place));
    await this.request({ id, document, wish, place, old, text: "", attempts: [], cancel });
  }

  /** Another wish for what is shown: what stood there is back until the answer comes. */
  async refine(): Promise<void> {
    const { edit } = this;
    if (edit?.now === undefined) return;
    const wish = await wanted("What should be different?");
    if (!wish || edit !== this.edit) return;
    const attempts = [...edit.attempts, { instruction: edit.wish, text: edit.now }];
    if (!(await this.undo())) return;
    const place = { first: edit.place.first, last: edit.place.first + linesIn(edit.old).length - 1 };
    const { document, old } = edit;
    await this.request({ ...fresh(), document, wish, place, old, text: "", attempts });
  }

  /** What stands there stays. */
  keep(): void {
    if (this.edit?.now !== undefined) this.finish();
  }

  /** Put back what stood there. Returns whether it did: what the user went on with is left alone. */
  async undo(): Promise<boolean> {
    const { edit } = this;
    if (edit?.now === undefined) return false;
    this.finish();
    const range = rangeOf(edit.document, edit.place);
    if (linesIn(edit.document.getText(range)).join("\n") !== edit.now) {
      void vscode.window.showWarningMessage(GONE_ON);
      return false;
    }
    return put(edit.document, range, edit.old);
  }

  /** End the question to the model; nothing was changed. */
  stop(): void {
    if (this.edit?.now === undefined) this.finish();
  }

  /** More of a text that is under way. */
  take({ editId, text }: EditDeltaParams): void {
    const { edit } = this;
    if (edit?.id !== editId) return;
    edit.text += text;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (edit === this.edit && edit.now === undefined) this.draw();
    }, PAUSE);
  }

  dispose(): void {
    this.finish();
    this.watching.dispose();
  }

  private async request(edit: Edit): Promise<void> {
    this.edit = edit;
    this.draw();
    try {
      const params = paramsOf(edit, this.chats.front.conversation.sessionId);
      const result = await this.server.request("agent/edit", params, edit.cancel.token);
      if (edit === this.edit) await this.show(edit, result);
    } catch (problem) {
      if (edit !== this.edit) return; // cancelled: nobody waits for it
      this.finish();
      throw problem;
    }
  }

  /** The answer takes its place in the document, as one step of undo. */
  private async show(edit: Edit, { text, range }: EditResult): Promise<void> {
    const lines = linesOf(range);
    const asked = linesIn(edit.old)
      .slice(0, lines.last - lines.first + 1)
      .join("\n");
    const place = { first: edit.place.first, last: edit.place.first + lines.last - lines.first };
    const there = rangeOf(edit.document, place);
    if (linesIn(edit.document.getText(there)).join("\n") !== asked) {
      this.finish();
      void vscode.window.showWarningMessage(YOURS);
    } else if (text === asked) {
      this.finish();
      void vscode.window.showInformationMessage("The model would change nothing here.");
    } else {
      Object.assign(edit, {
        now: text,
        old: asked,
        place: { first: place.first, last: place.first + linesIn(text).length - 1 },
      });
      await put(edit.document, there, text);
      if (edit === this.edit) this.draw();
    }
  }

  /** The place moves with what is typed above it; text that the user took back ends the edit. */
  private follow({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const { edit } = this;
    if (edit?.document !== document) return;
    for (const change of contentChanges) edit.place = moved(edit.place, change) ?? edit.place;
    if (edit.now === undefined || contentChanges.length === 0) return;
    const last = edit.place.first + linesIn(edit.old).length - 1;
    const before = document.getText(rangeOf(document, { first: edit.place.first, last }));
    const after = document.getText(rangeOf(document, edit.place));
    if (linesIn(after).join("\n") !== edit.now && linesIn(before).join("\n") === edit.old) this.finish();
    else this.mark();
  }

  private finish(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.edit?.cancel.cancel();
    this.edit = undefined;
    this.zone.hide();
    this.mark();
  }

  private draw(): void {
    const { edit } = this;
    if (!edit) return;
    const range = rangeOf(edit.document, edit.place);
    const about = { uri: edit.document.uri, range, title: `agls · ${edit.wish}` };
    if (edit.now === undefined) {
      const body = edit.text ? fenced(edit.text, edit.document.languageId) : "Waiting for the model…";
      this.zone.show({ ...about, kind: "writing", heading: "Working", body });
    } else {
      const { old } = middle(linesIn(edit.old), linesIn(edit.now));
      const body = old.length > 0 ? removed(old, MOST_REMOVED) : "No line was taken out.";
      this.zone.show({ ...about, kind: "shown", heading: "Before", body });
    }
    this.mark();
  }

  /** Colour the lines that are new. */
  private mark(): void {
    const { edit } = this;
    for (const editor of vscode.window.visibleTextEditors) {
      const isShown = edit?.now !== undefined && editor.document === edit.document;
      const { from, now } = isShown
        ? middle(linesIn(edit.old), linesIn(edit.now ?? ""))
        : { from: 0, now: [] };
      const first = (edit?.place.first ?? 0) + from;
      const lines = now.length > 0 ? [rangeOf(editor.document, { first, last: first + now.length - 1 })] : [];
      editor.setDecorations(this.added, lines);
    }
    this.place();
  }

  private place(): void {
    const editor = vscode.window.activeTextEditor;
    setContext("editWriting", this.edit !== undefined && this.edit.now === undefined);
    setContext("editHere", this.edit?.now !== undefined && !!editor && this.isHere(editor));
  }

  private isHere({ document, selection }: vscode.TextEditor): boolean {
    const { edit } = this;
    const line = selection.active.line;
    return edit?.document === document && line >= edit.place.first && line <= edit.place.last;
  }
}

function fresh(): Pick<Edit, "id" | "cancel"> {
  return { id: randomUUID(), cancel: new vscode.CancellationTokenSource() };
}

async function wanted(title: string): Promise<string> {
  return (await vscode.window.showInputBox({ title, placeHolder: "What should I change?" }))?.trim() ?? "";
}

function paramsOf({ id, document, wish, place, attempts }: Edit, sessionId: string): EditParams {
  const { uri, version } = document;
  const range = rangeOf(document, place);
  const near = vscode.languages.getDiagnostics(uri).filter((one) => one.range.intersection(range));
  const folder = (vscode.workspace.getWorkspaceFolder(uri) ?? vscode.workspace.workspaceFolders?.[0])?.uri;
  return {
    uri: uri.toString(),
    range: plain(range),
    instruction: wish,
    editId: id,
    attempts,
    diagnostics: near.map(({ range: where, message }) => ({ range: plain(where), message })),
    ...(uri.scheme === "file" ? { version } : { text: document.getText() }),
    ...(sessionId ? { sessionId } : folder ? { cwd: folder.toString() } : {}),
  };
}

function plain({ start, end }: vscode.Range): { start: object; end: object } {
  const at = ({ line, character }: vscode.Position) => ({ line, character });
  return { start: at(start), end: at(end) };
}

function linesOf(range: Record<string, unknown>): Place {
  const line = (side: string) => (range[side] as { line?: number } | undefined)?.line ?? 0;
  return { first: line("start"), last: line("end") };
}

/** The lines of a place, without the end of the last one. */
function rangeOf(document: vscode.TextDocument, { first, last }: Place): vscode.Range {
  return document.validateRange(new vscode.Range(first, 0, Math.max(first, last), Number.MAX_SAFE_INTEGER));
}

async function put(document: vscode.TextDocument, range: vscode.Range, text: string): Promise<boolean> {
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, range, text);
  if (!(await vscode.workspace.applyEdit(edit)))
    throw new Error("The editor did not take the edit. The file may be read-only.");
  return true;
}
