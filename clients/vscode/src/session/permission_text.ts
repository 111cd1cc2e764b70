/** The server's text of a permission question, and where all of it can be seen. Pure. */

import type { Question, ShownText } from "../protocol.gen";
import { textOf } from "../store/patch";

export const MARGIN = "│ "; // before each line of what is asked about; the other lines are the server's
const NOTICED = 240; // characters of a notification that anybody reads; the editor cuts at 1,000
const CHANGED = /\]\(|\s{2}|[^\S ]|^\s|\s$/; // the editor makes a link of it, or leaves some of it out

/** A server that sends no text of its own cannot be trusted to show everything. */
export const NOTHING_SHOWN: ShownText = { text: "", whole: false };

/** The text behind a command that stands in it as it is; `undefined` where some of it is spelled out or counted. */
export function behind(shown: ShownText, command: string): string | undefined {
  const quoted = command.split("\n").map((line) => `${MARGIN}${line}`);
  const begin = `${quoted.join("\n")}\n`;
  return command !== "" && shown.text.startsWith(`${begin}in `) ? shown.text.slice(begin.length) : undefined;
}

/** A notification that says all of what is asked, to the letter; `undefined` where none can. */
export function notificationOf({ subject, shown = NOTHING_SHOWN }: Question): string | undefined {
  const { type, command, cwd, ...rest } = subject ?? {};
  if (type !== "command" || Object.keys(rest).length > 0 || !shown.whole) return undefined;
  const text = `agls asks to run, in ${textOf(cwd)}: ${textOf(command)}`;
  const fits = text.length <= NOTICED && !CHANGED.test(text);
  return fits && behind(shown, textOf(command)) !== undefined ? text : undefined;
}

/** A text of somebody else's for a notification, where the editor would make links of some of it. */
export function unlinked(text: string): string {
  return text.replaceAll("](", "] (");
}
