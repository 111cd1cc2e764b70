/** What goes with the next prompt: chosen pieces, and the active file or selection that is offered. */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { Chip } from "../chat/messages";
import type { Content } from "../protocol.gen";

const LONGEST = 200_000; // characters of one attached text

interface Attached {
  chip: Chip;
  content: () => Promise<Content> | Content;
}

export class Attachments implements vscode.Disposable {
  private chosen: Attached[] = [];
  private offered: Attached | undefined;
  private refused = ""; // the offer that the user dropped
  private readonly changed = new vscode.EventEmitter<Chip[]>();
  readonly onChange = this.changed.event;
  private readonly watching: vscode.Disposable;

  constructor() {
    this.watching = vscode.Disposable.from(
      vscode.window.onDidChangeActiveTextEditor(() => this.offer()),
      vscode.window.onDidChangeTextEditorSelection(() => this.offer()),
      vscode.workspace.onDidChangeConfiguration(
        (change) => change.affectsConfiguration("aglet.context") && this.offer(),
      ),
    );
    this.offer();
  }

  get chips(): Chip[] {
    return [...this.chosen, ...(this.offered ? [this.offered] : [])].map(({ chip }) => chip);
  }

  add(chip: Omit<Chip, "id">, content: Attached["content"]): void {
    const same = this.chosen.some(
      (other) => other.chip.kind === chip.kind && other.chip.detail === chip.detail,
    );
    if (!same || chip.kind === "image") this.chosen.push({ chip: { ...chip, id: randomUUID() }, content });
    this.changed.fire(this.chips);
  }

  addFile(uri: vscode.Uri, kind: "file" | "folder" = "file"): void {
    const name = vscode.workspace.asRelativePath(uri);
    const link: Content = { type: "resourceLink", uri: uri.toString(), name };
    this.add({ kind, label: name.split("/").at(-1) ?? name, detail: name }, () => link);
  }

  /** Lines of a document as they are now, unsaved or not. */
  addText(document: vscode.TextDocument, range: vscode.Range, kind: Chip["kind"] = "selection"): void {
    this.add({ kind, ...labelled(document, range) }, () => resource(document, range));
  }

  addImage(name: string, data: string, mimeType: string): void {
    const preview = `data:${mimeType};base64,${data}`;
    this.add({ kind: "image", label: name, detail: mimeType, preview }, () => ({
      type: "image",
      data,
      mimeType,
    }));
  }

  drop(id: string): void {
    if (this.offered?.chip.id === id) {
      this.refused = this.offered.chip.detail;
      this.offered = undefined;
    }
    this.chosen = this.chosen.filter(({ chip }) => chip.id !== id);
    this.changed.fire(this.chips);
  }

  /** Everything that goes with this prompt; afterwards nothing is chosen any more. */
  async take(): Promise<Content[]> {
    const taken = [...this.chosen, ...(this.offered ? [this.offered] : [])];
    const content = await Promise.all(taken.map(async (one) => one.content()));
    this.chosen = [];
    this.changed.fire(this.chips);
    return content;
  }

  dispose(): void {
    this.watching.dispose();
    this.changed.dispose();
  }

  private offer(): void {
    const before = this.offered?.chip.detail;
    this.offered = this.find();
    if (before !== this.offered?.chip.detail) this.changed.fire(this.chips);
  }

  private find(): Attached | undefined {
    if (!vscode.workspace.getConfiguration("aglet").get<boolean>("context.activeFile", true))
      return undefined;
    const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
    if (!editor || !["file", "untitled"].includes(editor.document.uri.scheme)) return undefined;
    const { document, selection } = editor;
    const name = vscode.workspace.asRelativePath(document.uri);
    const told = selection.isEmpty
      ? { label: name.split("/").at(-1) ?? name, detail: name }
      : labelled(document, selection);
    if (told.detail === this.refused) return undefined;
    this.refused = "";
    const range = new vscode.Range(selection.start, selection.end);
    const link: Content = { type: "resourceLink", uri: document.uri.toString(), name };
    const chip: Chip = {
      id: "offered",
      kind: selection.isEmpty ? "file" : "selection",
      ...told,
      offered: true,
    };
    return { chip, content: () => (range.isEmpty ? link : resource(document, range)) };
  }
}

function labelled(document: vscode.TextDocument, range: vscode.Range): { label: string; detail: string } {
  const name = vscode.workspace.asRelativePath(document.uri);
  const lines = range.isSingleLine ? `${range.start.line + 1}` : `${range.start.line + 1}–${lastLine(range)}`;
  return { label: `${name.split("/").at(-1) ?? name}:${lines}`, detail: `${name}:${lines}` };
}

/** The last line of which something is in the range, from 1. */
function lastLine(range: vscode.Range): number {
  return range.end.line + (range.end.character > 0 || range.isEmpty ? 1 : 0);
}

function resource(document: vscode.TextDocument, range: vscode.Range): Content {
  const uri = `${document.uri.toString()}#L${range.start.line + 1}-L${lastLine(range)}`;
  return { type: "resource", uri, text: document.getText(range).slice(0, LONGEST) };
}
