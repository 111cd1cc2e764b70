/** The question before something goes back, in words: what does, what does not, and that it can be undone. */

import type { SessionRewindResult } from "../protocol.gen";

export type What = "both" | "conversation" | "files";

/** What one goes back for. */
export interface Purpose {
  question: string;
  both: string;
  conversation: string;
  /** Files alone can go back, too. */
  files?: string;
  undoable: string;
}

export const RESTORE: Purpose = {
  question: "Restore to before this prompt?",
  both: "Restore Conversation and Files",
  conversation: "Restore Conversation",
  files: "Restore Files",
  undoable: "You can undo this until you send the next prompt.",
};
/** The prompt is sent again in other words. */
export const AGAIN: Purpose = {
  question: "Send the changed prompt in place of the old one?",
  both: "Restore Files and Send",
  conversation: "Keep Files and Send",
  undoable: "This cannot be undone.",
};

interface Known {
  /** The prompt to which it goes back. */
  words: string;
  /** Commands ran since. */
  ranCommands: boolean;
  nameOf: (uri: string) => string;
  purpose: Purpose;
}

const LONGEST = 80; // characters of a prompt
const MOST = 12; // files that are named

export function questionOf(
  { files, conflicts }: SessionRewindResult,
  { words, ranCommands, nameOf, purpose }: Known,
): { detail: string; choices: Record<string, What> } {
  const changed = files.map(
    ({ uri, insertions, deletions }) => `${nameOf(uri)} (+${insertions} −${deletions})`,
  );
  const left = conflicts.map(({ uri, reason }) => `${nameOf(uri)} (${inBrackets(reason)})`);
  const detail = [
    `Conversation: “${shortened(words)}” and everything after it are removed.`,
    changed.length > 0 ? `Files to restore: ${listed(changed)}.` : "Files: none would change.",
    ...(left.length > 0 ? [`Files that stay as they are: ${listed(left)}.`] : []),
    ...(ranCommands ? ["What commands did to other files is not known, and stays."] : []),
    purpose.undoable,
  ].join("\n\n");
  const choices: Record<string, What> = {
    ...(files.length > 0 && { [purpose.both]: "both" }),
    [purpose.conversation]: "conversation",
    ...(files.length > 0 && purpose.files && { [purpose.files]: "files" }),
  };
  return { detail, choices };
}

/** A sentence as a part of another one. */
function inBrackets(reason: string): string {
  return reason.replace(/^It /, "it ").replace(/\.$/, "");
}

function shortened(words: string): string {
  const [first = ""] = words.trim().split("\n");
  return first.length < words.trim().length || first.length > LONGEST
    ? `${first.slice(0, LONGEST)}…`
    : first || "(no text)";
}

function listed(names: readonly string[]): string {
  const more = names.length - MOST;
  return [...names.slice(0, MOST), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}
