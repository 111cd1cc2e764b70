/** What is offered with a prompt unasked: the active file or its selection, its problems, the other open tabs. */

import { existsSync } from "node:fs";
import * as vscode from "vscode";
import type { Chip } from "../chat/messages";
import type { Content } from "../protocol.gen";
import { baseName } from "../store/patch";

const MOST_PROBLEMS = 50;
const MOST_TABS = 20;
const LONGEST = 200_000; // characters of one attached text

export interface Attached {
  chip: Chip;
  content: () => Content[] | Promise<Content[]>;
}

/** All that can be offered now; the id of each names what it is, not how it is at the moment. */
export function offers(): Attached[] {
  const settings = vscode.workspace.getConfiguration("agls.context");
  const wanted = (name: string) => settings.get<boolean>(name, true);
  const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
  const document = editor && isOffered(editor.document.uri) ? editor.document : undefined;
  return [
    ...(editor && document && wanted("activeFile") ? [active(editor)] : []),
    ...(document && wanted("diagnostics") ? problemsOf(document.uri) : []),
    ...(wanted("openTabs") ? tabs(document?.uri) : []),
  ].map((one) => ({ ...one, chip: { ...one.chip, offered: true } }));
}

/** Files of the opened folders, and what has no place for a file yet; others only when the user attaches them. */
function isOffered(uri: vscode.Uri): boolean {
  if (uri.scheme === "untitled" && !uri.path.startsWith("/")) return true;
  const isFile = uri.scheme === "file" || uri.scheme === "untitled";
  return isFile && !!vscode.workspace.getWorkspaceFolder(uri.with({ scheme: "file" }));
}

function active({ document, selection }: vscode.TextEditor): Attached {
  const name = vscode.workspace.asRelativePath(document.uri);
  if (selection.isEmpty) {
    const link: Content = { type: "resourceLink", uri: document.uri.toString(), name };
    return {
      chip: { id: `file ${name}`, kind: "file", label: baseName(name), detail: name },
      content: () => [link],
    };
  }
  const range = new vscode.Range(selection.start, selection.end);
  const lines = labelled(document, range);
  return {
    chip: { id: `selection ${lines.detail}`, kind: "selection", ...lines },
    content: () => [resource(document, range)],
  };
}

/** Errors and warnings of a file; nothing when there are none. */
function problemsOf(uri: vscode.Uri): Attached[] {
  const name = vscode.workspace.asRelativePath(uri);
  const lines = wrong(vscode.languages.getDiagnostics(uri)).map((problem) => lineOf(name, problem));
  if (lines.length === 0) return [];
  const label = lines.length === 1 ? "1 problem" : `${lines.length} problems`;
  const more = lines.length > MOST_PROBLEMS ? [`… and ${lines.length - MOST_PROBLEMS} more`] : [];
  const text = [...lines.slice(0, MOST_PROBLEMS), ...more].join("\n");
  const chip: Chip = {
    id: `problems ${name}`,
    kind: "diagnostic",
    label,
    detail: `${label} in ${name}`,
  };
  return [{ chip, content: () => [{ type: "resource", uri: `problems:${name}`, text }] }];
}

/** The errors and warnings among what is shown; hints are not wrong. */
export function wrong(shown: readonly vscode.Diagnostic[]): vscode.Diagnostic[] {
  return shown.filter(({ severity }) => severity <= vscode.DiagnosticSeverity.Warning);
}

function lineOf(name: string, { range, severity, message, source }: vscode.Diagnostic): string {
  const kind = severity === vscode.DiagnosticSeverity.Error ? "error" : "warning";
  const by = source ? ` [${source}]` : "";
  return `${name}:${range.start.line + 1}:${range.start.character + 1}: ${kind}: ${message}${by}`;
}

/** The files that are open in tabs, but for this one; nothing when there are no others. */
function tabs(but?: vscode.Uri): Attached[] {
  const uris = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : []))
    .filter((uri) => uri.scheme === "file" && isOffered(uri) && uri.toString() !== but?.toString())
    .filter((uri) => existsSync(uri.fsPath)); // a tab stays when its file is deleted
  const links = new Map(uris.map((uri) => [uri.toString(), vscode.workspace.asRelativePath(uri)]));
  if (links.size === 0) return [];
  const chip: Chip = {
    id: "tabs",
    kind: "tabs",
    label: links.size === 1 ? "1 open tab" : `${links.size} open tabs`,
    detail: [...links.values()].join(", "),
  };
  const content = [...links]
    .slice(0, MOST_TABS)
    .map(([uri, name]): Content => ({ type: "resourceLink", uri, name }));
  const there = (block: Content) => "uri" in block && existsSync(vscode.Uri.parse(block.uri).fsPath);
  return [{ chip, content: () => content.filter(there) }];
}

export function labelled(
  document: vscode.TextDocument,
  range: vscode.Range,
): { label: string; detail: string } {
  const name = vscode.workspace.asRelativePath(document.uri);
  const [first, last] = [range.start.line + 1, lastLine(range)];
  const lines = first >= last ? `${first}` : `${first}–${last}`;
  return { label: `${baseName(name)}:${lines}`, detail: `${name}:${lines}` };
}

/** Lines of a document as they are now, unsaved or not. */
export function resource(document: vscode.TextDocument, range: vscode.Range): Content {
  const uri = `${document.uri.toString()}#L${range.start.line + 1}-L${lastLine(range)}`;
  return { type: "resource", uri, text: document.getText(range).slice(0, LONGEST) };
}

/** The last line of which something is in the range, from 1. */
function lastLine(range: vscode.Range): number {
  return range.end.line + (range.end.character > 0 || range.isEmpty ? 1 : 0);
}
