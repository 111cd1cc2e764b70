/** What the language extensions know of code: they are asked for the agent, by VS Code's own commands. */

import * as vscode from "vscode";
import type { CodeQueryAnswer, CodeQueryParams } from "../protocol.gen";

interface Query {
  textDocument?: { uri: string };
  position?: { line: number; character: number };
  item?: { data?: number };
  query?: string;
  newName?: string;
}

type Hierarchy = vscode.CallHierarchyItem;
const MOST_ITEMS = 200; // items of call hierarchies that are remembered

export class CodeQueries {
  private readonly items = new Map<number, Hierarchy>();
  private last = 0;

  /** Ask whoever VS Code has for it. Nothing found where nobody knows the file is no answer. */
  async answer({ method, params }: CodeQueryParams): Promise<CodeQueryAnswer> {
    const query = params as Query;
    const result = await this.result(method, query);
    const found = Array.isArray(result) ? result.length > 0 : result !== undefined;
    return { answered: found || (await known(query)), result: result ?? null };
  }

  private async result(method: string, query: Query): Promise<unknown> {
    const at = place(query);
    switch (method) {
      case "textDocument/definition":
        return locations(await at("vscode.executeDefinitionProvider"));
      case "textDocument/references":
        return locations(await at("vscode.executeReferenceProvider"));
      case "textDocument/implementation":
        return locations(await at("vscode.executeImplementationProvider"));
      case "textDocument/hover":
        return hover(await at("vscode.executeHoverProvider"));
      case "textDocument/documentSymbol":
        return symbols(await at("vscode.executeDocumentSymbolProvider"));
      case "workspace/symbol":
        return symbols(await at("vscode.executeWorkspaceSymbolProvider", query.query ?? ""));
      case "textDocument/prepareCallHierarchy":
        return ((await at("vscode.prepareCallHierarchy")) as Hierarchy[] | undefined)?.map((one) =>
          this.item(one),
        );
      case "callHierarchy/incomingCalls":
        return this.calls("vscode.provideIncomingCalls", query, "from");
      case "callHierarchy/outgoingCalls":
        return this.calls("vscode.provideOutgoingCalls", query, "to");
      case "textDocument/rename":
        return edits(await at("vscode.executeDocumentRenameProvider", query.newName ?? ""));
      default:
        throw new Error(`${method} is not answered`);
    }
  }

  /** An item as LSP has it; the extension wants its own back, so it is remembered. */
  private item(one: Hierarchy): object {
    this.last += 1;
    this.items.set(this.last, one);
    this.items.delete(this.last - MOST_ITEMS);
    const { name, detail, uri, range, selectionRange } = one;
    const place = { uri: uri.toString(), range: span(range), selectionRange: span(selectionRange) };
    return { name, detail, kind: one.kind + 1, ...place, data: this.last };
  }

  private async calls(command: string, query: Query, side: "from" | "to"): Promise<object[]> {
    const item = this.items.get(query.item?.data ?? 0);
    if (!item) throw new Error("this call hierarchy is not known any more");
    const found = await vscode.commands.executeCommand<
      (vscode.CallHierarchyIncomingCall & vscode.CallHierarchyOutgoingCall)[] | undefined
    >(command, item);
    return (found ?? []).map((call) => ({
      [side]: this.item(call[side]),
      fromRanges: call.fromRanges.map(span),
    }));
  }
}

/** Runs a command about the place of a query. */
function place({
  textDocument,
  position,
  query,
}: Query): (command: string, ...more: unknown[]) => Thenable<unknown> {
  if (query !== undefined) return (command, ...more) => vscode.commands.executeCommand(command, ...more);
  const uri = vscode.Uri.parse(textDocument?.uri ?? "");
  const at = position ? [new vscode.Position(position.line, position.character)] : [];
  return (command, ...more) => vscode.commands.executeCommand(command, uri, ...at, ...more);
}

/** Whether some extension knows such files: then it finds symbols in this one. */
async function known({ textDocument }: Query): Promise<boolean> {
  if (!textDocument) return false;
  const uri = vscode.Uri.parse(textDocument.uri);
  const found = await vscode.commands.executeCommand<unknown[] | undefined>(
    "vscode.executeDocumentSymbolProvider",
    uri,
  );
  return (found ?? []).length > 0;
}

function span({ start, end }: vscode.Range): object {
  return {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  };
}

function locations(found: unknown): object[] {
  const all = (found ?? []) as (vscode.Location | vscode.LocationLink)[];
  return all.map((one) =>
    "targetUri" in one
      ? { uri: one.targetUri.toString(), range: span(one.targetSelectionRange ?? one.targetRange) }
      : { uri: one.uri.toString(), range: span(one.range) },
  );
}

function hover(found: unknown): object | undefined {
  const parts = ((found ?? []) as vscode.Hover[]).flatMap(({ contents }) => contents);
  const texts = parts.map((part) =>
    typeof part === "string" ? part : (part as vscode.MarkdownString).value,
  );
  return texts.length ? { contents: { kind: "markdown", value: texts.join("\n\n") } } : undefined;
}

function symbols(found: unknown): object[] {
  const all = (found ?? []) as (vscode.DocumentSymbol | vscode.SymbolInformation)[];
  return all.map((one) => {
    const named = { name: one.name, kind: one.kind + 1 };
    if ("selectionRange" in one) {
      const ranges = { range: span(one.range), selectionRange: span(one.selectionRange) };
      return { ...named, detail: one.detail, ...ranges, children: symbols(one.children) };
    }
    const location = { uri: one.location.uri.toString(), range: span(one.location.range) };
    return { ...named, containerName: one.containerName, location };
  });
}

function edits(found: unknown): object | undefined {
  const made = found as vscode.WorkspaceEdit | undefined;
  if (!made || made.size === 0) return undefined;
  const changes = made
    .entries()
    .map(([uri, all]) => [
      uri.toString(),
      all.map(({ range, newText }) => ({ range: span(range), newText })),
    ]);
  return { changes: Object.fromEntries(changes) as object };
}
