/** Reports to the server which lines of which file the user sees and has selected. */

import * as vscode from "vscode";
import type { Server } from "./server/server";

const PAUSE = 250; // milliseconds without a move before it is reported

export function reportFocus(server: Server): vscode.Disposable {
  let timer: NodeJS.Timeout | undefined;
  const report = () => {
    const editor = vscode.window.activeTextEditor;
    if (!editor || editor.document.uri.scheme !== "file") return;
    const uri = editor.document.uri.toString();
    server.notify("agent/focus", {
      uri,
      selection: plain(editor.selection),
      visible: editor.visibleRanges.map(plain),
    });
  };
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(report, PAUSE);
  };
  return vscode.Disposable.from(
    vscode.window.onDidChangeActiveTextEditor(later),
    vscode.window.onDidChangeTextEditorSelection(later),
    vscode.window.onDidChangeTextEditorVisibleRanges(later),
    { dispose: () => clearTimeout(timer) },
  );
}

function plain({ start, end }: vscode.Range): Record<string, unknown> {
  const point = ({ line, character }: vscode.Position) => ({ line, character });
  return { start: point(start), end: point(end) };
}
