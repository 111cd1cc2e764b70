/** What other extensions (and the tests inside the extension host) can do: `extensions.getExtension(id).exports`. */

import type { Parts } from "./extension";
import type { CommandResult, PermissionAnswer } from "./protocol.gen";
import type { Hunk } from "./review/hunks";
import type { AnyItem } from "./store/transcript";

export interface Api {
  readonly server: { state: string; problem: string };
  readonly sessionId: string;
  /** idle, running or requiresAction. */
  readonly state: string;
  /** What the session works with: its mode, its model. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The conversation, in its order. */
  readonly items: readonly AnyItem[];
  /** The changes that nobody has judged. */
  readonly changes: readonly Hunk[];
  /** The names of what goes with the next prompt. */
  readonly context: readonly string[];
  /** The questions that wait, of whatever session: their ids. */
  readonly questions: readonly string[];
  titleOf(requestId: string): string;
  /** Send what the user would type into the chat. Returns what a command did. */
  prompt(text: string): Promise<CommandResult | undefined>;
  answer(requestId: string, answer: PermissionAnswer): boolean;
}

export function apiOf({ server, chats, questions, review }: Parts): Api {
  const shown = () => chats.front.conversation;
  return {
    get server() {
      return { state: server.state, problem: server.problem };
    },
    get sessionId() {
      return shown().sessionId;
    },
    get state() {
      return shown().transcript.state;
    },
    get options() {
      return shown().transcript.options;
    },
    get items() {
      return [...shown().transcript.items.values()];
    },
    get changes() {
      return review.hunks;
    },
    get context() {
      return chats.front.attachments.chips.map((chip) => chip.label);
    },
    get questions() {
      const { sessionId, transcript } = shown();
      const own = Object.keys(transcript.requests).filter((id) => questions.isOpen(id));
      const others = questions.elsewhere((asking) => asking !== sessionId);
      return [...own, ...others.map(({ requestId }) => requestId)];
    },
    titleOf: (requestId) => questions.find(requestId)?.title ?? "",
    prompt: (text) => {
      const { attachments, conversation } = chats.front;
      return attachments.with((attached) => conversation.say(text, attached, "queue"));
    },
    answer: (requestId, answer) => questions.answer(requestId, answer),
  };
}
