/** What else can be done with a session: the server's actions, as a menu and as slash commands. */

import * as vscode from "vscode";
import type { Action } from "../protocol.gen";
import type { Server } from "../server/server";
import type { Json } from "../store/patch";
import { wordsOf } from "../store/transcript";
import type { TextDocuments } from "../text_documents";
import type { Conversation } from "./conversation";
import { unlinked } from "./permission_text";
import type { Field } from "../store/schema";
import { inputsOf, named, slashOf, typed } from "./slash";

const SHORT = 160; // characters that fit into a notification

export class Actions {
  constructor(
    private readonly server: Server,
    private readonly conversation: Conversation,
    private readonly texts: TextDocuments,
  ) {}

  /** What can be done, for completion; a session is begun for who wants to see that. */
  async list(): Promise<readonly Action[]> {
    await this.conversation.ensure();
    return this.conversation.actions;
  }

  async menu(): Promise<void> {
    const now = (await this.state()) === "idle" ? "idle" : "running";
    const rows = (await this.list())
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
    const fields = inputsOf(chosen.action.inputSchema);
    const input = await fill({}, fields);
    if (input) await this.invoke(chosen.action, input);
  }

  /** Follow a slash command. Returns whether it was one; fails where there is none of that name. */
  async slash(text: string): Promise<boolean> {
    const found = slashOf(text);
    if (!found) return false;
    const action = named(found.name, await this.list());
    if (!action) throw new Error(`There is no /${found.name}. “agls: Actions…” shows what there is.`);
    const fields = inputsOf(action.inputSchema);
    const [first] = fields;
    const given = first && found.words ? { [first.name]: typed(found.words, first) } : {};
    const asked = fields.filter((field) => field.required && !(field.name in given));
    const input = await fill(given, asked);
    if (input) await this.invoke(action, input);
    return true;
  }

  private async state(): Promise<string> {
    await this.conversation.ensure();
    return this.conversation.transcript.state;
  }

  private async invoke({ name, title }: Action, input: Json): Promise<void> {
    const { sessionId } = this.conversation;
    const { output } = await this.server.request("agent/action/invoke", { sessionId, name, input });
    const text = wordsOf(output).trim();
    if (text.length < SHORT && !text.includes("\n")) {
      void vscode.window.showInformationMessage(unlinked(text || `${title}: done`));
      return;
    }
    await this.texts.show(`${title}.md`, `${text}\n`);
  }
}

/** Asked one by one; what may be left empty is left out then. `undefined` when the user gave up. */
async function fill(given: Json, fields: readonly Field[]): Promise<Json | undefined> {
  const input = { ...given };
  for (const field of fields) {
    const text = await ask(field);
    if (text === undefined) return undefined;
    if (text !== "" || field.required) input[field.name] = typed(text, field);
  }
  return input;
}

async function ask({ title, description, type, choices, required }: Field): Promise<string | undefined> {
  const rows = type === "boolean" ? ["no", "yes"] : choices;
  const question = description || title;
  const prompt = required ? question : `${question} (may be left empty)`;
  if (rows.length > 0) return vscode.window.showQuickPick(rows, { placeHolder: prompt });
  return vscode.window.showInputBox({ prompt });
}
