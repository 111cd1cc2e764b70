/** What else can be done with a session: the server's actions, as a menu, and what came of one. */

import * as vscode from "vscode";
import type { Action, CommandResult } from "../protocol.gen";
import { type Field, inputsOf } from "../store/schema";
import { wordsOf } from "../store/transcript";
import type { TextDocuments } from "../text_documents";
import type { Conversation } from "./conversation";
import { unlinked } from "./permission_text";

const SHORT = 160; // characters that fit into a notification

export class Actions {
  constructor(
    private readonly conversation: Conversation,
    private readonly texts: TextDocuments,
  ) {}

  async menu(): Promise<void> {
    const { conversation } = this;
    await conversation.ensure();
    const now = conversation.transcript.state === "idle" ? "idle" : "running";
    const rows = conversation.actions
      .filter(({ when }) => when === "any" || when === now)
      .map((action) => ({
        label: action.title,
        description: action.slash,
        detail: action.description,
        action,
      }));
    const chosen = await vscode.window.showQuickPick(rows, {
      placeHolder: "Actions of this session",
      matchOnDescription: true,
    });
    if (!chosen) return;
    const command = await written(chosen.action);
    const done = command && (await conversation.say(command, [], "queue"));
    if (done) await this.show(done);
  }

  /** Show what came of a command. */
  async show({ name, output }: CommandResult): Promise<void> {
    const title = this.conversation.actions.find((action) => action.name === name)?.title ?? name;
    const text = wordsOf(output).trim();
    if (text.length < SHORT && !text.includes("\n"))
      void vscode.window.showInformationMessage(unlinked(text || `${title}: done`));
    else await this.texts.show(`${title}.md`, `${text}\n`);
  }
}

/** The action as the user would type it, with what they are asked for; `undefined` when they gave up. */
async function written({ slash, inputSchema }: Action): Promise<string | undefined> {
  const words = [slash];
  for (const field of inputsOf(inputSchema)) {
    const text = await ask(field);
    if (text === undefined) return undefined;
    const values = field.type === "array" ? text.split(/\s*,\s*/) : [text];
    if (text !== "" || field.required) words.push(`${field.name}=${values.map(quoted).join(" ")}`);
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
