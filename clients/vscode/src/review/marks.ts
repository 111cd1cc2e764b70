/** The changes in the file itself: coloured lines, and what can be done with each above it. */

import * as vscode from "vscode";
import { addedLines } from "../decorations";
import { setContext } from "../settings";
import { Bar } from "./bar";
import { cellOf, documentOf, showCell } from "./cells";
import { type Hunk, lengthOf, linesOf, next } from "./hunks";
import { type Review, rangeOf } from "./review";

const SHOWN = 40; // removed lines in a hover

export class Marks implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly added = addedLines();
  private readonly removed = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    borderColor: new vscode.ThemeColor("editorGutter.deletedBackground"),
    borderStyle: "solid",
    borderWidth: "2px 0 0 0",
    overviewRulerColor: new vscode.ThemeColor("editorGutter.deletedBackground"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
  private readonly lensesChanged = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.lensesChanged.event;
  /** The change that the user went to. */
  readonly bar: Bar;
  private readonly watching: vscode.Disposable;

  constructor(private readonly review: Review) {
    this.bar = new Bar(review, documentOf);
    this.watching = vscode.Disposable.from(
      this.bar,
      review.onChange(() => this.draw()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.draw()),
      vscode.window.onDidChangeActiveTextEditor(() => this.draw()),
      vscode.languages.registerCodeLensProvider(
        ["file", "untitled", "vscode-notebook-cell"].map((scheme) => ({ scheme })),
        this,
      ),
    );
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    if (!vscode.workspace.getConfiguration("agls").get<boolean>("review.codeLens", true)) return [];
    const hunks = this.review.of(document.uri);
    return hunks.flatMap((hunk) => {
      const all = this.review.beside(hunk);
      const range = new vscode.Range(hunk.line, 0, hunk.line, 0);
      const lens = (title: string, command: string, tooltip: string) =>
        new vscode.CodeLens(range, { title, command, tooltip, arguments: [hunk.hunk] });
      const undo =
        hunk.stands !== false
          ? lens("$(discard)\u00a0Undo", "agls.review.undo", "Put back what stood here (Alt+N)")
          : lens(
              "$(circle-slash)\u00a0edited since",
              "agls.review.diff",
              "It cannot be distinguished from your own edits",
            );
      return [
        lens("$(check)\u00a0Keep", "agls.review.keep", "Keep this change (Alt+Y)"),
        undo,
        lens(
          `$(diff)\u00a0${sizeOf(hunk)} · ${all.indexOf(hunk) + 1} of ${all.length}`,
          "agls.review.bar",
          "Show what stood here, and the ways on",
        ),
      ];
    });
  }

  /** Go to the next change of the active file, or to the first one of the change set. */
  async go(step: 1 | -1): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const here = editor ? this.review.of(editor.document.uri) : [];
    const found =
      editor && here.length > 0 ? next(here, editor.selection.active.line, step) : this.review.hunks[0];
    const onwards = editor && cellOf(editor.document.uri) ? this.nextCell(editor, here, step) : found;
    if (onwards) await this.show(onwards);
  }

  /** Put the cursor at the next change of this editor, where it compares: what stood there is seen already. */
  lead(): void {
    const editor = vscode.window.activeTextEditor;
    const found = editor && next(this.review.of(editor.document.uri), editor.selection.active.line, 1);
    if (found) place(editor, found);
  }

  /** In a notebook the change after the last one of a cell is in another cell. */
  private nextCell({ document, selection }: vscode.TextEditor, here: Hunk[], step: 1 | -1): Hunk | undefined {
    const cell = cellOf(document.uri);
    const { line } = selection.active;
    const left = here.filter((hunk) => (step > 0 ? hunk.line > line : hunk.line < line));
    if (left.length > 0 || !cell) return next(left, line, step);
    const others = this.review.of(cell.notebook.uri).filter((hunk) => hunk.cell !== cell.index);
    const inCells = others.map((hunk) => ({ ...hunk, line: hunk.cell ?? 0 }));
    const found = next(inCells, cell.index, step);
    return others.find((hunk) => hunk.hunk === found?.hunk) ?? here[0] ?? this.review.hunks[0];
  }

  /** Go to a change, with what stood there. */
  async show(found: Hunk): Promise<void> {
    if (found.cell !== undefined) return this.showInCell(found);
    const editor = vscode.window.activeTextEditor;
    const uri = vscode.Uri.parse(found.uri, true);
    const isHere = editor?.document.uri.toString() === uri.toString(); // in a diff editor, perhaps
    const shown = isHere ? editor : await vscode.window.showTextDocument(uri);
    if (isHere) await vscode.commands.executeCommand("workbench.action.focusActiveEditorGroup");
    place(shown, found);
    this.bar.show(found);
  }

  private async showInCell(found: Hunk): Promise<void> {
    const editor = await showCell(found);
    const start = new vscode.Position(found.line, 0);
    if (editor) editor.selection = new vscode.Selection(start, start);
    this.bar.show(found);
  }

  dispose(): void {
    this.watching.dispose();
    this.added.dispose();
    this.removed.dispose();
    this.lensesChanged.dispose();
  }

  private draw(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const hunks = this.review.of(editor.document.uri);
      const marks = (fits: (hunk: Hunk) => boolean) =>
        hunks.filter(fits).map((hunk) => ({ range: rangeOf(hunk), hoverMessage: hover(hunk) }));
      editor.setDecorations(
        this.added,
        marks((hunk) => lengthOf(hunk) > 0),
      );
      editor.setDecorations(
        this.removed,
        marks((hunk) => lengthOf(hunk) === 0),
      );
    }
    const here = vscode.window.activeTextEditor?.document.uri;
    setContext("fileHasChanges", !!here && this.review.of(here).length > 0);
    this.lensesChanged.fire();
  }
}

function place(editor: vscode.TextEditor, hunk: Hunk): void {
  const start = new vscode.Position(hunk.line, 0);
  editor.selection = new vscode.Selection(start, start);
  editor.revealRange(rangeOf(hunk), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

function sizeOf(hunk: Hunk): string {
  return `+${lengthOf(hunk)} −${linesOf(hunk.old).length}`;
}

function hover(hunk: Hunk): vscode.MarkdownString {
  const text = new vscode.MarkdownString("agls wrote this.");
  const old = linesOf(hunk.old);
  if (old.length === 0) return text;
  text.appendMarkdown(" Before:\n");
  return text.appendCodeblock(old.slice(0, SHOWN).join(""), "");
}
