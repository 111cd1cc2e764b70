/** The other side of the diff editor: documents that are made of what is known of a change. */

import * as vscode from "vscode";
import type { Change } from "../protocol.gen";
import { baseName } from "../store/patch";
import { before } from "./hunks";
import type { Review } from "./review";

const BEFORE = "agls-before";
const PATCH = "agls-patch";

export class Compare implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly patches = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly watching: vscode.Disposable;

  constructor(private readonly review: Review) {
    this.watching = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(BEFORE, this),
      vscode.workspace.registerTextDocumentContentProvider(PATCH, this),
      review.onChange(() => {
        for (const { uri } of vscode.workspace.textDocuments)
          if (uri.scheme === BEFORE) this.changed.fire(uri);
      }),
    );
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    if (uri.scheme === PATCH) return this.patches.get(uri.query) ?? "";
    const real = vscode.Uri.parse(uri.query, true);
    const document = await vscode.workspace.openTextDocument(real);
    return before(document.getText(), this.review.of(real));
  }

  /** The file beside what it was before the changes that are not judged yet. */
  async open(uri: vscode.Uri): Promise<void> {
    const name = baseName(uri.path);
    const left = vscode.Uri.from({ scheme: BEFORE, path: uri.path, query: uri.toString() });
    await vscode.commands.executeCommand("vscode.diff", left, uri, `${name}: before agls ↔ now`);
  }

  /** One change as it was made, whatever happened since. */
  async openPatch(change: Change): Promise<void> {
    if (this.review.of(vscode.Uri.parse(change.uri)).length > 0) {
      await this.open(vscode.Uri.parse(change.uri, true));
      return;
    }
    const name = baseName(change.uri);
    const key = `${this.patches.size}`;
    this.patches.set(key, change.patch);
    const uri = vscode.Uri.from({ scheme: PATCH, path: `/${decodeURIComponent(name)}.diff`, query: key });
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  dispose(): void {
    this.watching.dispose();
    this.changed.dispose();
  }
}
