/** What is kept in sight above the prompt: the plan, work in the background, prompts that wait, changes to review. */

import { useRef, useState } from "preact/hooks";
import type { PlanItemEntry } from "../protocol.gen";
import { LIVE } from "../store/ends";
import { counted } from "../store/rows";
import { textOf } from "../store/patch";
import { wordsOf } from "../store/transcript";
import { Button } from "./button";
import { doing } from "./helpers";
import { Icon } from "./icon";
import { Tool } from "./items";
import { host, type Model } from "./model";
import { PlanEntries } from "./plan_entries";
import { readable, visible } from "./visible";

/** The plan of the work, as long as something of it is open. */
export function Plan({ model }: { model: Model }) {
  const last = [...model.transcript.items.values()].findLast(({ kind }) => kind === "plan");
  const entries = (last?.["entries"] ?? []) as PlanItemEntry[];
  const counting = entries.filter(({ state }) => state !== "cancelled");
  const done = counting.filter(({ state }) => state === "done").length;
  if (counting.length === 0 || done === counting.length) return null;
  const now =
    entries.find(({ state }) => state === "inProgress") ?? entries.find(({ state }) => state === "pending");
  return (
    <details class="docked pinned">
      <summary>
        <Icon name="checklist" />
        <span class="what">
          Plan · {done} of {counting.length}
          {now && <span class="faint"> · {visible(now.text)}</span>}
        </span>
      </summary>
      <PlanEntries entries={entries} label="Plan" />
    </details>
  );
}

/** Helpers and commands that go on beside the conversation, each with a way to end it. */
export function Tasks({ model }: { model: Model }) {
  const { items, helpers } = model.transcript;
  const { words } = model.reading;
  const tasks = [...items.values()].filter(({ kind, status }) => kind === "task" && LIVE.has(status));
  const working = Object.entries(helpers)
    .filter(([itemId]) => LIVE.has(items.get(itemId)?.status ?? ""))
    .flatMap(([, mine]) => Object.entries(mine))
    .filter(([, { state }]) => state === "running");
  const count = tasks.length + working.length;
  if (count === 0) return null;
  const parts = [
    ...(working.length > 0 ? [counted(working.length, "helper")] : []),
    ...(tasks.length > 0 ? [counted(tasks.length, "background task")] : []),
  ];
  return (
    <details class="docked">
      <summary>
        <Icon name="loading" spins />
        <span class="what">{parts.join(" · ")}</span>
      </summary>
      <ul aria-label="Helpers and background tasks">
        {working.map(([sessionId, helper]) => (
          <li key={sessionId}>
            <Icon name="organization" />
            <span class="what">
              {visible([helper.name, helper.task].filter(Boolean).join(" · "))}
              <span class="faint"> {visible(doing(helper, words))}</span>
            </span>
            <Tool
              icon="debug-stop"
              label={`Stop the helper ${helper.name}`}
              message={{ type: "stopHelper", sessionId }}
            />
          </li>
        ))}
        {tasks.map(({ itemId, title }) => (
          <li key={itemId}>
            <Icon name="terminal" />
            <span class="what">{visible(textOf(title))}</span>
            <Tool icon="debug-stop" label="Stop the task" message={{ type: "stopTask", itemId }} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Prompts that are sent later, in their order; each can be changed, moved up and taken out. */
export function Queue({ model }: { model: Model }) {
  const waiting = model.transcript.queue;
  const steers = Object.entries(model.steers);
  if (waiting.length + steers.length === 0) return null;
  return (
    <section class="docked queue" aria-label="Queue">
      <div class="faint label">{waiting.length > 0 ? `Queued · ${waiting.length}` : "Sent"}</div>
      <ol aria-label="Waiting prompts">
        {steers.map(([itemId, text]) => (
          <li key={itemId}>
            <span class="words">{readable(text)}</span>
            <span class="faint">sent; read at the next step</span>
          </li>
        ))}
        {waiting.map((run, place) => (
          <Waiting key={run.itemId} itemId={run.itemId} text={wordsOf(run.content)} place={place} />
        ))}
      </ol>
    </section>
  );
}

function Waiting({ itemId, text, place }: { itemId: string; text: string; place: number }) {
  const [edited, setEdited] = useState<string>();
  const isOpen = useRef(false); // a field that goes away loses the focus once more
  const begin = () => {
    isOpen.current = true;
    setEdited(text);
  };
  const end = (isKept: boolean) => {
    if (!isOpen.current) return;
    isOpen.current = false;
    if (isKept && edited?.trim() && edited !== text)
      host.postMessage({ type: "requeue", itemId, text: edited });
    setEdited(undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) end(true);
    else if (event.key === "Escape") end(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  if (edited !== undefined)
    return (
      <li>
        <textarea
          rows={2}
          aria-label="The waiting prompt"
          value={edited}
          ref={focused}
          onInput={(event) => setEdited(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onBlur={() => end(true)}
        />
      </li>
    );
  return (
    <li>
      <span class="words">{readable(text)}</span>
      <span class="tools">
        {place > 0 && (
          <Tool icon="arrow-up" label="Move up" message={{ type: "moveQueued", itemId, to: place - 1 }} />
        )}
        <button
          type="button"
          class="icon"
          aria-label="Change the waiting prompt"
          title="Change"
          onClick={begin}
        >
          <Icon name="edit" />
        </button>
        <Tool icon="close" label="Remove from the queue" message={{ type: "unqueue", itemId }} />
      </span>
    </li>
  );
}

function focused(element: HTMLTextAreaElement | null): void {
  if (element && document.activeElement !== element) element.focus();
}

export function Review({ model }: { model: Model }) {
  const { changes, files } = model.changes;
  if (changes === 0) return null;
  return (
    <div class="docked review" role="group" aria-label="Changes to review">
      <Icon name="diff" />
      <span class="what">
        {counted(changes, "change")} in {counted(files, "file")}
      </span>
      <span class="answers">
        <Button message={{ type: "command", command: "agls.review.next" }}>Review</Button>
        <Button message={{ type: "command", command: "agls.review.keepAll" }}>Keep all</Button>
        <Button message={{ type: "command", command: "agls.review.undoAll" }}>Undo all</Button>
      </span>
    </div>
  );
}
