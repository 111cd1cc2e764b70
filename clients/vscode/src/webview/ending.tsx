/** How a run ended that came to no end of its own: why, and what can be done about it. */

import type { RunEndedData } from "../protocol.gen";
import type { ChatCommand } from "../chat/messages";
import { endOf } from "../store/ends";
import { visible } from "./visible";
import { Button } from "./button";

const KEY = { command: "agls.key.set", label: "Store a key…" } as const;
const MODEL = { command: "agls.model", label: "Choose a model…" } as const;
const CONFIG = { command: "agls.config.open", label: "Open config.toml" } as const;
const LOG = { command: "agls.server.logs", label: "Show the log" } as const;
const STATUS = { command: "agls.server.doctor", label: "Check the server" } as const;

interface Step {
  command: ChatCommand;
  label: string;
}

/** What helps with an error, by its kind on the wire. */
const HELP: Record<string, Step[]> = {
  auth: [KEY, MODEL],
  authRequired: [KEY, MODEL],
  configInvalid: [KEY, MODEL, CONFIG],
  modelNotFound: [MODEL, CONFIG],
  badRequest: [MODEL, LOG],
  quota: [MODEL],
  rateLimit: [MODEL],
  overloaded: [MODEL],
  contextTooLong: [MODEL],
  contentFilter: [MODEL],
  network: [STATUS, LOG],
  timeout: [STATUS, MODEL],
  providerInternal: [MODEL, LOG],
  toolCrash: [LOG],
  internal: [LOG],
};

export function Help({ kind }: { kind: string }) {
  return (
    <>
      {(HELP[kind] ?? []).map(({ command, label }) => (
        <Button message={{ type: "command", command }}>{label}</Button>
      ))}
    </>
  );
}

interface Props {
  ended: RunEndedData;
  /** Nothing was done since: the run can go on. */
  newest: boolean;
}

export function Ending({ ended, newest }: Props) {
  const { stopReason, error, detail } = ended;
  const text = error
    ? `The run failed: ${error.message}`
    : `The run ended: ${endOf(stopReason)}. ${sentence(detail ?? "")}`;
  return (
    <section class={`item ending ${error ? "problem" : ""}`} aria-label="How the run ended">
      <p role={error && newest ? "alert" : undefined}>{visible(text.trim())}</p>
      {newest && (
        <div class="choices">
          <Button class="primary" message={{ type: "continue" }}>
            {error ? "Try again" : "Continue"}
          </Button>
          {error && <Help kind={error.kind} />}
        </div>
      )}
    </section>
  );
}

/** The server's words for why it ended, which are part of a sentence, as one of its own; the name stays as it is. */
function sentence(words: string): string {
  const begin = words.startsWith("agls") ? "" : words.charAt(0).toUpperCase();
  return words && `${begin}${words.slice(begin.length)}${/[.!?]$/.test(words) ? "" : "."}`;
}
