/** Pickers for what a session works with: model, mode, effort, budgets. */

import * as vscode from "vscode";
import type { Keys } from "../server/keys";
import { MODES } from "../store/modes";
import type { Conversation } from "./conversation";
import type { Models } from "./models";

const EFFORTS = ["minimal", "low", "medium", "high"];
const BUDGETS = [
  { label: "Turns", value: "maxTurns" },
  { label: "Seconds", value: "maxSeconds" },
  { label: "US dollars", value: "maxCostUsd" },
  { label: "Tokens", value: "maxTotalTokens" },
  { label: "Tool calls", value: "maxToolCalls" },
];

const NO_MODEL = "No model yet: a local model server is found by itself; for a provider, store its key";

interface Row extends vscode.QuickPickItem {
  choose: () => Promise<void>;
}

export class Options {
  constructor(
    private readonly chats: { front: { conversation: Conversation } },
    private readonly models: Models,
    private readonly keys: Keys,
  ) {}

  private get conversation(): Conversation {
    return this.chats.front.conversation;
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
    const rows: Row[] = [
      ...this.models.models.map(({ name, provider, contextWindow }) => ({
        label: name,
        description: provider,
        detail: contextWindow ? `${contextWindow.toLocaleString("en")} tokens` : "",
        choose: () => this.choose(name),
      })),
      {
        label: this.models.models.length > 0 ? "$(edit) Another name…" : "$(edit) Name a model…",
        choose: () => this.name(),
      },
      { label: "$(key) Store a provider's key…", choose: () => this.key() },
      { label: "$(file-code) Open config.toml", choose: () => this.models.openConfig() },
      { label: "$(dashboard) Reasoning effort…", choose: () => this.effort() },
    ];
    const placeHolder = this.models.problem ? NO_MODEL : "The model of this session";
    const chosen = await vscode.window.showQuickPick(rows, { placeHolder });
    await chosen?.choose();
  }

  /** Keep a key; where there is no model yet, one of this provider is named next. */
  async key(host = ""): Promise<void> {
    const stored = await this.keys.set(host);
    if (!stored) return;
    await this.models.refresh();
    if (!this.models.problem) return;
    if (stored.provider) return this.name(stored.provider);
    await this.models.openConfig(); // the address of another host stands there
  }

  /** Name a model: for this session, or for all where none is configured. */
  private async name(provider = ""): Promise<void> {
    const name = await vscode.window.showInputBox({
      title: "agls: the model",
      prompt: provider
        ? `The name that ${provider} has for the model, behind “${provider}/”`
        : "A model or tier of config.toml, or PROVIDER/NAME, like anthropic/NAME",
      value: provider ? `${provider}/` : "",
      valueSelection: provider ? [provider.length + 1, provider.length + 1] : undefined,
      ignoreFocusOut: true,
    });
    if (!name?.trim() || name.endsWith("/")) return;
    await this.choose(name.trim());
  }

  /** For this session; where no run could begin, for all. */
  private async choose(name: string): Promise<void> {
    if (this.models.problem) await this.models.use(name);
    else await this.conversation.setOption("model", name);
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
