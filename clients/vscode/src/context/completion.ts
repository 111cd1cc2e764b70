/** Completion of the prompt: the server says what can stand behind an `@` and a `/`. */

import * as vscode from "vscode";
import type { CompletionItem } from "../protocol.gen";
import type { Server } from "../server/server";
import type { Conversation } from "../session/conversation";

const PAUSE = 30; // milliseconds without a key before the server is asked

export class Completion {
  private latest = new vscode.CancellationTokenSource();

  constructor(
    private readonly server: Server,
    private readonly conversation: Conversation,
  ) {}

  /** What can stand at the cursor; `undefined` when the next key came before the answer. Nothing, when it fails. */
  async of(text: string, cursor: number): Promise<CompletionItem[] | undefined> {
    this.latest.cancel();
    this.latest.dispose();
    const mine = (this.latest = new vscode.CancellationTokenSource());
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    if (mine !== this.latest) return undefined;
    const { sessionId } = this.conversation;
    const cwd = vscode.workspace.workspaceFolders?.[0]?.uri.toString() ?? "";
    const where = sessionId ? { sessionId } : { cwd };
    const asked = this.server.request("agent/complete", { text, cursor, ...where }, mine.token);
    const items = await asked.then((found) => found.items).catch(() => []);
    return mine === this.latest ? items : undefined;
  }
}
