/** Notifications for who does not look at the chat: a question waits, a run has ended. */

import * as vscode from "vscode";
import type { AskUserParams, Event, PermissionParams } from "../protocol.gen";
import type { Questions } from "./questions";

interface View {
  visible: boolean;
  reveal(): Promise<void>;
}

export class Notify {
  constructor(
    private readonly chat: () => View,
    private readonly questions: () => Questions,
  ) {}

  /** Show a question where it can be answered without the chat. */
  asked(asked: PermissionParams | AskUserParams): void {
    if (!wanted() || this.chat().visible) return;
    void ("options" in asked ? this.permission(asked) : this.form(asked as AskUserParams));
  }

  ended(event: Event): void {
    if (!wanted() || (this.chat().visible && vscode.window.state.focused)) return;
    const reason = String(event.data["stopReason"]);
    if (reason === "cancelled") return;
    const error = event.data["error"] as { message?: string } | undefined;
    const text = error ? `agls: the run failed. ${error.message ?? ""}` : "agls: the run has ended.";
    const show = error ? vscode.window.showErrorMessage : vscode.window.showInformationMessage;
    void show(text, "Show").then((chosen) => chosen && this.chat().reveal());
  }

  private async permission(asked: PermissionParams): Promise<void> {
    const subject = asked.subject ?? {};
    const command =
      subject["type"] === "command" ? `: ${String(subject["command"])} (in ${String(subject["cwd"])})` : "";
    const options = asked.options ?? [];
    const labels = options.filter((option) => option.scope === "once").map((option) => option.label);
    // A diff does not fit into a notification: edits are judged where they can be seen.
    const buttons = subject["type"] === "edit" ? ["Show"] : [...labels, "Show"];
    const chosen = await vscode.window.showWarningMessage(`agls: ${asked.title}${command}`, ...buttons);
    if (chosen === "Show") return this.chat().reveal();
    const option = options.find(({ label }) => label === chosen);
    if (option) this.questions().answer(asked.requestId, { outcome: "selected", optionId: option.optionId });
  }

  private async form(asked: AskUserParams): Promise<void> {
    const chosen = await vscode.window.showInformationMessage(`agls asks: ${asked.message}`, "Answer");
    if (chosen) await this.chat().reveal();
  }
}

function wanted(): boolean {
  return vscode.workspace.getConfiguration("agls").get("notify", true);
}
