/** Notifications for who does not look at the chat: a question waits, a run has ended. */

import * as vscode from "vscode";
import type { AskUserParams, Event, PermissionParams } from "../protocol.gen";
import type { Questions } from "./questions";
import { sentenceOf } from "../store/ends";
import { notificationOf, unlinked } from "./permission_text";

const OPEN = "Open the Question";
const GONE = "agls is no longer waiting for this answer.";
const WAITS = "agls waits for your answer to a question.";

interface View {
  visible: boolean;
  focus(): Promise<void>;
}

export class Notify {
  constructor(
    /** The chat in which a session is shown. */
    private readonly chat: (sessionId: string) => View,
    private readonly questions: () => Questions,
  ) {}

  /** Show a question where it can be answered without the chat. */
  asked(asked: PermissionParams | AskUserParams): void {
    if (!wanted() || this.chat(asked.sessionId).visible) return;
    void ("options" in asked ? this.permission(asked) : this.form(asked.sessionId));
  }

  ended(event: Event): void {
    if (!wanted() || (this.chat(event.sessionId).visible && vscode.window.state.focused)) return;
    const reason = String(event.data["stopReason"]);
    if (reason === "cancelled") return;
    const error = event.data["error"] as { message?: string } | undefined;
    const text = error ? `agls: the run failed. ${unlinked(error.message ?? "")}` : sentenceOf(reason);
    const show = error ? vscode.window.showErrorMessage : vscode.window.showInformationMessage;
    void show(text, "Show").then((chosen) => chosen && this.chat(event.sessionId).focus());
  }

  private async permission(asked: PermissionParams): Promise<void> {
    const text = notificationOf(asked);
    const options = (asked.options ?? []).filter((option) => option.scope === "once");
    // What a notification would cut, or make a link of, is judged where all of it can be seen.
    const labels = text === undefined ? [] : options.map((option) => option.label);
    const chosen = await vscode.window.showWarningMessage(text ?? WAITS, ...labels, OPEN);
    if (chosen === OPEN) return this.chat(asked.sessionId).focus();
    const option = options.find(({ label }) => label === chosen);
    if (!option) return;
    const answer = { outcome: "selected", optionId: option.optionId };
    // The editor keeps a notification for as long as it likes, also when its question was answered or its server died.
    if (!this.questions().answer(asked.requestId, answer)) void vscode.window.showInformationMessage(GONE);
  }

  private async form(sessionId: string): Promise<void> {
    const chosen = await vscode.window.showInformationMessage(WAITS, OPEN);
    if (chosen) await this.chat(sessionId).focus();
  }
}

function wanted(): boolean {
  return vscode.workspace.getConfiguration("agls").get("notify", true);
}
