/** The button beside the prompt: what can go with it, chosen from a list. */

import { readFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import * as vscode from "vscode";
import type { Attachments } from "../context/attachments";
import type { Chat } from "./chat";

const IMAGES: Record<string, string> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};
const LONGEST = 200_000; // characters of a terminal's text

/** How much of a terminal's text. */
export type Extent = "all" | "selected";

interface Row extends vscode.QuickPickItem {
  add: () => Promise<void>;
}

export class AddContext {
  constructor(private readonly chats: { front: Chat }) {}

  private get attachments(): Attachments {
    return this.chats.front.attachments;
  }

  async pick(): Promise<void> {
    const rows: Row[] = [
      { label: "$(file) Files and folders…", add: () => this.files() },
      { label: "$(file-media) Images…", add: () => this.images() },
      {
        label: "$(terminal) Terminal",
        description: "all of its text; its context menu adds what is selected there",
        add: () => this.terminal("all"),
      },
      {
        label: "$(warning) Problems",
        description: "@diagnostics",
        add: () => this.chats.front.compose("@diagnostics "),
      },
      {
        label: "$(diff) Uncommitted changes",
        description: "@diff",
        add: () => this.chats.front.compose("@diff "),
      },
    ];
    const chosen = await vscode.window.showQuickPick(rows, {
      placeHolder: "What should go with the prompt?",
    });
    await chosen?.add();
  }

  private async files(): Promise<void> {
    const options = { canSelectMany: true, canSelectFolders: true, canSelectFiles: true, openLabel: "Add" };
    for (const uri of (await vscode.window.showOpenDialog(options)) ?? [])
      await this.attachments.addPath(uri);
  }

  private async images(): Promise<void> {
    const filters = { Images: Object.keys(IMAGES).map((ending) => ending.slice(1)) };
    const options = { canSelectMany: true, openLabel: "Add", filters };
    for (const { fsPath } of (await vscode.window.showOpenDialog(options)) ?? []) {
      const type = IMAGES[extname(fsPath).toLowerCase()];
      const data = (await readFile(fsPath)).toString("base64");
      if (type) this.attachments.addImage(basename(fsPath), data, type);
    }
  }

  /**
   * The editor hands out a terminal's text by the clipboard only; what was in there is put back. It complains where
   * nothing is selected, so that its menus have to know which it is.
   */
  async terminal(which: Extent): Promise<void> {
    const terminal = vscode.window.activeTerminal;
    if (!terminal) throw new Error("No terminal is open. Open one first, and run there what this is about.");
    const before = await vscode.env.clipboard.readText();
    let text = "";
    try {
      await vscode.env.clipboard.writeText("");
      if (which === "all") await run("selectAll");
      await run("copySelection");
      text = await vscode.env.clipboard.readText();
      if (which === "all") await run("clearSelection");
    } finally {
      await vscode.env.clipboard.writeText(before);
    }
    if (!text.trim()) throw new Error(`There is no text in the terminal ${terminal.name}.`);
    this.add("terminal", terminal.name, text.trimEnd());
  }

  /** A failed test: its message as the view of results has it, or the test alone as the list of tests has it. */
  testResult(given: unknown): void {
    const { message, test } = (given ?? {}) as { message?: vscode.TestMessage; test?: vscode.TestItem };
    if (message) return this.add("tests", test?.label ?? "test", resultOf(message));
    const { label, uri, range } = given as vscode.TestItem;
    if (!label) throw new Error("That is no test.");
    const where = uri ? `, in ${vscode.workspace.asRelativePath(uri)}:${(range?.start.line ?? 0) + 1}` : "";
    this.add("tests", label, `The test ${label}${where}, failed when it ran last. Run it to see how.`);
  }

  private add(kind: "terminal" | "tests", name: string, text: string): void {
    const lines = text.split("\n").length;
    const detail = `${name}: ${lines} ${lines === 1 ? "line" : "lines"}`;
    const uri = `${kind}:${encodeURIComponent(name)}`;
    this.attachments.add({ kind, label: name, detail }, () => [
      { type: "resource", uri, text: text.slice(-LONGEST) },
    ]);
  }
}

/** What a test's message says, where, and what was compared. */
function resultOf({ message, location, expectedOutput, actualOutput }: vscode.TestMessage): string {
  const where = location
    ? [`${vscode.workspace.asRelativePath(location.uri)}:${location.range.start.line + 1}`]
    : [];
  const compared =
    expectedOutput === undefined ? [] : [`Expected: ${expectedOutput}`, `Actual: ${actualOutput ?? ""}`];
  return [...where, typeof message === "string" ? message : message.value, ...compared].join("\n");
}

async function run(command: string): Promise<void> {
  await vscode.commands.executeCommand(`workbench.action.terminal.${command}`);
}
