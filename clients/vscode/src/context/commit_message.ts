/** A commit message of the agent's, in the box of the view of changes where the user commits with it. */

import * as vscode from "vscode";
import type { RunEndedData } from "../protocol.gen";
import type { Conversation } from "../session/conversation";
import { textOf } from "../store/patch";
import type { CodeCommands } from "./commands";

const WISH =
  "Write a commit message for what is staged, else for all that is not committed, in the style of the last commits. Answer with the message only; commit nothing. @diff";

/** What is used of the editor's own extension for Git. */
interface Repository {
  rootUri: vscode.Uri;
  inputBox: { value: string };
}
interface Git {
  getAPI(version: 1): { repositories: Repository[] };
}

/** Ask for a message in the chat. Its answer goes into the empty box of the repository, where there is one. */
export async function writeCommitMessage(code: CodeCommands, conversation: Conversation): Promise<void> {
  const mayFill = conversation.transcript.state === "idle"; // else the next run to end is another one
  const answer = mayFill ? nextAnswer(conversation) : undefined;
  await code.say(WISH);
  const message = unfenced((await answer) ?? "");
  const repository = await repositoryHere();
  if (message && repository && !repository.inputBox.value.trim()) repository.inputBox.value = message;
}

/** The last message of the next run of this session; `undefined` if it does not come to its end. */
function nextAnswer(conversation: Conversation): Promise<string | undefined> {
  return new Promise((resolve) => {
    const watching = conversation.onEvents((events) => {
      const end = events.find(
        ({ type, sessionId }) => type === "runEnded" && sessionId === conversation.sessionId,
      );
      if (!end) return;
      watching.dispose();
      const { stopReason } = end.data as unknown as RunEndedData;
      const messages = [...conversation.transcript.items.values()].filter(({ kind }) => kind === "message");
      resolve(stopReason === "endTurn" ? textOf(messages.at(-1)?.["text"]) : undefined);
    });
  });
}

/** Models like to put what is to be copied into a block of code. */
export function unfenced(text: string): string {
  const words = text.trim();
  return (/^```\w*\n([^]*?)\n?```$/.exec(words)?.[1] ?? words).trim();
}

async function repositoryHere(): Promise<Repository | undefined> {
  try {
    const git = await vscode.extensions.getExtension<Git>("vscode.git")?.activate();
    const repositories = git?.getAPI(1).repositories ?? [];
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.path ?? "";
    const around = repositories.find(({ rootUri }) => `${folder}/`.startsWith(`${rootUri.path}/`));
    return around ?? repositories[0];
  } catch {
    return undefined; // Git is switched off in the editor: the message stands in the chat
  }
}
