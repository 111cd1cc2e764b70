/** Commands about code: ask, explain, fix, add to the chat; and the code action on a diagnostic. */

import * as vscode from "vscode";
import type { Chat } from "../chat/chat";
import type { Content } from "../protocol.gen";

const AROUND = 10; // lines before and after a diagnostic
const EXPLAIN = "Explain this code: what it does, and what looks wrong or risky. Do not change anything.";

export class CodeCommands implements vscode.CodeActionProvider {
  constructor(private readonly chats: { front: Chat }) {}

  provideCodeActions(
    document: vscode.TextDocument,
    _range: vscode.Range,
    context: vscode.CodeActionContext,
  ): vscode.CodeAction[] {
    const action = (title: string, command: string, diagnostic: vscode.Diagnostic): vscode.CodeAction => {
      const made = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
      made.diagnostics = [diagnostic];
      made.command = { command, title, arguments: [document.uri, diagnostic] };
      return made;
    };
    return context.diagnostics.flatMap((diagnostic) => [
      action("Fix with agls", "agls.fix", diagnostic),
      action("Explain with agls", "agls.problem.explain", diagnostic),
    ]);
  }

  fix(uri?: vscode.Uri, diagnostic?: vscode.Diagnostic): Promise<void> {
    return this.problem("Fix this problem", "", uri, diagnostic);
  }

  explainProblem(uri?: vscode.Uri, diagnostic?: vscode.Diagnostic): Promise<void> {
    return this.problem("Explain this problem", "\nChange nothing.", uri, diagnostic);
  }

  /** Send a prompt as it would be typed, with all that is attached. */
  async sayWithAttached(text: string): Promise<void> {
    const { front } = this.chats;
    await front.focus();
    await front.attachments.with((attached) => front.conversation.say(text, attached, "queue"));
  }

  /** Send a prompt that says all that it is about. */
  async say(text: string): Promise<void> {
    const { front } = this.chats;
    await front.focus();
    await front.conversation.say(text, [], "queue");
  }

  /** Send a diagnostic with the lines around it. */
  private async problem(
    wish: string,
    more: string,
    uri?: vscode.Uri,
    diagnostic?: vscode.Diagnostic,
  ): Promise<void> {
    if (!uri || !diagnostic) return;
    const document = await vscode.workspace.openTextDocument(uri);
    const { start, end } = diagnostic.range;
    const last = Math.min(document.lineCount, end.line + 1 + AROUND);
    const around = new vscode.Range(Math.max(0, start.line - AROUND), 0, last, 0);
    const source = diagnostic.source ? ` (${diagnostic.source})` : "";
    const name = vscode.workspace.asRelativePath(uri);
    const text = `${wish} in line ${start.line + 1} of ${name}${source}:\n${diagnostic.message}${more}`;
    const lines = `${uri.toString()}#L${around.start.line + 1}-L${last}`;
    await this.send([
      { type: "text", text },
      { type: "resource", uri: lines, text: document.getText(around) },
    ]);
  }

  async explain(): Promise<void> {
    const code = selected();
    if (code) await this.send([{ type: "text", text: EXPLAIN }, code]);
  }

  async ask(): Promise<void> {
    const code = selected();
    if (!code) return;
    const text = await vscode.window.showInputBox({ prompt: "What about the selected code?" });
    if (!text) return;
    const { front } = this.chats;
    await front.focus();
    await front.conversation.say(text, [code], "queue");
  }

  /** Attach the selection, or the file (that of the editor or those chosen in the explorer). */
  async add(uri?: vscode.Uri, all?: vscode.Uri[]): Promise<void> {
    const { front } = this.chats;
    const { attachments } = front;
    const editor = vscode.window.activeTextEditor;
    const fromExplorer = uri && uri.toString() !== editor?.document.uri.toString();
    if (fromExplorer || all) {
      for (const one of all ?? (uri ? [uri] : [])) await attachments.addPath(one);
    } else if (editor && !editor.selection.isEmpty) attachments.addText(editor.document, editor.selection);
    else if (editor) attachments.addFile(editor.document.uri);
    await front.focus();
  }

  private async send(content: Content[]): Promise<void> {
    const { front } = this.chats;
    await front.focus();
    await front.conversation.send(content, "queue");
  }
}

function selected(): Content | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor || editor.selection.isEmpty) {
    void vscode.window.showInformationMessage("Select the code first.");
    return undefined;
  }
  const { document, selection } = editor;
  const uri = `${document.uri.toString()}#L${selection.start.line + 1}-L${selection.end.line + 1}`;
  return { type: "resource", uri, text: document.getText(selection) };
}
