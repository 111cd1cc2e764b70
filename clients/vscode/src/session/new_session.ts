/** A new session in the opened folders. */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { SessionNewResult } from "../protocol.gen";
import type { Server } from "../server/server";
import { optionsOfUser } from "../settings";

export async function newSession(server: Server): Promise<SessionNewResult> {
  const [folder, ...others] = vscode.workspace.workspaceFolders ?? [];
  if (!folder) throw new Error("Open a folder first: the agent works on its files.");
  return server.request("agent/session/new", {
    cwd: folder.uri.toString(),
    additionalRoots: others.map(({ uri }) => uri.toString()),
    options: optionsOfUser(),
    clientKey: randomUUID(),
  });
}
