/** The client library's part of the server: loaded when a server is started. */

import { homedir } from "node:os";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  State,
} from "vscode-languageclient/node";
import { afterAPause } from "../edit/completion";
import { ofUser, settingsOfUser } from "../settings";
import { Abilities } from "./abilities";
import type { Choice } from "./choice";

/** Says what goes wrong in the log only: the status item, the chat's card and the walkthrough say it in words. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** A client of this program, which is not started yet; `lost` is called when the connection is. */
export function clientOf(
  { command, args }: Choice,
  log: vscode.LogOutputChannel,
  lost: () => void,
): LanguageClient {
  const configFile = ofUser("configFile");
  const options: LanguageClientOptions = {
    documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
    outputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationOptions: {
      trusted: vscode.workspace.isTrusted,
      ...(configFile ? { configFile } : {}),
      settings: settingsOfUser(),
    },
    middleware: { provideInlineCompletionItems: afterAPause },
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        lost();
        return { action: CloseAction.DoNotRestart, handled: true }; // the server's part starts it again
      },
    },
  };
  // Not in the opened folder: `python -m agls` would import what lies there.
  // The server takes this from the user only, never from an editor's settings: the extension says it as the user's own.
  const completion = ofUser("inlineCompletion") ? { env: { ...process.env, AGLS_COMPLETION: "true" } } : {};
  const program = { command, args: [...args], options: { cwd: homedir(), ...completion } };
  const client = new QuietClient("agls", "agls", program, options);
  client.registerFeature(new Abilities(ofUser("inlineCompletion")));
  return client;
}

/** Say when the server runs, and when it does not any more. */
export function whenItChanges(client: LanguageClient, say: (isRunning: boolean) => void): void {
  client.onDidChangeState(({ newState }) => {
    if (newState === State.Running || newState === State.Stopped) say(newState === State.Running);
  });
}
