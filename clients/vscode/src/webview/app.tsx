/** The chat: the conversation, what waits for the user, and where they write. */

import type { RunEndedData } from "../protocol.gen";
import { endOf } from "../store/ends";
import { baseName, textOf } from "../store/patch";
import { Activity } from "./activity";
import { Button } from "./button";
import { Cards } from "./cards";
import { Composer } from "./composer";
import { Plan, Queue, Review, Tasks } from "./dock";
import { Help } from "./ending";
import { Icon } from "./icon";
import { toHtml } from "./markdown";
import type { Model } from "./model";
import { Servers } from "./servers";
import { Setup, Welcome } from "./setup";
import { Timeline } from "./timeline";
import { visible } from "./visible";
import { ReadingProvider } from "./words";

export function App({ model }: { model: Model }) {
  const { transcript: known } = model;
  const items = [...known.items.values()];
  const alive = model.server.state === "ready"; // a question of a server that is gone cannot be answered
  const questions = alive ? [...Object.values(known.requests), ...model.elsewhere] : [];
  const asked = new Set(Object.values(known.requests).flatMap(({ itemId }) => itemId ?? []));
  return (
    <ReadingProvider value={model.reading}>
      {items.length > 0 || known.restored ? (
        <>
          <Banner model={model} />
          <Timeline
            sessionId={model.sessionId}
            items={items}
            older={model.older}
            helpers={known.helpers}
            asked={asked}
            idle={known.state === "idle"}
            endings={known.endings}
            restored={known.restored}
            edited={model.edited.itemId}
          />
        </>
      ) : model.isSetUp ? (
        <Welcome />
      ) : (
        <Setup model={model} />
      )}
      <div class={questions.length > 0 ? "bottom asking" : "bottom"}>
        {alive && questions.length === 0 && <Activity model={model} />}
        <Cards questions={questions} items={known.items} />
        <div class="dock">
          <Plan model={model} />
          <Tasks model={model} />
          <Servers model={model} />
          <Queue model={model} />
          <Review model={model} />
        </div>
        <OutcomeCard model={model} />
        <Failure model={model} />
        <Composer model={model} />
        <Foot model={model} />
      </div>
      <div class="unseen" role="status" aria-live="polite">
        {model.announcement}
      </div>
    </ReadingProvider>
  );
}

/** What came of a command, until the next prompt: nothing of the conversation, which the model does not see. */
function OutcomeCard({ model }: { model: Model }) {
  const { outcome } = model;
  if (!outcome) return null;
  const close = (event: KeyboardEvent) => {
    if (event.key === "Escape") model.dismissOutcome();
  };
  return (
    <section class="outcome" aria-label={visible(outcome.title)} onKeyDown={close}>
      <header>
        <h3>{visible(outcome.title)}</h3>
        {outcome.folder && (
          <Button class="link" title={outcome.folder} message={{ type: "openFolder" }}>
            Open folder
          </Button>
        )}
        <Button class="link" message={{ type: "openOutcome", title: outcome.title, text: outcome.text }}>
          Open in editor
        </Button>
        <button type="button" class="icon" aria-label="Close" onClick={() => model.dismissOutcome()}>
          <Icon name="close" />
        </button>
      </header>
      <div
        class="markdown"
        tabIndex={0}
        role="group"
        aria-label={visible(outcome.title)}
        dangerouslySetInnerHTML={{ __html: toHtml(outcome.text) }}
      />
    </section>
  );
}

/** What a button or a prompt could not do: nothing of the conversation, so it goes when the user goes on. */
function Failure({ model }: { model: Model }) {
  if (!model.failed) return null;
  return (
    <div class="failed notice-card error" role="alert">
      <Icon name="error" />
      <div>
        <p>{visible(model.failed.text)}</p>
        <div class="choices">
          <Help kind={model.failed.kind} />
        </div>
      </div>
      <button type="button" class="icon" aria-label="Dismiss" onClick={() => model.dismissFailure()}>
        <Icon name="close" />
      </button>
    </div>
  );
}

function Banner({ model }: { model: Model }) {
  const { state, problem } = model.server;
  if (state === "ready" && !model.problem) return null;
  if (state === "starting")
    return (
      <div class="banner">
        <Icon name="loading" spins /> Starting the server…
      </div>
    );
  if (state === "ready")
    return (
      <div class="banner" role="alert">
        <span>{visible(model.problem)}</span> <Help kind="configInvalid" />
      </div>
    );
  const [command, label] =
    state === "missing"
      ? (["agls.server.install", "Set up the server"] as const)
      : (["agls.server.menu", "What now?"] as const);
  return (
    <div class="banner problem" role="alert">
      <span>{visible(problem)}</span> <Button message={{ type: "command", command }}>{label}</Button>
    </div>
  );
}

function Foot({ model }: { model: Model }) {
  const { transcript: known } = model;
  const last = Object.values(known.runs).at(-1);
  return (
    <div class="foot">
      <span role="status">
        {known.state === "idle" ? (
          last && endOf(last.stopReason)
        ) : (
          <span class="unseen">{stateOf(model)}</span>
        )}
      </span>
      <Worktree folder={textOf(known.options["worktree"])} />
      <span class="end" />
      {known.usage && <Meter used={known.usage.used} size={model.window} />}
      {last && (
        <span class="cost" title="What the last run took">
          {costOf(last)}
        </span>
      )}
    </div>
  );
}

/** The session works on other files than those of the opened folder: that is always said. */
function Worktree({ folder }: { folder: string }) {
  if (!folder) return null;
  return (
    <span class="worktree" title={`This session works in ${visible(folder)}`}>
      worktree {visible(baseName(folder))}
    </span>
  );
}

function stateOf({ transcript: known }: Model): string {
  return known.state === "requiresAction" ? "Waiting for you" : "Working";
}

function costOf(run: RunEndedData): string {
  const tokens = (run.usage?.inputTokens ?? 0) + (run.usage?.outputTokens ?? 0);
  const cost = run.cost ? ` · $${run.cost.toFixed(run.cost < 0.1 ? 4 : 2)}` : ""; // many models cost nothing
  return tokens > 0 ? `run: ${short(tokens)} tokens${cost}` : "";
}

function Meter({ used, size }: { used: number; size: number | undefined }) {
  const tokens = `${size ? `${short(used)} of ${short(size)}` : short(used)} tokens`;
  const share = size ? `${Math.round((100 * used) / size)}%` : `context: ${tokens}`;
  return (
    <Button
      class="meter"
      aria-label={size ? `Context: ${share}, ${tokens}` : share}
      title={size ? `Context: ${tokens}` : "What the model is given with the next prompt"}
      message={{ type: "command", command: "agls.actions" }}
    >
      {size && <progress max={size} value={used} aria-hidden="true" />} {share}
    </Button>
  );
}

function short(count: number): string {
  return count < 1000 ? String(count) : `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`;
}
