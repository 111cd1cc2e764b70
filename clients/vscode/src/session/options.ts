/** Pickers for what a session works with: model, mode, effort, budgets. */

import * as vscode from "vscode";
import type { Model } from "../chat/messages";
import type { Chat } from "../chat/provider";
import type { Server } from "../server/server";
import type { Conversation } from "./conversation";

const MODES = [
  { label: "Ask", value: "ask", detail: "Asks before every edit and command." },
  {
    label: "Accept edits",
    value: "acceptEdits",
    detail: "Edits files of the folder unasked; asks before commands.",
  },
  { label: "Plan", value: "plan", detail: "Only reads, and presents a plan." },
  { label: "Allow all", value: "allowAll", detail: "Asks for nothing. Only where nothing can be lost." },
];
const EFFORTS = ["minimal", "low", "medium", "high"];
const BUDGETS = [
  { label: "Turns", value: "maxTurns" },
  { label: "Seconds", value: "maxSeconds" },
  { label: "US dollars", value: "maxCostUsd" },
  { label: "Tokens", value: "maxTotalTokens" },
  { label: "Tool calls", value: "maxToolCalls" },
];

export class Options {
  constructor(
    private readonly server: Server,
    private readonly conversation: Conversation,
    private readonly chat: Chat,
  ) {}

  /** Ask the server which models there are, for the pickers and the meter. */
  async refresh(): Promise<void> {
    const { models } = await this.server.request("agent/status", {});
    this.chat.tellModels(models as unknown as Model[]);
  }

  async mode(): Promise<void> {
    const now = this.conversation.transcript.options["mode"];
    const rows = MODES.map((row) => ({ ...row, description: row.value === now ? "now" : "" }));
    const chosen = await vscode.window.showQuickPick(rows, { placeHolder: "What may it do unasked?" });
    if (!chosen) return;
    if (chosen.value === "allowAll") {
      const sure =
        "Nothing will be asked any more in this session: every edit and every command is carried out.";
      if (!(await vscode.window.showWarningMessage(sure, { modal: true }, "Allow all"))) return;
    }
    await this.conversation.setOption("mode", chosen.value);
  }

  async model(): Promise<void> {
    const rows = [
      ...this.chat.models.map(({ name, provider, contextWindow }) => ({
        label: name,
        description: provider,
        detail: contextWindow ? `${contextWindow.toLocaleString("en")} tokens` : "",
        value: name,
      })),
      { label: "$(edit) Another name of config.toml…", value: "" },
      { label: "$(dashboard) Reasoning effort…", value: "effort", effort: true },
    ];
    const chosen = await vscode.window.showQuickPick(rows, { placeHolder: "The model of this session" });
    if (!chosen) return;
    if ("effort" in chosen) return this.effort();
    const prompt = "The name of a model of config.toml, or a tier";
    const name = chosen.value || (await vscode.window.showInputBox({ prompt }));
    if (name) await this.conversation.setOption("model", name);
  }

  async effort(): Promise<void> {
    const rows = [{ label: "default", value: null }, ...EFFORTS.map((label) => ({ label, value: label }))];
    const chosen = await vscode.window.showQuickPick(rows, { placeHolder: "How hard shall it think?" });
    if (chosen) await this.conversation.setOption("effort", chosen.value);
  }

  async budget(): Promise<void> {
    const options = this.conversation.transcript.options;
    const rows = BUDGETS.map((row) => ({
      ...row,
      description: options[row.value] ? `now ${String(options[row.value])}` : "",
    }));
    const chosen = await vscode.window.showQuickPick(rows, { placeHolder: "What may a run spend?" });
    if (!chosen) return;
    const given = await vscode.window.showInputBox({
      prompt: `${chosen.label} of a run at most (empty: no limit of this session's own)`,
      validateInput: (text) => (text === "" || Number(text) > 0 ? undefined : "A number above 0"),
    });
    if (given !== undefined)
      await this.conversation.setOption(chosen.value, given === "" ? null : Number(given));
  }
}
