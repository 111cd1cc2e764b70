/** What else can be done with a session: the server's actions, as a menu, and what came of one. */

import * as vscode from "vscode";
import type { Action, CommandResult } from "../protocol.gen";
import { type Field, inputsOf } from "../store/schema";
import { textOf } from "../store/patch";
import { wordsOf } from "../store/transcript";
import type { TextDocuments } from "../text_documents";
import type { Conversation } from "./conversation";
import { unlinked } from "./permission_text";

const SHORT = 160; // characters that fit into a notification

/** What came of a command, in Markdown: shown, and no part of the conversation. */
export interface Outcome {
  title: string;
  text: string;
  /** A folder that it is about, which can be opened in a window of its own. */
  folder?: string;
}

export class Actions {
  /** Show an outcome in the chat, if it is seen; returns whether it is. */
  showInChat: (outcome: Outcome) => boolean = () => false;

  constructor(
    private readonly conversation: Conversation,
    private readonly texts: TextDocuments,
  ) {}

  async menu(): Promise<void> {
    const { conversation } = this;
    const now = conversation.transcript.state === "idle" ? "idle" : "running";
    const offered = (await conversation.actions()).filter(({ when }) => when === "any" || when === now);
    const rows = byGroup(offered).flatMap(([group, actions]) => [
      { label: group, kind: vscode.QuickPickItemKind.Separator },
      ...actions.map((action) => ({
        label: action.title,
        description: action.slash,
        detail: plain(action.description.split("\n")[0] ?? ""),
        action,
      })),
    ]);
    const chosen = await vscode.window.showQuickPick<vscode.QuickPickItem & { action?: Action }>(rows, {
      placeHolder: "What can be done here: settings, agents, tools, permissions, changes",
      matchOnDescription: true,
      matchOnDetail: true,
    });
    if (chosen?.action) await this.run(chosen.action);
  }

  /** Do an action as if it were typed, after what it needs was asked for. */
  async run(action: Action): Promise<void> {
    const command = await written(action);
    const done = command && (await this.conversation.say(command, [], "queue"));
    if (done) await this.show(done);
  }

  /** Show what came of a command, unless it is an item of the conversation. */
  async show({ name, output, data }: CommandResult): Promise<void> {
    if (data?.["shownIn"]) return;
    const known = await this.conversation.actions();
    const title = known.find((action) => action.name === name)?.title ?? name;
    const text = wordsOf(output).trim();
    const folder = textOf(data?.["path"]);
    if (text.length < SHORT && !text.includes("\n"))
      void vscode.window.showInformationMessage(unlinked(plain(text) || `${title}: done`));
    else if (!this.showInChat({ title, text, ...(folder ? { folder } : {}) }))
      await this.texts.show(`${title}.md`, `${text}\n`);
  }
}

/** One line of Markdown, for what shows its signs as they are. */
function plain(line: string): string {
  return line.replace(/^- /, "").replaceAll("`", "");
}

/** What is done most comes first; other headings follow as the server has them. */
const FIRST = ["Conversation", "Changes", "Work", "Model and context"];

/** The actions under their headings; those without one stand at the end. */
export function byGroup(actions: readonly Action[]): [string, Action[]][] {
  const groups = new Map<string, Action[]>();
  for (const action of actions) {
    const group = action.group ?? "More";
    groups.set(group, [...(groups.get(group) ?? []), action]);
  }
  const place = ([group]: [string, Action[]]) => [...FIRST, group].indexOf(group);
  return [...groups].sort((a, b) => place(a) - place(b));
}

/** The action as the user would type it, with what they are asked for; `undefined` when they gave up. */
async function written({ slash, inputSchema }: Action): Promise<string | undefined> {
  const words = [slash];
  for (const field of inputsOf(inputSchema)) {
    const text = await ask(field);
    if (text === undefined) return undefined;
    const values = field.type === "array" ? text.split(/\s*,\s*/) : [text];
    if (field.raw) words.push(text);
    else if (text !== "" || field.required) words.push(`${field.name}=${values.map(quoted).join(" ")}`);
  }
  return words.join(" ");
}

function quoted(value: string): string {
  return `"${value.replace(/["\\]/g, "\\$&")}"`;
}

async function ask({ title, description, type, choices, required }: Field): Promise<string | undefined> {
  const rows = type === "boolean" ? ["no", "yes"] : choices;
  const question = description || title;
  const prompt = required ? question : `${question} (may be left empty)`;
  if (rows.length > 0) return vscode.window.showQuickPick(rows, { placeHolder: prompt });
  return vscode.window.showInputBox({ prompt });
}
