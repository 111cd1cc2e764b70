/** What the editor loads when it starts: so little that nobody waits for it. All else comes when the editor has gone on. */

import type * as vscode from "vscode";
import type { Api } from "./api";

export async function activate(context: vscode.ExtensionContext): Promise<Api> {
  await new Promise((resolve) => setImmediate(resolve));
  const { begin } = await import("./extension");
  return begin(context);
}
