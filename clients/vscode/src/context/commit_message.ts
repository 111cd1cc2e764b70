/** A commit message of the model's, in the box of the view of changes where the user commits with it: asked beside all work, in no conversation. */

import * as vscode from "vscode";
import type { Server } from "../server/server";
import { newSession } from "../session/new_session";
import { textOf } from "../store/patch";

const WISH =
  "Write a commit message for what is staged, else for all that is not committed: a short subject, and a body only where it is needed. Answer with the message only. @diff";
const NONE = "There is no Git repository in the view of changes to write a message for.";
const FULL = "A commit message is written already.";
const REPLACE = "Replace It";

/** What is used of the editor's own extension for Git. */
interface Repository {
  rootUri: vscode.Uri;
  inputBox: { value: string };
}
interface Git {
  getAPI(version: 1): { repositories: Repository[] };
}

/** Ask for a message, and put it into the box; what the user wrote there is replaced only when they say so. */
export async function writeCommitMessage(server: Server): Promise<void> {
  const repository = await repositoryHere();
  if (!repository) throw new Error(NONE);
  const before = repository.inputBox.value;
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: "Writing a commit message",
    cancellable: true,
  };
  const message = await vscode.window.withProgress(options, async (_, cancelled) => {
    try {
      return await ask(server, cancelled);
    } catch (problem) {
      if (cancelled.isCancellationRequested) return "";
      throw problem;
    }
  });
  if (!message) return;
  const isFree = !before.trim() && !repository.inputBox.value.trim();
  if (isFree || (await vscode.window.showInformationMessage(FULL, REPLACE)) === REPLACE)
    repository.inputBox.value = message;
}

/** The answer to a side question in a session that is made for it and deleted behind it: no tool is called, and nothing of it stays. */
async function ask(server: Server, cancelled: vscode.CancellationToken): Promise<string> {
  const { sessionId } = await newSession(server);
  try {
    const asked = { sessionId, name: "btw", input: { question: WISH } };
    const { data } = await server.request("agent/action/invoke", asked, cancelled);
    return unfenced(textOf(data?.["answer"]));
  } finally {
    await server.request("agent/session/delete", { sessionId });
  }
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
    return undefined; // Git is switched off in the editor
  }
}
