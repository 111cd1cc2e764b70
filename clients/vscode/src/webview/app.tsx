/** The chat: the conversation, what waits for the user, and where they write. */

import type { RunEndedData } from "../protocol.gen";
import { endOf } from "../store/ends";
import { wordsOf } from "../store/transcript";
import { Cards } from "./cards";
import { Composer } from "./composer";
import { Help } from "./ending";
import { readable, visible } from "./visible";
import { Button } from "./button";
import type { Model } from "./model";
import { Timeline } from "./timeline";

export function App({ model }: { model: Model }) {
  const { transcript: known } = model;
  const items = [...known.items.values()];
  const alive = model.server.state === "ready"; // a question of a server that is gone cannot be answered
  const questions = alive ? [...Object.values(known.requests), ...model.elsewhere] : [];
  return (
    <>
      <Banner model={model} />
      {items.length > 0 ? (
        <Timeline
          sessionId={model.sessionId}
          items={items}
          older={model.older}
          helpers={known.helpers}
          idle={known.state === "idle"}
          endings={known.endings}
        />
      ) : (
        <Welcome model={model} />
      )}
      <div class={questions.length > 0 ? "bottom asking" : "bottom"}>
        <Cards questions={questions} items={known.items} />
        <Queue model={model} />
        {model.failed && (
          <div class="failed problem" role="alert">
            {visible(model.failed.text)} <Help kind={model.failed.kind} />
          </div>
        )}
        <Review model={model} />
        <Composer model={model} />
        <Foot model={model} />
      </div>
      <div class="unseen" role="status" aria-live="polite">
        {model.announcement}
      </div>
    </>
  );
}

function Banner({ model }: { model: Model }) {
  const { state, problem } = model.server;
  if (state === "ready") return null;
  if (state === "starting") return <div class="banner">The server starts …</div>;
  const [command, label] =
    state === "missing"
      ? (["agls.server.install", "Set it up"] as const)
      : (["agls.server.menu", "What now?"] as const);
  return (
    <div class="banner problem" role="alert">
      {visible(problem)} <Button message={{ type: "command", command }}>{label}</Button>
    </div>
  );
}

function NoModel() {
  return (
    <section class="no-model" aria-label="No model yet">
      <p>
        There is no model yet. One of a model server on this machine (Ollama, LM Studio, llama.cpp, vLLM) is
        found by itself as soon as it runs. For a provider, store its key and name the model.
      </p>
      <div class="choices">
        <Help kind="configInvalid" />
      </div>
    </section>
  );
}

const TRY = [
  "Explain this project to me.",
  "Find a bug in the open file and fix it.",
  "Write a test for the selected code.",
];

function Welcome({ model }: { model: Model }) {
  return (
    <div class="welcome">
      <h2>agls</h2>
      {model.problem && <NoModel />}
      <p>
        Say what shall be changed. It asks before it edits or runs anything, and every change can be kept or
        undone by itself.
      </p>
      {TRY.map((text) => (
        <button type="button" onClick={() => model.put(text)}>
          {text}
        </button>
      ))}
    </div>
  );
}

function Queue({ model }: { model: Model }) {
  const waiting = model.transcript.queue;
  const steers = Object.entries(model.steers);
  if (waiting.length + steers.length === 0) return null;
  return (
    <ol class="queue" aria-label="Waiting prompts">
      {steers.map(([itemId, text]) => (
        <li key={itemId}>
          <span class="words">{readable(text)}</span>
          <span class="faint">sent; read at the next step</span>
        </li>
      ))}
      {waiting.map((run) => (
        <li key={run.itemId}>
          <span class="words">{readable(wordsOf(run.content))}</span>
          <Button aria-label="Remove from the queue" message={{ type: "unqueue", itemId: run.itemId }}>
            ×
          </Button>
        </li>
      ))}
    </ol>
  );
}

function Review({ model }: { model: Model }) {
  const { changes, files } = model.changes;
  if (changes === 0) return null;
  return (
    <div class="review" role="group" aria-label="Changes to review">
      <span class="what">
        {changes} {changes === 1 ? "change" : "changes"} in {files} {files === 1 ? "file" : "files"}
      </span>
      <Button message={{ type: "command", command: "agls.review.next" }}>Review</Button>
      <Button message={{ type: "command", command: "agls.review.keepAll" }}>Keep all</Button>
      <Button message={{ type: "command", command: "agls.review.undoAll" }}>Undo all</Button>
    </div>
  );
}

function Foot({ model }: { model: Model }) {
  const { transcript: known } = model;
  const last = Object.values(known.runs).at(-1);
  return (
    <div class="foot">
      <span role="status">{known.state === "idle" ? last && endOf(last.stopReason) : stateOf(model)}</span>
      <span class="end" />
      {known.usage && <Meter used={known.usage.used} size={model.window} />}
      {last && <span title="Cost of the last run">{costOf(last)}</span>}
    </div>
  );
}

function stateOf({ transcript: known }: Model): string {
  if (known.retrying)
    return `waiting ${Math.round(known.retrying.delayMs / 1000)} s: ${known.retrying.cause}`;
  return known.state === "requiresAction" ? "waits for you" : "working …";
}

function costOf(run: RunEndedData): string {
  const tokens = (run.usage?.inputTokens ?? 0) + (run.usage?.outputTokens ?? 0);
  const cost = run.cost ? ` · $${run.cost.toFixed(run.cost < 0.1 ? 4 : 2)}` : ""; // many models cost nothing
  return tokens > 0 ? `${short(tokens)} tokens${cost}` : "";
}

function Meter({ used, size }: { used: number; size: number | undefined }) {
  const tokens = size ? `${short(used)} of ${short(size)}` : short(used);
  return (
    <Button
      class="meter"
      title={`Context: ${tokens} tokens`}
      message={{ type: "command", command: "agls.actions" }}
    >
      {size ? <progress max={size} value={used} aria-label="Context used" /> : "context"} {tokens}
    </Button>
  );
}

function short(count: number): string {
  return count < 1000 ? String(count) : `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`;
}
