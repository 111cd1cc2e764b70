/** Where the user writes: the prompt, what is attached to it, completion of `@` and `/`, and what it is sent with. */

import type { RefObject } from "preact";
import { type Dispatch, type StateUpdater, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { How } from "../chat/messages";
import type { CompletionItem } from "../protocol.gen";
import { MODES } from "../store/modes";
import { textOf } from "../store/patch";
import { Button } from "./button";
import { whenFocused } from "./focus";
import { Icon } from "./icon";
import { attachImages, onDrop } from "./dropped";
import { host, type Model } from "./model";

const HISTORY = 50;
const past: string[] = [];

/** Kinds of completions behind which the same word goes on: no blank follows them. */
const OPEN = new Set<string>(["folder", "argument"]);

/** The row that Enter takes: the first, unless it would change nothing or there is no word at the cursor yet. */
function preferred([first]: CompletionItem[], text: string): number {
  if (!first || first.start === first.end) return -1;
  return text.slice(first.start, first.end) === first.insertText ? -1 : 0;
}

/** An earlier prompt is written anew here; then what was written before that comes back. */
function useEdited(
  { edited: { itemId, text } }: Model,
  input: RefObject<HTMLTextAreaElement>,
  setText: Dispatch<StateUpdater<string>>,
): void {
  const draft = useRef("");
  useEffect(() => {
    if (!itemId) return undefined;
    setText((now) => {
      draft.current = now;
      return text;
    });
    whenFocused(() => input.current?.focus());
    return () => setText(draft.current);
  }, [itemId]);
}

export function Composer({ model }: { model: Model }) {
  const [text, setText] = useState("");
  const [closed, setClosed] = useState(true);
  const [chosen, setChosen] = useState<number>();
  const input = useRef<HTMLTextAreaElement>(null);
  const ticket = useRef(0);
  const opened = useRef(0); // the ticket with which the list was opened: older rows belong to another word
  const place = useRef(-1);
  const rows = closed || model.completions.ticket < opened.current ? [] : model.completions.rows;
  const isFresh = model.completions.ticket === ticket.current; // else the next answer is on its way
  const at = chosen ?? preferred(rows, text);
  const running = model.transcript.state !== "idle";
  const waits = running && !model.edited.itemId; // an earlier prompt is sent at once: it replaces what goes on

  useEffect(() => {
    const { text: given, number, replaces } = model.compose;
    if (number === 0) return;
    setText((now) => (replaces || !now.trim() || now === given ? given : `${given}\n\n${now}`));
    if (model.compose.focus) whenFocused(() => input.current?.focus()); // not when the page comes up by itself
  }, [model.compose.number]);
  useEdited(model, input, setText);
  const kept = useRef("");
  useEffect(() => {
    if (kept.current === text || model.edited.itemId) return;
    kept.current = text;
    host.postMessage({ type: "draft", text });
  }, [text]);
  useEffect(() => {
    const element = input.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(element.scrollHeight + 2, 240)}px`;
  }, [text]);

  const write = (value: string, cursor: number) => {
    setText(value);
    model.dismissFailure();
    setChosen(undefined);
    const isPlain = !/[@/]|(?:^|\s)#/.test(value); // the server has nothing to say to it
    setClosed(isPlain);
    if (isPlain) return;
    ticket.current += 1;
    if (closed) opened.current = ticket.current;
    host.postMessage({ type: "complete", ticket: ticket.current, text: value, cursor });
  };
  const accept = (row: CompletionItem | undefined) => {
    const element = input.current;
    if (!row || !element || !isFresh) return;
    const behind = text.slice(row.end);
    const blank = OPEN.has(row.kind) || /^\s/.test(behind) ? "" : " ";
    const before = `${text.slice(0, row.start)}${row.insertText}${blank}`;
    element.value = before + behind;
    element.setSelectionRange(before.length, before.length);
    element.focus();
    write(element.value, before.length);
  };
  const send = (how: How) => {
    if (!text.trim()) return;
    past.push(text);
    past.splice(0, past.length - HISTORY);
    place.current = -1;
    model.dismissOutcome();
    host.postMessage({ type: "send", text, how });
    input.current?.focus(); // the button that was clicked can do nothing now
    setText("");
    setClosed(true);
  };
  const recall = (event: KeyboardEvent, step: number) => {
    const next = place.current + step;
    if (next < -1 || next >= past.length) return;
    if (place.current < 0 && text) return;
    event.preventDefault();
    place.current = next;
    setText(next < 0 ? "" : (past.at(-1 - next) ?? ""));
  };
  const choose: Record<string, () => void> = {
    ArrowDown: () => setChosen((at + 1) % rows.length),
    ArrowUp: () => setChosen((Math.max(at, 0) + rows.length - 1) % rows.length),
    Escape: () => setClosed(true),
    ...(rows[at] && isFresh && { Enter: () => accept(rows[at]) }),
    Tab: () => accept(rows[at] ?? rows[0]),
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const follow = rows.length > 0 ? choose[event.key] : undefined;
    if (!follow) return edit(event);
    event.preventDefault();
    follow();
  };
  const edit = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      send(waits && (event.ctrlKey || event.metaKey) ? "steer" : "queue");
    } else if (event.key === "ArrowUp") up(event);
    else if (event.key === "ArrowDown" && place.current >= 0) recall(event, -1);
    else if (event.key === "Escape") leave();
  };
  /** The earlier prompt that is edited, else the work that goes on. */
  const leave = () => {
    if (model.edited.itemId) host.postMessage({ type: "endEdit" });
    else if (running) host.postMessage({ type: "stop" });
  };
  /** To the question that waits, else to what was sent before. */
  const up = (event: KeyboardEvent) => {
    if (!text && toQuestion()) event.preventDefault();
    else recall(event, 1);
  };

  return (
    <div
      class="composer"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => onDrop(event, model)}
    >
      <Completions rows={rows} chosen={at} accept={accept} />
      <Editing model={model} running={running} />
      <div class="box">
        <Chips model={model} />
        <textarea
          ref={input}
          rows={2}
          value={text}
          aria-label="Prompt"
          aria-autocomplete="list"
          aria-controls={rows.length > 0 ? "completions" : undefined}
          aria-activedescendant={rows[at] ? `completion-${at}` : undefined}
          placeholder={placeholder(model)}
          onInput={({ currentTarget: { value, selectionStart } }) => write(value, selectionStart)}
          onKeyDown={onKeyDown}
          onPaste={(event) => attachImages(event.clipboardData?.files, model)}
        />
        <div class="bar">
          <Pickers model={model} />
          <SendButtons running={running} waits={waits} ready={text.trim() !== ""} send={send} />
        </div>
      </div>
    </div>
  );
}

/** What sending does now, and the way back to the next prompt. */
function Editing({ model, running }: { model: Model; running: boolean }) {
  if (!model.edited.itemId) return null;
  return (
    <div class="editing-note faint">
      <span>
        Editing an earlier prompt. Sending it {running ? "stops the work and " : ""}replaces what came after.
      </span>
      <Button class="link" title="Leave the prompt as it is (Escape)" message={{ type: "endEdit" }}>
        Cancel
      </Button>
    </div>
  );
}

interface SendProps {
  running: boolean;
  /** What is sent waits for the end of the run. */
  waits: boolean;
  /** Something is written. */
  ready: boolean;
  send: (how: How) => void;
}

/** Send and stop, in one place: while it works and nothing is written there is nothing to send. */
function SendButtons({ running, waits, ready, send }: SendProps) {
  return (
    <span class="end">
      {running && (
        <Button class="icon stop" aria-label="Stop" title="Stop (Escape)" message={{ type: "stop" }}>
          <Icon name="stop-circle" />
        </Button>
      )}
      {waits && ready && (
        <button
          type="button"
          class="icon"
          aria-label="Send now"
          title="Send it now, into the work that goes on (Ctrl+Enter)"
          onClick={() => send("steer")}
        >
          <Icon name="arrow-up" />
        </button>
      )}
      {(ready || !waits) && (
        <button
          type="button"
          class="icon primary"
          aria-label={waits ? "Queue" : "Send"}
          title={waits ? "Queue it: it is sent when this is done (Enter)" : "Send (Enter)"}
          disabled={!ready}
          onClick={() => send("queue")}
        >
          <Icon name={waits ? "list-ordered" : "send"} />
        </button>
      )}
    </span>
  );
}

/** What can be done now, in the words of the editor. */
function placeholder({ transcript, elsewhere }: Model): string {
  const asks = Object.keys(transcript.requests).length + elsewhere.length;
  if (asks > 0) return "Press ↑ to answer it";
  if (transcript.state !== "idle") return "Enter queues, Ctrl+Enter sends now";
  const words = transcript.items.size > 0 ? "What next?" : "What should I change?";
  return `${words} @ adds context, / shows commands`;
}

/** Go to the question that waits, where there is one. */
function toQuestion(): boolean {
  const card = document.querySelector<HTMLElement>(".card .asked, .card input, .card button");
  card?.focus();
  return card !== null;
}

interface CompletionsProps {
  rows: CompletionItem[];
  chosen: number;
  accept: (row: CompletionItem) => void;
}

const SIGNS: Record<CompletionItem["kind"], [icon: string, category: string]> = {
  file: ["file", "Files"],
  folder: ["folder", "Files"],
  symbol: ["symbol-method", "Symbols"],
  source: ["symbol-reference", "Context"],
  command: ["terminal", "Commands"],
  argument: ["symbol-parameter", "Arguments"],
  value: ["symbol-value", "Values"],
};

const ROW = 28; // pixels: one of them is seen, whatever there is above

function Completions({ rows, chosen, accept }: CompletionsProps) {
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    const { current } = list;
    if (!current) return;
    const room = current.parentElement?.getBoundingClientRect().top ?? 0; // above the prompt, in a low view
    current.style.maxHeight = `min(40vh, ${Math.max(room, ROW)}px)`;
    current.querySelector(".chosen")?.scrollIntoView({ block: "nearest" });
  }, [rows, chosen]);
  if (rows.length === 0) return null;
  return (
    <ul class="completions" role="listbox" id="completions" aria-label="Completions" ref={list}>
      {rows.map((row, index) => {
        const [icon, category] = SIGNS[row.kind];
        const before = rows[index - 1];
        const isFirst = !before || SIGNS[before.kind][1] !== category;
        return (
          <>
            {isFirst && (
              <li class="category faint" role="presentation">
                {category}
              </li>
            )}
            <li
              id={`completion-${index}`}
              role="option"
              aria-selected={index === chosen}
              class={index === chosen ? "chosen" : ""}
              onMouseDown={(event) => {
                event.preventDefault(); // the prompt keeps the focus
                accept(row);
              }}
            >
              <Icon name={icon} /> {row.label} <span class="faint">{row.detail}</span>
            </li>
          </>
        );
      })}
    </ul>
  );
}

const CHIPS: Record<string, string> = {
  file: "file",
  folder: "folder",
  selection: "list-selection",
  image: "file-media",
  diagnostic: "warning",
  tabs: "files",
  terminal: "terminal",
  tests: "beaker",
};

function Chips({ model }: { model: Model }) {
  if (model.chips.length === 0) return null;
  return (
    <ul class="chips" aria-label="Context of this prompt">
      {model.chips.map((chip) => (
        <li class={`chip ${chip.offered ? "offered" : ""}`} title={chip.detail} key={chip.id}>
          {chip.preview ? <img src={chip.preview} alt="" /> : <Icon name={CHIPS[chip.kind] ?? "file"} />}
          <span>{chip.label}</span>
          <Button aria-label={`Drop ${chip.label}`} title="Remove" message={{ type: "drop", id: chip.id }}>
            <Icon name="close" />
          </Button>
        </li>
      ))}
    </ul>
  );
}

function Pickers({ model }: { model: Model }) {
  const options = { ...model.settings, ...model.transcript.options };
  const mode = textOf(options["mode"], "ask");
  const effort = textOf(options["effort"]) && ` · ${textOf(options["effort"])}`;
  const usual = model.problem ? "" : (model.models[0]?.name ?? ""); // with a problem, none would be asked
  const name = textOf(options["model"], usual);
  const chosen = (name || "No model") + effort;
  const label = MODES.find(({ value }) => value === mode)?.label ?? mode;
  return (
    <>
      <Button
        class="icon"
        aria-label="Add context"
        title="Add context: files, images, terminal, problems"
        message={{ type: "command", command: "agls.context.add" }}
      >
        <Icon name="attach" />
      </Button>
      <Button
        class={`pick ${mode}`}
        aria-label={`Mode: ${label}`}
        title="What it may do without asking"
        message={{ type: "command", command: "agls.mode" }}
      >
        <span>{label}</span>
        <Icon name="chevron-down" />
      </Button>
      <Button
        class="pick model"
        aria-label={name ? `Model: ${chosen}` : `${chosen}: choose one`}
        title="Model and effort"
        message={{ type: "command", command: "agls.model" }}
      >
        <span>{chosen}</span>
        <Icon name="chevron-down" />
      </Button>
    </>
  );
}
