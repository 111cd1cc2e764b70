/** What the user does with a block of code in the chat: it goes where they work, and they go on with it. */

import * as vscode from "vscode";

/** Put it in place of what is selected, else at the cursor. */
export async function insert(text: string): Promise<void> {
  const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
  if (!editor) throw new Error("Open the file first in which this code shall be.");
  await editor.edit((edit) => edit.replace(editor.selection, text.replace(/\n$/, "")));
  await vscode.window.showTextDocument(editor.document, {
    viewColumn: editor.viewColumn,
    preserveFocus: false,
  });
}

/** Write it where a command is written; it is the user who runs it. */
export function writeInTerminal(text: string): void {
  const command = text.trim().replace(/^\$ /, "");
  if (/\p{Cc}/u.test(command)) throw new Error("That is more than one line. Copy what you want to run.");
  const terminal = vscode.window.activeTerminal ?? vscode.window.createTerminal();
  terminal.show();
  terminal.sendText(command, false);
}
