/** The other side of the diff editor: documents that are made of what is known of a change. */

import * as vscode from "vscode";
import type { Change } from "../protocol.gen";
import { baseName } from "../store/patch";
import { applied } from "./applied";
import { before } from "./hunks";
import type { Review } from "./review";

const BEFORE = "agls-before";
const MADE = "agls-patch"; // texts that are made of a patch

export class Compare implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly made = new Map<string, string>();
  private readonly proposed = new Set<string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly watching: vscode.Disposable;

  constructor(private readonly review: Review) {
    this.watching = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(BEFORE, this),
      vscode.workspace.registerTextDocumentContentProvider(MADE, this),
      review.onChange(() => {
        for (const { uri } of vscode.workspace.textDocuments)
          if (uri.scheme === BEFORE) this.changed.fire(uri);
      }),
    );
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    if (uri.scheme === MADE) return this.made.get(uri.query) ?? "";
    const real = vscode.Uri.parse(uri.query, true);
    const document = await vscode.workspace.openTextDocument(real);
    return before(document.getText(), this.review.of(real));
  }

  /** The file beside what it was before the changes that are not judged yet; named by either side of a comparison. */
  async open(side: vscode.Uri): Promise<void> {
    const uri = side.scheme === MADE ? vscode.Uri.file(side.path) : side;
    const name = baseName(uri.path);
    const left = vscode.Uri.from({ scheme: BEFORE, path: uri.path, query: uri.toString() });
    await this.diff(left, uri, `${name}: before agls ↔ now`);
  }

  /** What the agent wants to change: the file as it is beside what it would become. */
  async openProposed(change: Change): Promise<void> {
    const { uri, name, text } = await shown(change);
    const after = applied(text ?? "", change.patch, "in");
    if (after === undefined) return this.openPatch(change);
    const left = text === undefined ? this.make(uri.path, "") : uri;
    const right = this.make(uri.path, after);
    this.proposed.add(right.toString());
    await this.diff(left, right, `${name}: now ↔ proposed`);
  }

  /** A question was answered: what it proposed is made, or will not be. */
  async closeProposed(): Promise<void> {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const over = tabs.filter(
      ({ input }) => input instanceof vscode.TabInputTextDiff && this.proposed.has(input.modified.toString()),
    );
    if (over.length > 0) await vscode.window.tabGroups.close(over);
  }

  /** One change that was made, whatever happened since. */
  async openMade(change: Change): Promise<void> {
    const { uri, name, text } = await shown(change);
    if (this.review.of(uri).length > 0) return this.open(uri);
    const old = applied(text ?? "", change.patch, "back");
    if (old === undefined) return this.openPatch(change);
    const right = text === undefined ? this.make(uri.path, "") : uri;
    await this.diff(this.make(uri.path, old), right, `${name}: before this edit ↔ now`);
  }

  /** The patch itself, where the file is another one by now. */
  private async openPatch({ uri, patch }: Change): Promise<void> {
    const name = `/${decodeURIComponent(baseName(uri))}.diff`;
    const document = await vscode.workspace.openTextDocument(this.make(name, patch));
    await vscode.window.showTextDocument(document, { preview: true });
  }

  private async diff(left: vscode.Uri, right: vscode.Uri, title: string): Promise<void> {
    await vscode.commands.executeCommand("vscode.diff", left, right, title);
  }

  private make(path: string, text: string): vscode.Uri {
    const key = `${this.made.size}`;
    this.made.set(key, text);
    return vscode.Uri.from({ scheme: MADE, path, query: key });
  }

  dispose(): void {
    this.watching.dispose();
    this.changed.dispose();
  }
}

/** The file of a change as it is now; no text where there is none. */
async function shown({ uri: named }: Change) {
  const uri = vscode.Uri.parse(named, true);
  const document = await vscode.workspace.openTextDocument(uri).then(
    (opened) => opened,
    () => undefined,
  );
  return { uri, name: baseName(uri.path), text: document?.getText().replace(/\r\n/g, "\n") };
}
