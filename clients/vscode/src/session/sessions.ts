/** The list of sessions: searched, opened, renamed, forked and deleted. */

import * as vscode from "vscode";
import type { SessionRow } from "../protocol.gen";
import type { Server } from "../server/server";
import type { Conversation } from "./conversation";

interface Row extends vscode.QuickPickItem {
  row: SessionRow;
}

const RENAME = { iconPath: new vscode.ThemeIcon("edit"), tooltip: "Rename" };
const FORK = { iconPath: new vscode.ThemeIcon("repo-forked"), tooltip: "Fork: go on from here in a copy" };
const DELETE = { iconPath: new vscode.ThemeIcon("trash"), tooltip: "Delete" };
const STATES: Record<string, string> = { running: "$(sync) ", requiresAction: "$(question) ", idle: "" };
const PAUSE = 200; // milliseconds after a key before it is searched

export class Sessions {
  constructor(
    private readonly server: Server,
    private readonly conversation: Conversation,
    private readonly failed: (problem: unknown) => void,
  ) {}

  /** Let the user choose; the chosen one is opened. */
  pick(search = ""): void {
    const picker = vscode.window.createQuickPick<Row>();
    picker.placeholder = "Sessions of this folder; type to search titles and what was said";
    picker.matchOnDescription = true;
    picker.value = search;
    let timer: NodeJS.Timeout | undefined;
    const load = () => void this.load(picker).catch(this.failed);
    picker.onDidChangeValue(() => {
      clearTimeout(timer);
      timer = setTimeout(load, PAUSE);
    });
    picker.onDidTriggerItemButton(
      ({ item, button }) => void this.follow(item.row, button, picker.value).catch(this.failed),
    );
    picker.onDidAccept(() => {
      const [chosen] = picker.selectedItems;
      picker.hide();
      if (chosen) void this.conversation.open(chosen.row.sessionId).catch(this.failed);
    });
    picker.onDidHide(() => {
      clearTimeout(timer);
      picker.dispose();
    });
    picker.show();
    load();
  }

  async fork(sessionId: string, atItemId?: string): Promise<void> {
    const made = await this.server.request("agent/session/fork", {
      sessionId,
      ...(atItemId ? { atItemId } : {}),
    });
    await this.conversation.open(made.sessionId);
  }

  private async load(picker: vscode.QuickPick<Row>): Promise<void> {
    picker.busy = true;
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.toString();
    const search = picker.value.trim();
    const cwd = folder ? { cwd: folder } : {};
    const { sessions } = await this.server.request("agent/session/list", {
      ...cwd,
      ...(search ? { search } : {}),
      limit: 100,
    });
    if (picker.value.trim() !== search) return;
    picker.items = sessions.map((row) => ({
      row,
      label: `${STATES[row.state] ?? ""}${row.title || "(no title)"}`,
      description: `${new Date(row.updatedAt).toLocaleString()}${row.sessionId === this.conversation.sessionId ? " · open" : ""}`,
      alwaysShow: true,
      buttons: [RENAME, FORK, DELETE],
    }));
    picker.busy = false;
  }

  /** Do it; then the list is there again, for the next. */
  private async follow(row: SessionRow, button: vscode.QuickInputButton, search: string): Promise<void> {
    const { sessionId } = row;
    if (button === FORK) return this.fork(sessionId);
    if (button === RENAME) {
      const title = await vscode.window.showInputBox({ prompt: "The new title", value: row.title });
      if (title) await this.server.request("agent/session/rename", { sessionId, title });
    } else {
      const sure = `Delete the session “${row.title || "(no title)"}” for good?`;
      if ((await vscode.window.showWarningMessage(sure, { modal: true }, "Delete")) !== "Delete") return;
      await this.server.request("agent/session/delete", { sessionId });
      if (sessionId === this.conversation.sessionId) await this.conversation.begin();
    }
    this.pick(search);
  }
}
