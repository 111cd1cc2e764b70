/** The item in the status bar: how it is, and what can be done about it. */

import * as vscode from "vscode";
import type { Conversation } from "../session/conversation";
import type { Server } from "./server";

interface Row extends vscode.QuickPickItem {
  command: string;
  argument?: string;
}

const ROWS: Row[] = [
  { label: "$(comment-discussion) Open the chat", command: "aglet.chat.open" },
  { label: "$(history) Sessions…", command: "aglet.sessions" },
  { label: "$(pulse) Check the server", command: "aglet.server.doctor" },
  { label: "$(output) Show the log", command: "aglet.server.logs" },
  { label: "$(debug-restart) Restart the server", command: "aglet.server.restart" },
  { label: "$(cloud-download) Set up the server anew", command: "aglet.server.install" },
  { label: "$(key) Store a provider's key…", command: "aglet.key.set" },
  { label: "$(gear) Settings", command: "workbench.action.openSettings", argument: "aglet" },
];

export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    "aglet.status",
    vscode.StatusBarAlignment.Right,
    90,
  );
  private readonly watching: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly conversation: Conversation,
  ) {
    this.item.name = "aglet";
    this.item.command = "aglet.server.menu";
    const draw = () => this.draw();
    this.watching = vscode.Disposable.from(
      server.onState(draw),
      conversation.onEvents(draw),
      conversation.onReplaced(draw),
    );
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

  private draw(): void {
    const { icon, told, colour } = this.look();
    this.item.text = `$(${icon}) aglet`;
    this.item.tooltip = this.server.problem || `aglet: ${told}`;
    this.item.accessibilityInformation = { label: `aglet: ${told}`, role: "button" };
    this.item.backgroundColor = colour ? new vscode.ThemeColor(`statusBarItem.${colour}`) : undefined;
  }

  private look(): { icon: string; told: string; colour?: string } {
    switch (this.server.state) {
      case "missing":
        return { icon: "circle-slash", told: "not set up" };
      case "failed":
        return { icon: "error", told: "error", colour: "errorBackground" };
      case "starting":
        return { icon: "loading~spin", told: "starting" };
      case "ready":
        break;
    }
    const { state } = this.conversation.transcript;
    if (state === "requiresAction")
      return { icon: "question", told: "waiting for you", colour: "warningBackground" };
    return state === "running" ? { icon: "sync~spin", told: "running" } : { icon: "check", told: "ready" };
  }
}
