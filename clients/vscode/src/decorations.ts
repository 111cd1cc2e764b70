/** How lines look that a model wrote. */

import * as vscode from "vscode";

export function addedLines(): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("agls.addedLine"),
    borderColor: new vscode.ThemeColor("agls.addedMark"),
    borderStyle: "solid",
    borderWidth: "0 0 0 3px",
    overviewRulerColor: new vscode.ThemeColor("agls.addedMark"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
}
