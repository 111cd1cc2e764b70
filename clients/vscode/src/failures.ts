/** What a user is told when something could not be done. */

import { kindOf } from "./session/conversation";

/** Where the server's hint speaks to clients, and its words say it all. */
const OF_CLIENTS = new Set([
  "runActive",
  "runMismatch",
  "sessionNotFound",
  "cursorExpired",
  "noActiveRun",
  "noSuchItem",
  "noSuchAction",
  "notSteerable",
  "keyConflict",
  "untrustedMode",
  "invalidParams",
]);
/** Where it speaks to clients: what the user can do. */
const REMEDIES: Record<string, string> = {
  sessionBusyElsewhere:
    "This session is open in another window or in a terminal, so you can only read it here. Close it there, or start a new session.",
};

/** The server's words and its hint, as sentences. */
export function messageOf(problem: unknown): string {
  const text = problem instanceof Error ? problem.message : String(problem);
  const hint = (problem as { data?: { hint?: string } } | undefined)?.data?.hint;
  const kind = kindOf(problem);
  const isShown = hint !== undefined && !OF_CLIENTS.has(kind);
  return REMEDIES[kind] ?? (isShown ? `${text.replace(/[.]?$/, ".")} ${hint}` : text);
}
