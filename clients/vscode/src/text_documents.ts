/** Shows texts of the server as read-only documents, which can be searched and copied and are never saved. */

import * as vscode from "vscode";

const SCHEME = "agls-text";
const MOST = 20; // texts that are kept; older ones are empty when they are opened again

export class TextDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly provided = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  private count = 0;

  provideTextDocumentContent({ query }: vscode.Uri): string {
    return this.texts.get(query) ?? "";
  }

  /** Show a text beside the chat, which keeps the focus. `name` has the ending of its language. */
  async show(name: string, text: string): Promise<void> {
    const key = String(++this.count);
    this.texts.set(key, text);
    this.texts.delete(String(this.count - MOST));
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name.replaceAll("/", "∕")}`, query: key });
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true, preserveFocus: true });
  }

  dispose(): void {
    this.provided.dispose();
  }
}
