/** Notebooks as they are open here: shown to the agent in words, and changed for it, cell by cell, unsaved. */

import { realpathSync } from "node:fs";
import * as vscode from "vscode";
import type {
  EditNotebookAnswer,
  EditNotebookParams,
  NotebookAnswer,
  NotebookParams,
  ShownCell,
  ShownNotebook,
} from "../protocol.gen";

const STREAM = "application/vnd.code.notebook.std";
const ERROR = "application/vnd.code.notebook.error";
const REFUSED = "the editor did not take the change";

/** Show the notebook that is open as such. */
export function shownNotebook({ uri }: NotebookParams): NotebookAnswer {
  const found = open(uri);
  return found ? { notebook: shown(found) } : {};
}

/** Change one cell, if the notebook is still what the agent saw. What cells printed stays. */
export async function editNotebook(asked: EditNotebookParams): Promise<EditNotebookAnswer> {
  const notebook = open(asked.uri);
  if (!notebook) return { failureReason: "it is not open any more" };
  if (version(notebook) !== asked.version) return { failureReason: "it was changed meanwhile" };
  const { cell, action, source = "" } = asked;
  if (cell > notebook.cellCount || (cell === notebook.cellCount && action !== "insert"))
    return { failureReason: `there is no cell ${cell}` };
  const edit = new vscode.WorkspaceEdit();
  if (action === "replace") {
    const { document } = notebook.cellAt(cell);
    const end = document.lineAt(document.lineCount - 1).range.end;
    edit.replace(document.uri, new vscode.Range(new vscode.Position(0, 0), end), source);
  } else if (action === "insert") {
    edit.set(notebook.uri, [vscode.NotebookEdit.insertCells(cell, [made(notebook, asked.type, source)])]);
  } else if (action === "delete") {
    edit.set(notebook.uri, [vscode.NotebookEdit.deleteCells(new vscode.NotebookRange(cell, cell + 1))]);
  } else return { failureReason: `${action} is not known here` };
  if (!(await vscode.workspace.applyEdit(edit))) return { failureReason: REFUSED };
  return { notebook: shown(notebook) };
}

function open(uri: string): vscode.NotebookDocument | undefined {
  const wanted = real(vscode.Uri.parse(uri));
  return vscode.workspace.notebookDocuments.find((one) => !one.isClosed && real(one.uri) === wanted);
}

/** The same file has several names where links lead to it. */
function real(uri: vscode.Uri): string {
  if (uri.scheme !== "file") return uri.toString();
  try {
    return realpathSync(uri.fsPath);
  } catch {
    return uri.fsPath;
  }
}

/** VS Code counts the changes of a notebook and of its cells apart. */
function version(notebook: vscode.NotebookDocument): string {
  const cells = notebook.getCells().map(({ document }) => `${document.uri.fragment}.${document.version}`);
  return [notebook.version, ...cells].join(" ");
}

function shown(notebook: vscode.NotebookDocument): ShownNotebook {
  return {
    version: version(notebook),
    unsaved: notebook.isDirty,
    cells: notebook.getCells().map(cellInWords),
  };
}

function cellInWords(cell: vscode.NotebookCell): ShownCell {
  const order = cell.executionSummary?.executionOrder;
  const output = cell.outputs.map(inWords).filter(Boolean).join("\n");
  return {
    type: typeOf(cell),
    source: cell.document.getText().replaceAll("\r\n", "\n"),
    ...(order === undefined ? {} : { executionCount: order }),
    ...(output ? { output } : {}),
  };
}

function typeOf({ kind, document }: vscode.NotebookCell): string {
  if (kind === vscode.NotebookCellKind.Markup) return "markdown";
  return document.languageId === "raw" ? "raw" : "code";
}

/** What a cell printed: its text, an error, or which kinds of picture there are. */
function inWords({ items }: vscode.NotebookCellOutput): string {
  const text = (item: vscode.NotebookCellOutputItem): string => new TextDecoder().decode(item.data).trimEnd();
  const printed = items.filter(({ mime }) => mime.startsWith(STREAM));
  if (printed.length > 0) return printed.map(text).join("\n");
  const error = items.find(({ mime }) => mime === ERROR);
  if (error) {
    const { name = "Error", message = "" } = JSON.parse(text(error)) as { name?: string; message?: string };
    return `${name}: ${message}`;
  }
  const plain = items.find(({ mime }) => mime === "text/plain");
  const others = items.map(({ mime }) => mime).filter((mime) => (plain ? mime.startsWith("image/") : true));
  return [plain ? text(plain) : "", others.length > 0 ? `[${others.join(", ")}]` : ""]
    .filter(Boolean)
    .join(" ");
}

function made(notebook: vscode.NotebookDocument, type = "code", source: string): vscode.NotebookCellData {
  if (type === "markdown")
    return new vscode.NotebookCellData(vscode.NotebookCellKind.Markup, source, "markdown");
  const code = notebook.getCells().find((cell) => typeOf(cell) === "code");
  const language = type === "raw" ? "raw" : (code?.document.languageId ?? "python");
  return new vscode.NotebookCellData(vscode.NotebookCellKind.Code, source, language);
}
