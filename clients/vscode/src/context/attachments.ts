/** What goes with the next prompt: chosen pieces, and what is offered and was not dropped. */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { Chip } from "../chat/messages";
import type { Content } from "../protocol.gen";
import { baseName } from "../store/patch";
import { type Attached, labelled, offers, resource } from "./offers";

export class Attachments implements vscode.Disposable {
  private chosen: Attached[] = [];
  private aside: Attached[] = []; // chosen for the next prompt, while an earlier one is written anew
  private offered: Attached[] = [];
  private readonly refused = new Set<string>(); // offers that the user dropped
  private readonly changed = new vscode.EventEmitter<Chip[]>();
  readonly onChange = this.changed.event;
  private readonly watching: vscode.Disposable;

  constructor() {
    const deleted = vscode.workspace.createFileSystemWatcher("**/*", true, true, false);
    this.watching = vscode.Disposable.from(
      deleted,
      deleted.onDidDelete(() => this.offer()),
      vscode.window.onDidChangeActiveTextEditor(() => this.offer()),
      vscode.window.onDidChangeTextEditorSelection(() => this.offer()),
      vscode.window.tabGroups.onDidChangeTabs(() => this.offer()),
      vscode.languages.onDidChangeDiagnostics(() => this.offer()),
      vscode.workspace.onDidChangeConfiguration(
        (change) => change.affectsConfiguration("agls.context") && this.offer(),
      ),
    );
    this.offer();
  }

  get chips(): Chip[] {
    return [...this.chosen, ...this.offered].map(({ chip }) => chip);
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
    this.add({ kind, label: baseName(name), detail: name }, () => [link]);
  }

  /** A file or a folder, whichever it is. */
  async addPath(uri: vscode.Uri): Promise<void> {
    const { type } = await vscode.workspace.fs.stat(uri);
    this.addFile(uri, type & vscode.FileType.Directory ? "folder" : "file");
  }

  /** Lines of a document as they are now, unsaved or not. */
  addText(document: vscode.TextDocument, range: vscode.Range): void {
    this.add({ kind: "selection", ...labelled(document, range) }, () => [resource(document, range)]);
  }

  addImage(name: string, data: string, mimeType: string): void {
    const preview = `data:${mimeType};base64,${data}`;
    this.add({ kind: "image", label: name, detail: mimeType, preview }, () => [
      { type: "image", data, mimeType },
    ]);
  }

  /** What was attached to a prompt that was not sent after all, but for what is offered anyway. */
  restore(content: readonly Content[]): void {
    for (const block of content) {
      if (block.type === "text") continue;
      const chip = chipOf(block);
      if (!this.chips.some(({ kind, detail }) => kind === chip.kind && detail === chip.detail))
        this.add(chip, () => [block]);
    }
  }

  /** Attach this in place of what is chosen, which waits. */
  setAside(content: readonly Content[]): void {
    this.aside = this.chosen;
    this.chosen = [];
    this.restore(content);
    this.changed.fire(this.chips);
  }

  /** What waits is chosen again. */
  bringBack(): void {
    this.chosen = this.aside;
    this.aside = [];
    this.changed.fire(this.chips);
  }

  drop(id: string): void {
    if (this.offered.some(({ chip }) => chip.id === id)) this.refused.add(id);
    this.offered = this.offered.filter(({ chip }) => chip.id !== id);
    this.chosen = this.chosen.filter(({ chip }) => chip.id !== id);
    this.changed.fire(this.chips);
  }

  /** Everything goes with this prompt and is not chosen any more; it is again when no prompt was taken, or it was a command. */
  async with<R>(send: (content: Content[]) => Promise<R | undefined>): Promise<R | undefined> {
    const taken = this.chosen;
    this.chosen = [];
    let wasPrompt = false;
    try {
      const content = await Promise.all([...taken, ...this.offered].map(async (one) => one.content()));
      const command = await send(content.flat());
      wasPrompt = !command;
      return command;
    } finally {
      if (!wasPrompt) this.chosen = [...taken, ...this.chosen];
      this.changed.fire(this.chips);
    }
  }

  dispose(): void {
    this.watching.dispose();
    this.changed.dispose();
  }

  private offer(): void {
    const now = offers();
    const ids = new Set(now.map(({ chip }) => chip.id));
    for (const id of this.refused) if (!ids.has(id)) this.refused.delete(id); // it may be offered again
    const before = seen(this.offered);
    this.offered = now.filter(({ chip }) => !this.refused.has(chip.id));
    if (before !== seen(this.offered)) this.changed.fire(this.chips);
  }
}

function seen(offered: readonly Attached[]): string {
  return offered.map(({ chip }) => `${chip.id} ${chip.detail}`).join("\n");
}

function chipOf(block: Exclude<Content, { type: "text" }>): Omit<Chip, "id"> {
  if (block.type === "image") {
    const preview = `data:${block.mimeType};base64,${block.data}`;
    return { kind: "image", label: "image", detail: block.mimeType, preview };
  }
  const uri = vscode.Uri.parse(block.uri);
  const name =
    uri.scheme === "file" ? vscode.workspace.asRelativePath(uri.with({ fragment: "" })) : block.uri;
  const [, first, end] = /^L(\d+)-L(\d+)$/.exec(uri.fragment) ?? [];
  const lines = first && end ? `:${first === end ? first : `${first}–${end}`}` : "";
  const kind = block.type === "resource" ? (lines ? "selection" : "diagnostic") : "file";
  return { kind, label: `${baseName(name)}${lines}`, detail: `${name}${lines}` };
}
