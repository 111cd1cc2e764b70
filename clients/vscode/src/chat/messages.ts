/** The messages between the extension host and the chat's webview. */

import type {
  AskUserAnswer,
  CallWords,
  CompletionItem,
  Event,
  PermissionAnswer,
  ProviderListResult,
  ProviderModelsResult,
} from "../protocol.gen";
import type { Outcome } from "../session/actions";
import type { Elsewhere } from "../session/questions";
import type { ServerState } from "../server/server";
import type { AnyItem, Transcript, TranscriptView } from "../store/transcript";

/** A piece of context under the prompt, which the user can drop. */
export interface Chip {
  id: string;
  label: string;
  detail: string;
  kind: "file" | "folder" | "selection" | "image" | "diagnostic" | "tabs" | "terminal" | "tests";
  /** It follows the active editor, and was not chosen by the user. */
  offered?: boolean;
  /** For images: what to show, as a data URL. */
  preview?: string;
}

/** A model that can be named. */
export interface Model {
  name: string;
  provider: string;
  contextWindow?: number;
}

export interface SessionView {
  sessionId: string;
  /** There are items before the first one here. */
  older: boolean;
  /** Messages to the run that the model has not read yet, by item. */
  steers: Record<string, string>;
  transcript: TranscriptView;
}

export type ToChat =
  /** `kept` is what the editor keeps for a tab, until it is opened again. */
  | { type: "session"; view: SessionView; kept: { id: string; sessionId: string } }
  | { type: "events"; events: Event[] }
  | ({ type: "older"; items: AnyItem[]; older: boolean } & Pick<Transcript, "runs" | "lastItems">)
  | { type: "steers"; steers: Record<string, string> }
  | { type: "item"; item: AnyItem }
  | { type: "server"; state: ServerState; problem: string }
  | { type: "progress"; text: string }
  | {
      type: "models";
      models: Model[];
      problem: string;
      /** The problem is a mistake in the configuration. */
      isMistake: boolean;
      options: Record<string, unknown>;
      calls: CallWords[];
    }
  | { type: "providers"; offered: ProviderListResult }
  | { type: "listed"; listed: ProviderModelsResult | undefined; listing: boolean }
  | { type: "chips"; chips: Chip[] }
  | { type: "completions"; ticket: number; rows: CompletionItem[] }
  | { type: "compose"; text: string }
  /** What was written and not sent; that of another session than before `replaces` what stands there. */
  | { type: "draft"; text: string; replaces: boolean }
  /** An earlier prompt is written anew, or none any more. */
  | { type: "edited"; itemId: string; text: string }
  | { type: "focus" }
  | { type: "changes"; changes: number; files: number }
  | { type: "elsewhere"; questions: Elsewhere[] }
  | ({ type: "outcome" } & Outcome)
  | { type: "failed"; text: string; kind: string };

export type How = "queue" | "steer";

/** What the user can do with an MCP server that cannot be used. */
export type McpAction = "mcp.login" | "mcp.restart" | "mcp.disable" | "mcp.input";

export type FromChat =
  | { type: "ready" }
  /** The user works here now. */
  | { type: "entered" }
  | { type: "send"; text: string; how: How }
  | { type: "stop" }
  | { type: "stopSetup" }
  /** What is written in the prompt now. */
  | { type: "draft"; text: string }
  | { type: "continue" }
  | { type: "answer"; requestId: string; answer: PermissionAnswer | AskUserAnswer }
  | { type: "older" }
  | { type: "complete"; ticket: number; text: string; cursor: number }
  | { type: "image"; name: string; data: string; mimeType: string }
  | { type: "dropped"; uris: string[] }
  | { type: "drop"; id: string }
  | { type: "rewind"; itemId: string }
  | { type: "edit"; itemId: string }
  | { type: "endEdit" }
  | { type: "fork"; itemId: string }
  | { type: "unqueue"; itemId: string }
  | { type: "requeue"; itemId: string; text: string }
  | { type: "moveQueued"; itemId: string; to: number }
  | { type: "stopTask"; itemId: string }
  | { type: "stopHelper"; sessionId: string }
  | { type: "mcp"; action: McpAction; server: string; input?: string }
  | { type: "compareAsked"; requestId: string }
  | { type: "providers" }
  | { type: "listModels"; provider?: string; baseUrl?: string; key: string }
  | { type: "useModel"; provider?: string; baseUrl?: string; model: string }
  | { type: "background"; itemId: string }
  | { type: "diff"; itemId: string; index: number }
  | { type: "open"; uri: string; line?: number }
  | { type: "link"; href: string }
  | { type: "output"; itemId: string }
  | { type: "copy" | "insert" | "terminal"; text: string }
  | { type: "openOutcome"; title: string; text: string }
  | { type: "openFolder" }
  /** Ask for the key of this host, "" for one that the user chooses. */
  | { type: "key"; host: string }
  | { type: "command"; command: ChatCommand };

/** Commands that buttons of the chat may run; nothing else can be run from there. */
export const CHAT_COMMANDS = [
  "agls.chat.new",
  "agls.sessions",
  "agls.actions",
  "agls.mode",
  "agls.model",
  "agls.effort",
  "agls.server.install",
  "agls.server.menu",
  "agls.server.logs",
  "agls.server.restart",
  "agls.budget",
  "agls.context.add",
  "agls.review.keepAll",
  "agls.review.undoAll",
  "agls.review.next",
  "agls.key.set",
  "agls.config.open",
  "agls.server.doctor",
  "agls.run.undo",
  "agls.rewind.undo",
] as const;
export type ChatCommand = (typeof CHAT_COMMANDS)[number];
