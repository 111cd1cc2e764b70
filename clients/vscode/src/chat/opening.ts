/** What a click in the chat opens: a link of the model's, a file, the whole output of a command. */

import * as vscode from "vscode";
import type { Server } from "../server/server";
import type { Conversation } from "../session/conversation";
import { unlinked } from "../session/permission_text";
import { textOf } from "../store/patch";
import type { TextDocuments } from "../text_documents";
import { visible } from "../webview/visible";
import { isBelow, placeOf } from "./places";

const WHOLE = { start: 0, end: 16 * 1024 * 1024 };

/** An address is opened after the editor asked; a path of the folder in the editor. */
export async function follow(href: string, worksIn: vscode.Uri | undefined): Promise<void> {
  if (/^(https?|mailto):/i.test(href)) {
    // As it is: an address that becomes a Uri and text again has other escapes, and a login is refused then.
    await vscode.env.openExternal(href as unknown as vscode.Uri);
    return;
  }
  const [, path = "", line] = /^(.*?)(?:[:#]L?(\d+))?$/.exec(decodeURIComponent(href)) ?? [];
  if (!path || /^[a-z]+:/i.test(path)) return;
  const uri = await placeOf(path, worksIn);
  if (uri) await openFile(uri, worksIn, line ? Number(line) - 1 : undefined);
}

export async function openFile(uri: vscode.Uri, worksIn?: vscode.Uri, line?: number): Promise<void> {
  const isOpened = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
  if (!(isOpened || isBelow(uri, worksIn) || (await isWanted(uri)))) return;
  const selection = line === undefined ? {} : { selection: new vscode.Range(line, 0, line, 0) };
  await vscode.window.showTextDocument(uri, { preview: true, ...selection });
}

export async function showOutput(
  itemId: string,
  { sessionId, transcript }: Conversation,
  server: Server,
  texts: TextDocuments,
): Promise<void> {
  const item = transcript.items.get(itemId);
  const whole = await server
    .request("agent/item", { sessionId, itemId, field: "output", range: WHOLE })
    .catch(() => undefined);
  const name = textOf(item?.["title"], "Output").slice(0, 60);
  await texts.show(`${name}.log`, whole?.text ?? textOf(item?.["output"]));
}

/** Nothing outside of the opened folders and the session's own comes up by a click alone. */
async function isWanted({ scheme, fsPath }: vscode.Uri): Promise<boolean> {
  if (scheme !== "file") return false;
  const outside = `${unlinked(visible(fsPath))} is outside of the opened folder.`;
  return (await vscode.window.showInformationMessage(outside, "Open")) === "Open";
}
