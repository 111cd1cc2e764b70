/** Going back: to before a prompt, once the user read what goes back, and forward again. */

import * as vscode from "vscode";
import type { Content, SessionRewindResult } from "../protocol.gen";
import type { Server } from "../server/server";
import { counted } from "../store/rows";
import { wordsOf } from "../store/transcript";
import { type Conversation, kindOf } from "./conversation";
import { AGAIN, type Purpose, RESTORE, type What, questionOf } from "./rewind_text";

export class Rewind {
  constructor(
    private readonly server: Server,
    private readonly conversation: Conversation,
  ) {}

  /** Go back to before a prompt, which the user chooses where none is named. Returns whether it was done. */
  async to(itemId?: string): Promise<boolean> {
    const prompt = itemId ?? (await this.pick());
    return prompt !== undefined && this.goBack(prompt, RESTORE);
  }

  /** Go back to before a prompt that is sent again in other words: a question only where files would go back. */
  async toSendAgain(itemId: string): Promise<boolean> {
    await this.conversation.settle();
    return this.goBack(itemId, AGAIN);
  }

  private async goBack(prompt: string, purpose: Purpose): Promise<boolean> {
    const toItemId = await this.before(prompt);
    const { sessionId } = this.conversation;
    const what = await this.ask(await this.preview(toItemId), prompt, purpose);
    if (!what) return false;
    const done = await this.server.request("agent/session/rewind", { sessionId, toItemId, what });
    void this.report(done);
    return true;
  }

  /** Undo the last rewind of this session. */
  async undo(): Promise<void> {
    const { sessionId, transcript } = this.conversation;
    const { restored } = transcript;
    if (!restored) throw new Error("There is no rewind to undo: one can be undone until the next prompt.");
    const what = restored.conversation ? "both" : "files";
    const undone = { sessionId, undo: restored.checkpointId, what };
    void this.report(await this.server.request("agent/session/rewind", undone));
  }

  private async pick(): Promise<string | undefined> {
    const prompts = [...this.conversation.transcript.items.values()].filter(
      (item) => item.kind === "userMessage",
    );
    const rows = prompts.reverse().map((item) => ({
      label: wordsOf((item["content"] ?? []) as Content[]).slice(0, 120) || "(no text)",
      itemId: item.itemId,
    }));
    const placeHolder =
      rows.length > 0 ? "Go back to before which prompt?" : "There is no prompt in this session yet";
    return (await vscode.window.showQuickPick(rows, { placeHolder }))?.itemId;
  }

  /** The last item that is kept; older pages are read where it is not known yet. */
  private async before(prompt: string): Promise<string> {
    while (this.conversation.transcript.before(prompt) === "" && this.conversation.hasOlder) {
      if ((await this.conversation.readOlder()).length === 0) break;
    }
    const found = this.conversation.transcript.before(prompt);
    if (found === undefined) throw new Error("This prompt is not part of the conversation any more.");
    return found;
  }

  /** What would change; where no file can go back, of the conversation alone. */
  private async preview(toItemId: string): Promise<SessionRewindResult> {
    const { sessionId } = this.conversation;
    const asked = { sessionId, toItemId, dryRun: true };
    try {
      return await this.server.request("agent/session/rewind", { ...asked, what: "both" });
    } catch (problem) {
      if (kindOf(problem) !== "unsupported") throw problem;
      return this.server.request("agent/session/rewind", { ...asked, what: "conversation" });
    }
  }

  private async ask(
    preview: SessionRewindResult,
    prompt: string,
    purpose: Purpose,
  ): Promise<What | undefined> {
    if (purpose === AGAIN && preview.files.length === 0) return "conversation";
    const items = [...this.conversation.transcript.items.values()];
    const undone = items.slice(items.findIndex(({ itemId }) => itemId === prompt));
    const ranCommands = undone.some((item) => item["terminal"] !== undefined);
    const words = wordsOf((undone[0]?.["content"] ?? []) as Content[]);
    const { detail, choices } = questionOf(preview, { words, ranCommands, nameOf, purpose });
    const chosen = await vscode.window.showWarningMessage(
      purpose.question,
      { modal: true, detail },
      ...Object.keys(choices),
    );
    return chosen ? choices[chosen] : undefined;
  }

  /** The chat says what went back; what did not is said here. */
  private async report({ conflicts }: SessionRewindResult): Promise<void> {
    if (conflicts.length === 0) return;
    const left = conflicts.map(({ uri, reason }) => `${nameOf(uri)}: ${reason}`).join("; ");
    await vscode.window.showWarningMessage(`${counted(conflicts.length, "file")} did not go back. ${left}`);
  }
}

function nameOf(uri: string): string {
  return vscode.workspace.asRelativePath(vscode.Uri.parse(uri));
}
