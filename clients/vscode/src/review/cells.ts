/** Notebooks that are open here, and their cells: documents of their own for the editor. */

import * as vscode from "vscode";
import type { Hunk } from "./hunks";

/** The cell that this is the document of. */
export function cellOf(uri: vscode.Uri): vscode.NotebookCell | undefined {
  if (uri.scheme !== "vscode-notebook-cell") return undefined;
  const key = uri.toString();
  const cells = vscode.workspace.notebookDocuments.flatMap((notebook) => notebook.getCells());
  return cells.find(({ document }) => document.uri.toString() === key);
}

/** The document that a change stands in: the cell, of a notebook that is open as one. */
export function documentOf({ uri, cell }: Hunk): vscode.Uri {
  const named = vscode.Uri.parse(uri, true);
  const notebook = cell === undefined ? undefined : notebookAt(named);
  if (!notebook || cell === undefined || notebook.cellCount === 0) return named;
  return notebook.cellAt(cell).document.uri; // a number that is too large is the last one
}

/** Show the cell that a change stands in, ready to be written in. */
export async function showCell({ uri, cell = 0 }: Hunk): Promise<vscode.TextEditor | undefined> {
  const notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.parse(uri, true));
  const cells = new vscode.NotebookRange(cell, cell + 1);
  const shown = await vscode.window.showNotebookDocument(notebook, { selections: [cells] });
  shown.revealRange(cells, vscode.NotebookEditorRevealType.InCenterIfOutsideViewport);
  await vscode.commands.executeCommand("notebook.cell.edit");
  const wanted = notebook.cellCount > 0 ? notebook.cellAt(cell).document : undefined;
  return vscode.window.visibleTextEditors.find(({ document }) => document === wanted);
}

function notebookAt(uri: vscode.Uri): vscode.NotebookDocument | undefined {
  const key = uri.toString();
  return vscode.workspace.notebookDocuments.find((one) => one.uri.toString() === key);
}
