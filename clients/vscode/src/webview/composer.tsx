/** Where the user writes: the prompt, what is attached to it, completion of `@` and `/`, and what it is sent with. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { Completion, How } from "../chat/messages";
import { MODES } from "../store/modes";
import { textOf } from "../store/patch";
import { Button } from "./button";
import { host, type Model } from "./model";

const HISTORY = 50;
const past: string[] = [];

/** The word before the cursor that asks for completion: `@…` anywhere, `/…` at the beginning. */
export function wordAt(
  text: string,
  cursor: number,
): { kind: "@" | "/"; word: string; start: number } | undefined {
  const before = text.slice(0, cursor);
  const slash = /^\/([\w.-]*)$/.exec(before);
  if (slash) return { kind: "/", word: slash[1] ?? "", start: 0 };
  const at = /(?:^|\s)@([^\s@]*)$/.exec(before);
  return at ? { kind: "@", word: at[1] ?? "", start: cursor - (at[1] ?? "").length - 1 } : undefined;
}

export function Composer({ model }: { model: Model }) {
  const [text, setText] = useState(model.compose.text);
  const [closed, setClosed] = useState(false);
  const [chosen, setChosen] = useState(0);
  const input = useRef<HTMLTextAreaElement>(null);
  const ticket = useRef(0);
  const place = useRef(-1);
  const word = wordAt(text, input.current?.selectionStart ?? text.length);
  const rows = word && !closed && model.completions.ticket === ticket.current ? model.completions.rows : [];
  const running = model.transcript.state !== "idle";

  useEffect(() => {
    const { text: given, replace } = model.compose;
    setText((now) => (replace || !now.trim() || now === given ? given : `${given}\n\n${now}`));
    if (model.compose.focus) input.current?.focus(); // not when the page comes up by itself
  }, [model.compose.number]);
  useEffect(() => host.setState({ draft: text }), [text]);
  useEffect(() => {
    const element = input.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(element.scrollHeight + 2, 240)}px`;
  }, [text]);

  const write = (value: string) => {
    setText(value);
    model.heeded();
    setClosed(false);
    setChosen(0);
    const found = wordAt(value, input.current?.selectionStart ?? value.length);
    if (found)
      host.postMessage({ type: "complete", ticket: ++ticket.current, kind: found.kind, word: found.word });
  };
  const accept = (row: Completion) => {
    if (!word) return;
    const end = word.start + 1 + word.word.length;
    const value = `${text.slice(0, word.start)}${row.insert}${text.slice(end)}`;
    setText(value);
    setClosed(true);
    if (row.attach) host.postMessage({ type: "attach", attach: row.attach });
    input.current?.focus();
  };
  const send = (how: How) => {
    if (!text.trim()) return;
    past.push(text);
    past.splice(0, past.length - HISTORY);
    place.current = -1;
    host.postMessage({ type: "send", text, how });
    setText("");
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
    ArrowDown: () => setChosen((chosen + 1) % rows.length),
    ArrowUp: () => setChosen((chosen + rows.length - 1) % rows.length),
    Escape: () => setClosed(true),
    Enter: () => accept(rows[chosen] ?? (rows[0] as Completion)),
    Tab: () => accept(rows[chosen] ?? (rows[0] as Completion)),
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
      send(running && (event.ctrlKey || event.metaKey) ? "steer" : "queue");
    } else if (event.key === "ArrowUp") recall(event, 1);
    else if (event.key === "ArrowDown" && place.current >= 0) recall(event, -1);
    else if (event.key === "Escape" && running) host.postMessage({ type: "stop" });
  };

  return (
    <div class="composer" onDragOver={(event) => event.preventDefault()} onDrop={onDrop}>
      <Completions rows={rows} chosen={chosen} accept={accept} />
      <Chips model={model} />
      <textarea
        ref={input}
        rows={2}
        value={text}
        aria-label="Prompt"
        aria-autocomplete="list"
        aria-controls="completions"
        aria-activedescendant={rows.length > 0 ? `completion-${chosen}` : undefined}
        placeholder={
          running
            ? "Enter queues, Ctrl+Enter says it now"
            : "Ask for a change. @ adds context, / shows actions"
        }
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      <div class="bar">
        <Pickers model={model} />
        <span class="end">
          {running && (
            <Button class="stop" title="Stop the run (Escape)" says={{ type: "stop" }}>
              ◼ Stop
            </Button>
          )}
          {running && text.trim() && (
            <button type="button" title="Say it now (Ctrl+Enter)" onClick={() => send("steer")}>
              Steer
            </button>
          )}
          <button type="button" class="primary" disabled={!text.trim()} onClick={() => send("queue")}>
            {running ? "Queue" : "Send"}
          </button>
        </span>
      </div>
    </div>
  );
}

interface CompletionsProps {
  rows: Completion[];
  chosen: number;
  accept: (row: Completion) => void;
}

function Completions({ rows, chosen, accept }: CompletionsProps) {
  if (rows.length === 0) return null;
  return (
    <ul class="completions" role="listbox" id="completions" aria-label="Completions">
      {rows.map((row, index) => (
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
          {row.label} <span class="faint">{row.detail}</span>
        </li>
      ))}
    </ul>
  );
}

function Chips({ model }: { model: Model }) {
  if (model.chips.length === 0) return null;
  return (
    <ul class="chips" aria-label="Context of this prompt">
      {model.chips.map((chip) => (
        <li class={`chip ${chip.offered ? "offered" : ""}`} title={chip.detail} key={chip.id}>
          {chip.preview && <img src={chip.preview} alt="" />}
          <span>{chip.label}</span>
          <Button aria-label={`Drop ${chip.label}`} says={{ type: "drop", id: chip.id }}>
            ×
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
  const name = textOf(options["model"], model.models[0]?.name ?? "model");
  return (
    <>
      <Button
        class={`pick ${mode}`}
        title="What it may do unasked"
        says={{ type: "command", command: "agls.mode" }}
      >
        {MODES.find(({ value }) => value === mode)?.label ?? mode} ▾
      </Button>
      <Button class="pick" title="Model and effort" says={{ type: "command", command: "agls.model" }}>
        {name}
        {effort} ▾
      </Button>
    </>
  );
}

function onPaste(event: ClipboardEvent): void {
  for (const file of event.clipboardData?.files ?? []) attachImage(file);
}

function onDrop(event: DragEvent): void {
  event.preventDefault();
  const list = event.dataTransfer?.getData("text/uri-list") ?? "";
  const uris = list.split(/\r?\n/).filter((line) => line && !line.startsWith("#"));
  if (uris.length > 0) host.postMessage({ type: "dropped", uris });
  else for (const file of event.dataTransfer?.files ?? []) attachImage(file);
}

function attachImage(file: File): void {
  if (!file.type.startsWith("image/")) return;
  const reader = new FileReader();
  reader.onload = () => {
    const data = textOf(reader.result).replace(/^[^,]*,/, "");
    host.postMessage({ type: "image", name: file.name || "image", data, mimeType: file.type });
  };
  reader.readAsDataURL(file);
}
