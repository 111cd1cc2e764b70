/** Suggestions while the user types: asked for once they pause, and not any more with the next key. */

import type { Middleware } from "vscode-languageclient/node";

const PAUSE = 150; // milliseconds without a key before a model is asked
const BY_HAND = 0; // InlineCompletionTriggerKind.Invoke

/** What stands between VS Code and the server; VS Code cancels the token with the next key. */
export const afterAPause: NonNullable<Middleware["provideInlineCompletionItems"]> = async (
  document,
  position,
  context,
  token,
  next,
) => {
  if ((context.triggerKind as number) !== BY_HAND) await new Promise((resolve) => setTimeout(resolve, PAUSE));
  return token.isCancellationRequested ? undefined : next(document, position, context, token);
};
