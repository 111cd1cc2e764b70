/** The server's actions as a view: agents, skills, MCP servers, permissions and all else that it offers, by their headings. */

import * as vscode from "vscode";
import type { Action } from "../protocol.gen";
import type { Server } from "../server/server";
import type { Chats } from "../chat/chats";
import { byGroup } from "./actions";
import { setContext } from "../settings";

const SHOWN = "agls.showsActions"; // whether the user has it open

type Node = { group: string; actions: Action[] } | { action: Action };

export class ActionsView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly watching: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly chats: Chats,
    private readonly memory: vscode.Memento,
  ) {
    setContext("showsActions", memory.get(SHOWN, false));
    const again = () => this.changed.fire();
    this.watching = vscode.Disposable.from(
      server.onState(again),
      chats.onCommands(again),
      vscode.window.registerTreeDataProvider("agls.actions", this),
    );
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (node) return "actions" in node ? node.actions.map((action) => ({ action })) : [];
    if (this.server.state !== "ready") return [];
    return byGroup(await this.chats.front.conversation.actions()).map(([group, actions]) => ({
      group,
      actions,
    }));
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if ("actions" in node) return new vscode.TreeItem(node.group, vscode.TreeItemCollapsibleState.Collapsed);
    const { title, slash, description } = node.action;
    const item = new vscode.TreeItem(title);
    item.description = slash;
    item.tooltip = description;
    item.command = { command: "agls.action", title, arguments: [node.action] };
    return item;
  }

  /** It has half of the side bar until it is closed again: one that is folded would open six rows high. */
  async show(): Promise<void> {
    await this.keep(true);
    await vscode.commands.executeCommand("agls.actions.focus");
  }

  hide(): Promise<void> {
    return this.keep(false);
  }

  private async keep(shown: boolean): Promise<void> {
    await vscode.commands.executeCommand("setContext", SHOWN, shown);
    await this.memory.update(SHOWN, shown);
  }

  /** Do the action that was clicked: what it needs is asked for, and what came of it is shown. */
  run(action: Action): Promise<void> {
    return this.chats.front.actions.run(action);
  }

  dispose(): void {
    this.watching.dispose();
    this.changed.dispose();
  }
}
