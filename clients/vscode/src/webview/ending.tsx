/** How a run ended that came to no end of its own: a card that stays, with why, and what can be done about it. */

import type { ChatCommand } from "../chat/messages";
import type { RunEndedData, RunError } from "../protocol.gen";
import { endOf } from "../store/ends";
import { Button } from "./button";
import { Icon } from "./icon";
import { visible } from "./visible";

const KEY = { command: "agls.key.set", label: "Set key…" } as const;
const MODEL = { command: "agls.model", label: "Choose model…" } as const;
const CONFIG = { command: "agls.config.open", label: "Edit config.toml" } as const;
const LOG = { command: "agls.server.logs", label: "Open log" } as const;
const NEW = { command: "agls.chat.new", label: "New session" } as const;
const LIMITS = { command: "agls.budget", label: "Change limits…" } as const;

interface Step {
  command: ChatCommand;
  label: string;
}

/** What helps with an error, by its kind on the wire. */
const HELP: Record<string, Step[]> = {
  auth: [KEY, MODEL, CONFIG],
  authRequired: [KEY, MODEL, CONFIG],
  configInvalid: [KEY, MODEL, CONFIG],
  modelNotFound: [MODEL, CONFIG],
  badRequest: [MODEL, LOG],
  quota: [MODEL],
  rateLimit: [MODEL],
  overloaded: [MODEL],
  contextTooLong: [MODEL, NEW],
  contentFilter: [MODEL],
  network: [MODEL, CONFIG, LOG],
  timeout: [MODEL, LOG],
  providerInternal: [MODEL, LOG],
  sessionBusyElsewhere: [NEW],
  toolCrash: [LOG],
  internal: [LOG],
};
/** What helps with an end that is no error, by the reason. */
const STEPS: Record<string, Step[]> = {
  budget: [LIMITS],
  maxTurns: [LIMITS],
  timeout: [LIMITS],
  contextFull: [MODEL, NEW],
  refusal: [MODEL],
};

export function Help({ kind }: { kind: string }) {
  return <Steps steps={HELP[kind] ?? []} />;
}

/** With the `host` that refused the key, it is that one's key which is asked for. */
function Steps({ steps, host = "" }: { steps: Step[]; host?: string }) {
  return (
    <>
      {steps.map((step) => (
        <Button message={step === KEY ? { type: "key", host } : { type: "command", command: step.command }}>
          {step.label}
        </Button>
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
  const { stopReason, error, detail = "" } = ended;
  if (error) return <Card kind="error" icon="error" newest={newest} {...ofError(error)} />;
  if (STOPPED.has(stopReason)) return <Stopped newest={newest} detail={sentence(detail)} />;
  const steps = STEPS[stopReason] ?? [];
  const title = sentence(endOf(stopReason)).replace(/\.$/, "");
  return (
    <Card kind="limit" icon="warning" newest={newest} title={title} text={sentence(detail)} steps={steps} />
  );
}

const BY_USER = "Cancelled by the user.";
const STOPPED = new Set(["cancelled", "killed"]);

const HOST = /[.:]|^localhost$/; // some models have the name of another provider than a host

function ofError({ kind, title, message, provider = "" }: RunError) {
  const host = HOST.test(provider) ? provider : "";
  return { title: title ?? "The run failed", text: message, steps: HELP[kind] ?? [], host };
}

interface CardProps {
  kind: "error" | "limit";
  icon: string;
  title: string;
  text: string;
  steps: Step[];
  host?: string;
  newest: boolean;
}

function Card({ kind, icon, title, text, steps, host, newest }: CardProps) {
  return (
    <section class={`item ending ${kind}`} aria-label="How the run ended">
      <div role={kind === "error" && newest ? "alert" : undefined}>
        <h3>
          <Icon name={icon} /> {title}
        </h3>
      </div>
      {text && <p>{visible(text.trim())}</p>}
      {newest && (
        <div class="choices">
          <Button class="primary" message={{ type: "continue" }}>
            {kind === "error" ? "Try again" : "Continue"}
          </Button>
          <Steps steps={steps} host={host} />
        </div>
      )}
    </section>
  );
}

/** What the user stopped needs no card: a line, and the way on. */
function Stopped({ newest, detail }: { newest: boolean; detail: string }) {
  return (
    <section class="item ending stopped faint" aria-label="How the run ended">
      <Icon name="debug-stop" /> {detail === BY_USER ? "You stopped it." : `Stopped. ${visible(detail)}`}{" "}
      {newest && (
        <Button class="link" message={{ type: "continue" }}>
          Continue
        </Button>
      )}
    </section>
  );
}

/** The server's words for why it ended, which are part of a sentence, as one of its own; the name stays as it is. */
function sentence(words: string): string {
  const begin = words.startsWith("agls") ? "" : words.charAt(0).toUpperCase();
  return words && `${begin}${words.slice(begin.length)}${/[.!?]$/.test(words) ? "" : "."}`;
}
