/** The list of sessions: searched, opened, renamed, forked and deleted. */

import * as vscode from "vscode";
import type { SessionRow } from "../protocol.gen";
import type { Server } from "../server/server";
import { dayOf } from "../store/days";
import type { Chats } from "../chat/chats";

/** A session, or the way to the page of older ones that begins at `cursor`. */
type Row = vscode.QuickPickItem & { row?: SessionRow; cursor?: string };

const RENAME = { iconPath: new vscode.ThemeIcon("edit"), tooltip: "Rename" };
const TAB = { iconPath: new vscode.ThemeIcon("open-preview"), tooltip: "Open in an editor tab" };
const FORK = { iconPath: new vscode.ThemeIcon("repo-forked"), tooltip: "Fork: go on from here in a copy" };
const DELETE = { iconPath: new vscode.ThemeIcon("trash"), tooltip: "Delete" };
const STATES: Record<string, string> = { running: "$(sync) ", requiresAction: "$(question) ", idle: "" };
const PAUSE = 200; // milliseconds after a key before it is searched
const PAGE = 100; // sessions
const OLDER = "Older sessions…";

export class Sessions {
  constructor(
    private readonly server: Server,
    private readonly chats: Chats,
    private readonly failed: (problem: unknown) => void,
  ) {}

  /** Let the user choose; the chosen one is opened. */
  pick(search = ""): void {
    const picker = vscode.window.createQuickPick<Row>();
    picker.placeholder = "Sessions of this folder; type to search titles and conversations";
    picker.matchOnDescription = true;
    picker.value = search;
    let timer: NodeJS.Timeout | undefined;
    const load = (cursor = "") => void this.load(picker, cursor).catch(this.failed);
    picker.onDidChangeValue(() => {
      clearTimeout(timer);
      timer = setTimeout(load, PAUSE);
    });
    picker.onDidTriggerItemButton(
      ({ item: { row }, button }) => row && void this.follow(row, button, picker).catch(this.failed),
    );
    picker.onDidAccept(() => {
      const [chosen] = picker.selectedItems;
      if (chosen?.cursor) return load(chosen.cursor);
      picker.hide();
      if (chosen?.row) void this.chats.open(chosen.row.sessionId).catch(this.failed);
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
    await this.chats.front.conversation.open(made.sessionId);
  }

  /** Show the newest sessions, or behind those that are shown the page that begins at `cursor`. */
  private async load(picker: vscode.QuickPick<Row>, cursor: string): Promise<void> {
    picker.busy = true;
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.toString();
    const search = picker.value.trim();
    const asked = { ...(folder ? { cwd: folder } : {}), search, cursor, limit: PAGE };
    const { sessions, nextCursor } = await this.server.request("agent/session/list", asked);
    if (picker.value.trim() !== search) return;
    // What helpers did stands in the session that they worked for; who searches may mean their words.
    const meant = search ? sessions : sessions.filter(({ parentItemId }) => !parentItemId);
    const rows = this.grouped(meant, cursor ? picker.items : []);
    const older: Row[] = nextCursor ? [{ cursor: nextCursor, label: OLDER, alwaysShow: true }] : [];
    const known = cursor ? picker.items.filter((item) => !item.cursor) : [];
    picker.items = [...known, ...rows, ...older];
    if (cursor) picker.activeItems = rows.slice(0, 1);
    picker.busy = false;
  }

  /** The sessions under the days on which they were used last; `before` stand above them already. */
  private grouped(sessions: readonly SessionRow[], before: readonly Row[]): Row[] {
    const rows: Row[] = [];
    let day = before.findLast(({ kind }) => kind === vscode.QuickPickItemKind.Separator)?.label ?? "";
    for (const row of sessions) {
      const next = dayOf(new Date(row.updatedAt), new Date());
      if (next !== day) rows.push({ label: next, kind: vscode.QuickPickItemKind.Separator });
      day = next;
      rows.push({ row, ...this.shown(row) });
    }
    return rows;
  }

  private shown(row: SessionRow): vscode.QuickPickItem {
    const { sessionId, state, title, updatedAt } = row;
    const open = this.chats.showing(sessionId) ? " · open" : "";
    return {
      label: `${STATES[state] ?? ""}${title || "(no title)"}`,
      description: `${new Date(updatedAt).toLocaleTimeString([], { timeStyle: "short" })}${open}${marksOf(row)}`,
      alwaysShow: true,
      buttons: [TAB, RENAME, FORK, DELETE],
    };
  }

  /** Do it; then the list is there again, unless another session is. */
  private async follow(
    row: SessionRow,
    button: vscode.QuickInputButton,
    picker: vscode.QuickPick<Row>,
  ): Promise<void> {
    const { sessionId } = row;
    picker.hide();
    if (button === TAB) return this.chats.openTab(sessionId);
    if (button === FORK) return this.fork(sessionId);
    if (button === RENAME) {
      const title = await vscode.window.showInputBox({ prompt: "The new title", value: row.title });
      if (title) await this.server.request("agent/session/rename", { sessionId, title });
    } else {
      const sure = `Delete the session “${row.title || "(no title)"}” for good?`;
      if ((await vscode.window.showWarningMessage(sure, { modal: true }, "Delete")) !== "Delete") return;
      await this.server.request("agent/session/delete", { sessionId });
      await this.chats.showing(sessionId)?.conversation.begin();
    }
    this.pick(picker.value);
  }
}

/** What is known of a session besides its title. */
function marksOf({ interrupted, archived, parentItemId, tags = [] }: SessionRow): string {
  const marks = [
    ...(parentItemId ? ["of a helper"] : []),
    ...(interrupted ? ["interrupted"] : []),
    ...(archived ? ["archived"] : []),
    ...tags,
  ];
  return marks.map((mark) => ` · ${mark}`).join("");
}
