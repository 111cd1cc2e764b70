/** Going back: to before a prompt, with a look at what would change, and forward again. */

import * as vscode from "vscode";
import type { Content, SessionRewindResult } from "../protocol.gen";
import type { Server } from "../server/server";
import { wordsOf } from "../store/transcript";
import type { Conversation } from "./conversation";

type What = "both" | "conversation" | "files";

export class Rewind {
  private last = "";

  constructor(
    private readonly server: Server,
    private readonly conversation: Conversation,
  ) {}

  /** Go back to before a prompt, which the user chooses where none is named. Returns whether it was done. */
  async to(itemId?: string, only?: What): Promise<boolean> {
    const prompt = itemId ?? (await this.pick());
    if (!prompt) return false;
    const toItemId = await this.before(prompt);
    const { sessionId } = this.conversation;
    const preview = await this.server.request("agent/session/rewind", {
      sessionId,
      toItemId,
      what: "both",
      dryRun: true,
    });
    const what = await this.ask(preview, only);
    if (!what) return false;
    const done = await this.server.request("agent/session/rewind", { sessionId, toItemId, what });
    this.last = done.checkpointId ?? "";
    void this.report(done);
    return true;
  }

  /** Take the last rewind back. */
  async undo(): Promise<void> {
    if (!this.last) throw new Error("There is no rewind to take back in this window.");
    const { sessionId } = this.conversation;
    const done = await this.server.request("agent/session/rewind", {
      sessionId,
      undo: this.last,
      what: "both",
    });
    this.last = done.checkpointId ?? "";
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

  private async ask(preview: SessionRewindResult, only?: What): Promise<What | undefined> {
    const files = preview.files.map(
      ({ uri, insertions, deletions }) => `${nameOf(uri)} (+${insertions} −${deletions})`,
    );
    const kept = preview.conflicts.map(({ uri, reason }) => `${nameOf(uri)}: ${reason}`);
    const detail = [
      files.length > 0 ? `Files that go back: ${files.join(", ")}.` : "No file would change.",
      ...(kept.length > 0 ? [`Left alone: ${kept.join("; ")}`] : []),
      `${preview.droppedItemIds.length} items of the conversation would go. It can be taken back.`,
    ].join("\n\n");
    if (only === "conversation" && files.length === 0) return only;
    const choices: Record<string, What> =
      files.length > 0
        ? { "Conversation and Files": "both", "Conversation Only": "conversation", "Files Only": "files" }
        : { "Conversation Only": "conversation" };
    const chosen = await vscode.window.showWarningMessage(
      "Rewind to before this prompt?",
      { modal: true, detail },
      ...Object.keys(choices),
    );
    return chosen ? choices[chosen] : undefined;
  }

  private async report(done: SessionRewindResult): Promise<void> {
    const kept =
      done.conflicts.length > 0 ? ` ${done.conflicts.length} were left alone: you changed them since.` : "";
    const chosen = await vscode.window.showInformationMessage(
      `Went back${done.files.length > 0 ? `, files too (${done.files.length})` : ""}.${kept}`,
      "Undo the Rewind",
    );
    if (chosen) await vscode.commands.executeCommand("agls.rewind.undo");
  }
}

function nameOf(uri: string): string {
  return vscode.workspace.asRelativePath(vscode.Uri.parse(uri));
}
