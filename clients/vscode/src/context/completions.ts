/** What can be put behind an `@` (files, folders, symbols, addresses) and a `/` (actions). */

import * as vscode from "vscode";
import type { Completion } from "../chat/messages";
import type { Action } from "../protocol.gen";
import { baseName } from "../store/patch";

const MOST = 12;
const LOOKED_AT = 5000; // files

const SPECIAL: Completion[] = [
  {
    label: "problems",
    detail: "errors and warnings of all files",
    insert: "@problems ",
    attach: { kind: "problems", uri: "" },
  },
  { label: "tabs", detail: "all open files", insert: "@tabs ", attach: { kind: "tabs", uri: "" } },
];

export async function mentions(word: string): Promise<Completion[]> {
  if (/^https?:\/\//.test(word)) {
    return [{ label: word, detail: "address", insert: `${word} `, attach: { kind: "url", uri: word } }];
  }
  const [paths, symbols] = await Promise.all([files(word), word.length > 1 ? symbolsOf(word) : []]);
  return [...SPECIAL.filter(({ label }) => word && label.startsWith(word)), ...paths, ...symbols].slice(
    0,
    MOST,
  );
}

export function slashes(actions: readonly Action[], word: string): Completion[] {
  const fits = actions.filter((action) => action.slash && matches(action.slash, word) > 0);
  return fits.slice(0, MOST).map((action) => {
    const slash = action.slash.startsWith("/") ? action.slash : `/${action.slash}`;
    return { label: slash, detail: action.title, insert: `${slash} ` };
  });
}

async function files(word: string): Promise<Completion[]> {
  const found = await vscode.workspace.findFiles("**/*", undefined, LOOKED_AT);
  const folders = new Map<string, vscode.Uri>();
  for (const uri of found) {
    const parent = vscode.Uri.joinPath(uri, "..");
    const name = vscode.workspace.asRelativePath(parent);
    if (
      name !== parent.fsPath &&
      !vscode.workspace.getWorkspaceFolder(parent)?.uri.path.endsWith(parent.path)
    ) {
      folders.set(name, parent);
    }
  }
  const candidates = [
    ...found.map((uri) => ({ kind: "file" as const, name: vscode.workspace.asRelativePath(uri), uri })),
    ...[...folders].map(([name, uri]) => ({ kind: "folder" as const, name: `${name}/`, uri })),
  ];
  return candidates
    .map((one) => ({ ...one, score: matches(one.name, word) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.name.length - b.name.length)
    .slice(0, MOST)
    .map(({ kind, name, uri }) => ({
      label: baseName(name.replace(/\/$/, "")),
      detail: name,
      insert: `@${name} `,
      attach: { kind, uri: uri.toString() },
    }));
}

async function symbolsOf(word: string): Promise<Completion[]> {
  const found = await vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>(
    "vscode.executeWorkspaceSymbolProvider",
    word,
  );
  return (found ?? []).slice(0, 5).map((symbol) => {
    const { uri, range } = symbol.location;
    const at = `${uri.toString()}#L${range.start.line + 1}-L${range.end.line + 1}`;
    return {
      label: symbol.name,
      detail: `${vscode.SymbolKind[symbol.kind]} in ${vscode.workspace.asRelativePath(uri)}`,
      insert: `@${symbol.name} `,
      attach: { kind: "symbol", uri: at },
    };
  });
}

/** How well a word fits a name: 0 not at all; the end of a path counts most. */
export function matches(name: string, word: string): number {
  const [text, sought] = [name.toLowerCase(), word.toLowerCase()];
  if (!sought) return 1;
  const base = baseName(text.replace(/\/$/, ""));
  if (base.startsWith(sought)) return 4;
  if (base.includes(sought)) return 3;
  if (text.includes(sought)) return 2;
  let at = -1;
  for (const character of sought) {
    at = text.indexOf(character, at + 1);
    if (at < 0) return 0;
  }
  return 1;
}
