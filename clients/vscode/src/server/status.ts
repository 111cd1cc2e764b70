/** The item in the status bar: how it is, and what can be done about it. */

import * as vscode from "vscode";
import type { Chats } from "../chat/chats";
import type { Models } from "../session/models";
import type { Questions } from "../session/questions";
import type { Server } from "./server";

interface Row extends vscode.QuickPickItem {
  command: string;
  argument?: string;
}

const ROWS: Row[] = [
  { label: "$(comment-discussion) Open the chat", command: "agls.chat.open" },
  { label: "$(history) Sessions…", command: "agls.sessions" },
  { label: "$(pulse) Check the server", command: "agls.server.doctor" },
  { label: "$(output) Show the log", command: "agls.server.logs" },
  { label: "$(debug-restart) Restart the server", command: "agls.server.restart" },
  { label: "$(cloud-download) Set up the server anew", command: "agls.server.install" },
  { label: "$(key) Store a provider's key…", command: "agls.key.set" },
  { label: "$(gear) Settings", command: "workbench.action.openSettings", argument: "agls" },
];

interface Look {
  icon: string;
  /** How it is, in words. */
  label: string;
  colour?: string;
  /** Where a click leads; to the menu where nothing else is more urgent. */
  command?: string;
}

const STARTING: Look = { icon: "loading~spin", label: "starting" };
const MISTAKE: Look = {
  icon: "error",
  label: "mistake in config.toml",
  colour: "errorBackground",
  command: "agls.config.open",
};
const NO_MODEL: Look = {
  icon: "warning",
  label: "no model",
  colour: "warningBackground",
  command: "agls.model",
};

export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    "agls.status",
    vscode.StatusBarAlignment.Right,
    90,
  );
  private readonly watching: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly chats: Chats,
    private readonly questions: Questions,
    private readonly models: Models,
  ) {
    this.item.name = "agls";
    const draw = () => this.draw();
    this.watching = vscode.Disposable.from(server.onState(draw), models.onChange(draw), chats.onChange(draw));
    this.draw();
    this.item.show();
  }

  async menu(): Promise<void> {
    const { state, choice, problem } = this.server;
    const placeHolder = problem || (choice ? `${state}: ${choice.command} (${choice.from})` : state);
    const chosen = await vscode.window.showQuickPick(ROWS, { placeHolder });
    if (!chosen) return;
    await vscode.commands.executeCommand(chosen.command, ...(chosen.argument ? [chosen.argument] : []));
  }

  dispose(): void {
    this.watching.dispose();
    this.item.dispose();
  }

  draw(): void {
    const { icon, label, colour, command } = this.look();
    this.item.text = command ? `$(${icon}) agls: ${label}` : `$(${icon}) agls`;
    this.item.command = command ?? "agls.server.menu";
    this.item.tooltip =
      this.server.problem || (this.models.problemFile && this.models.problem) || `agls: ${label}`;
    this.item.accessibilityInformation = { label: `agls: ${label}`, role: "button" };
    this.item.backgroundColor = colour ? new vscode.ThemeColor(`statusBarItem.${colour}`) : undefined;
  }

  private look(): Look {
    switch (this.server.state) {
      case "missing":
        return { icon: "circle-slash", label: "not set up", command: "agls.chat.open" }; // its card has the way
      case "failed":
        return { icon: "error", label: "error", colour: "errorBackground" };
      case "starting":
        return STARTING;
      case "ready":
        if (!this.models.known) return STARTING;
        break;
    }
    const states = this.chats.all.map(({ conversation }) => conversation.transcript.state);
    if (states.includes("requiresAction") || this.questions.size > 0)
      return {
        icon: "question",
        label: "waiting for you",
        colour: "warningBackground",
        command: "agls.chat.open",
      };
    if (states.includes("running")) return { icon: "sync~spin", label: "running" };
    if (this.models.problemFile) return MISTAKE;
    return this.models.problem ? NO_MODEL : { icon: "check", label: "ready" };
  }
}
