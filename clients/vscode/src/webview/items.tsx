/** One item of the transcript, by its kind; an unknown kind is shown by its title or text. */

import { memo } from "preact/compat";
import type { FromChat } from "../chat/messages";
import type { Change, Content, PlanItemEntry, Terminal } from "../protocol.gen";
import { baseName, isObject, textOf } from "../store/patch";
import { shownOutput } from "../store/colours";
import { LIVE, statusOf } from "../store/ends";
import type { Helpers } from "../store/helpers";
import { type CallRow, duration, type Folded, isNotice, rowOf, summaryOf, titlesOf } from "../store/rows";
import type { AnyItem } from "../store/transcript";
import { DiffView } from "./diff";
import { HelperList } from "./helpers";
import { Input } from "./input";
import { toHtml } from "./markdown";
import { CallIcon, Icon } from "./icon";
import { Mark } from "./mark";
import { OutputText } from "./output_text";
import { statOf } from "./patch";
import { PlanEntries } from "./plan_entries";
import { useReading } from "./words";
import { Button } from "./button";
import { readable, visible } from "./visible";

const NOTE = "Note to the model";
const NOTICED = 1000; // milliseconds that a call may take without a word about it

interface ItemProps {
  item: AnyItem;
  /** Who works for this call. */
  helpers?: Helpers[string] | undefined;
  /** A question about it is open: its card shows what the call is about. */
  asked?: boolean;
}

export const ItemView = memo(function ItemView({ item, helpers, asked }: ItemProps) {
  switch (item.kind) {
    case "userMessage":
      return <UserMessage item={item} />;
    case "message":
      return <Message item={item} />;
    case "thought":
      return <Folded item={item} title={LIVE.has(item.status) ? "Thinking" : "Thought"} />;
    case "toolCall":
    case "task":
      return <ToolCall item={item} helpers={helpers} asked={asked} />;
    case "fileEdit":
      return <FileEdit item={item} />;
    case "notice":
      return <Folded item={item} title={textOf(item["title"], NOTE)} />;
    case "subagent":
      return <ChildLine item={item} />;
    case "plan":
      return <Folded item={item} title={textOf(item["title"], "Plan")} open />;
    case "sideAnswer":
      return <Folded item={item} title={`Asked beside the work: ${textOf(item["title"])}`} open />;
    case "compaction":
      return <Folded item={item} title="The conversation so far was summed up" />;
    default:
      return <Folded item={item} title={textOf(item["title"]) || item.kind} />;
  }
});

/** Calls that only looked, or notices, in one row: what they were is inside. */
export const FoldedView = memo(function FoldedView({ row }: { row: Folded }) {
  const { words } = useReading();
  if (isNotice(row))
    return (
      <details class="item folded notices">
        <summary title="Notes to the model">{visible(titlesOf(row.items) || NOTE)}</summary>
        {row.items.map((item) => (
          <ItemView key={item.itemId} item={item} />
        ))}
      </details>
    );
  return (
    <details class="item tool looks">
      <summary>
        <span class="mark completed">
          <Icon name="search" />
        </span>
        <span class="title">{summaryOf(row.items, words)}</span>
      </summary>
      {row.items.map((item) => (
        <ItemView key={item.itemId} item={item} />
      ))}
    </details>
  );
});

function Html({ html, className }: { html: string; className: string }) {
  return <div class={className} dangerouslySetInnerHTML={{ __html: html }} />;
}

function UserMessage({ item }: { item: AnyItem }) {
  const content = (item["content"] ?? []) as Content[];
  const attached = content.filter((block) => block.type !== "text");
  return (
    <article class="item user" aria-label="Your message">
      {content.map((block) =>
        block.type === "text" ? <div class="words">{readable(block.text)}</div> : null,
      )}
      {attached.length > 0 && (
        <ul class="chips" aria-label="Attached">
          {attached.map((block) => (
            <li class="chip">
              {block.type === "image" && <img src={`data:${block.mimeType};base64,${block.data}`} alt="" />}
              <span>{visible(nameOf(block))}</span>
            </li>
          ))}
        </ul>
      )}
      {item["steer"] === true && <div class="faint">sent while it worked</div>}
      <div class="tools">
        <Tool icon="edit" label="Edit" message={{ type: "edit", itemId: item.itemId }} />
        <Tool icon="repo-forked" label="Fork" message={{ type: "fork", itemId: item.itemId }} />
      </div>
    </article>
  );
}

interface ToolProps {
  icon: string;
  label: string;
  message: FromChat;
  disabled?: boolean;
}

export function Tool({ icon, label, message, disabled = false }: ToolProps) {
  return (
    <Button class="icon" aria-label={label} title={label} disabled={disabled} message={message}>
      <Icon name={icon} />
    </Button>
  );
}

/** What the server attaches for a word with `@`. */
const SOURCES: Record<string, string> = {
  "agls:diff": "uncommitted changes",
  "agls:diagnostics": "problems",
};

/** "greet.py#L3-L8" as the chip in the prompt has it: "greet.py:3-8". */
function linesIn(name: string): string {
  return name.replace(/#L(\d+)(?:-L?(\d+))?$/, (_, first, last) =>
    last === undefined || last === first ? `:${first}` : `:${first}-${last}`,
  );
}

function nameOf(block: Content): string {
  if (block.type === "image") return "image";
  if (block.type === "text") return "text";
  const name = block.type === "resourceLink" ? block.name : undefined;
  return name ?? SOURCES[block.uri] ?? linesIn(decodeURIComponent(baseName(block.uri)));
}

const DISCARDED = "cut off: not part of the conversation";

function Message({ item }: { item: AnyItem }) {
  const text = textOf(item["text"]);
  if (!text && !LIVE.has(item.status)) return null;
  const discarded = item["discarded"] === true;
  const kind = `item message ${item.status}${discarded ? " discarded" : ""}`;
  return (
    <article
      class={kind}
      aria-label={discarded ? DISCARDED : "Message of agls"}
      aria-busy={LIVE.has(item.status)}
    >
      <Html className="markdown" html={toHtml(text)} />
      {LIVE.has(item.status) && <span class="caret" aria-hidden="true" />}
      {item.status === "cancelled" && <div class="faint">stopped here</div>}
      {discarded && <div class="faint">{DISCARDED}</div>}
    </article>
  );
}

function Folded({ item, title, open = false }: { item: AnyItem; title: string; open?: boolean }) {
  const entries = item.kind === "plan" ? (item["entries"] as PlanItemEntry[] | undefined) : undefined;
  return (
    <details class={`item folded ${item.kind}`} open={open}>
      <summary title={item.kind === "notice" ? NOTE : undefined}>
        {visible(title)}
        {LIVE.has(item.status) ? "…" : ""}
        {item["discarded"] === true && <span class="faint"> {DISCARDED}</span>}
      </summary>
      {entries ? (
        <PlanEntries entries={entries} label="What was planned" />
      ) : (
        <Html className="markdown" html={toHtml(textOf(item["text"]))} />
      )}
    </details>
  );
}

function ChildLine({ item: { status, title } }: { item: AnyItem }) {
  return (
    <article class="item faint child" aria-label={LIVE.has(status) ? "A helper works" : "A helper has ended"}>
      <Mark status={status} /> Helper {visible(textOf(title))}: {statusOf(status)}
    </article>
  );
}

function ToolCall({ item, helpers, asked = false }: ItemProps) {
  const { words } = useReading();
  const terminal = item["terminal"] as Terminal | undefined;
  const changes = (item["changes"] ?? []) as Change[];
  const live = LIVE.has(item.status);
  return (
    <details class={`item tool ${item.status}`} open={goesOn(item, helpers)}>
      <CallLine row={rowOf(item, words, asked)} item={item} asked={asked} />
      {changes.length === 0 && !asked && <Wanted item={item} terminal={terminal} />}
      {helpers && <HelperList helpers={helpers} live={live} />}
      {changes.map((change, index) => (
        <DiffView change={change} itemId={item.itemId} index={index} />
      ))}
      {(changes.length === 0 || live) && !(helpers && live) && <Output item={item} live={live} />}
    </details>
  );
}

/** Something comes of it meanwhile that is worth to be seen. */
function goesOn(item: AnyItem, helpers: Helpers[string] | undefined): boolean {
  return item.status === "running" && (isCommand(item) || item.kind === "task" || helpers !== undefined);
}

function CallLine({ row, item, asked }: { row: CallRow; item: AnyItem; asked: boolean }) {
  const { took } = useReading();
  const terminal = item["terminal"] as Terminal | undefined;
  const changes = (item["changes"] ?? []) as Change[];
  return (
    <summary>
      <CallIcon kind={row.kind} status={item.status} waits={asked} />
      <Title row={row} item={item} />
      {changes.length > 0 && <EditEnd changes={changes} itemId={item.itemId} />}
      {item.kind === "task" && <span class="faint where">in the background</span>}
      <span class="faint end">{asked ? "waits for you" : stateOf(item, terminal, took[item.itemId])}</span>
      <Unsaved files={terminal?.unsaved ?? []} />
    </summary>
  );
}

/** What an edit comes to, and the way to look at it: one line is enough to go on. */
function EditEnd({ changes, itemId }: { changes: readonly Change[]; itemId: string }) {
  const stats = changes.map(({ patch }) => statOf(patch));
  const sum = (name: "added" | "removed") => stats.reduce((all, stat) => all + stat[name], 0);
  return (
    <span class="edit">
      <span class="added">+{sum("added")}</span> <span class="removed">−{sum("removed")}</span>{" "}
      <Button class="link" title="Open the diff in the editor" message={{ type: "diff", itemId, index: 0 }}>
        diff
      </Button>
    </span>
  );
}

/** The agent waits for a command: it may go on without it. */
function isCommand(item: AnyItem): boolean {
  const input = (item["input"] ?? {}) as Record<string, unknown>;
  return item.kind === "toolCall" && typeof input["command"] === "string";
}

/** What the model wants of the tool: a command as it is typed, anything else as it was given. */
function Wanted({ item, terminal }: { item: AnyItem; terminal: Terminal | undefined }) {
  const input = (item["input"] ?? {}) as Record<string, unknown>;
  const command = terminal?.command ?? textOf(input["command"]);
  const tasks = tasksOf(input["tasks"]);
  if (tasks.length > 0) return <Handed tasks={tasks} />;
  return command ? <Command command={command} cwd={terminal?.cwd} /> : <Input input={input} />;
}

/** What is handed to each helper, in its own words. */
function Handed({ tasks }: { tasks: readonly string[] }) {
  return (
    <ol class="handed" aria-label="What the helpers are asked">
      {tasks.map((task) => (
        <li>{readable(task)}</li>
      ))}
    </ol>
  );
}

function tasksOf(tasks: unknown): string[] {
  const prompts = Array.isArray(tasks) ? tasks.map((task) => isObject(task) && textOf(task["prompt"])) : [];
  return prompts.filter((prompt) => typeof prompt === "string" && prompt !== "") as string[];
}

function Command({ command, cwd }: { command: string; cwd: string | undefined }) {
  return (
    <>
      <pre class="command">$ {visible(command)}</pre>
      {cwd && <div class="faint cwd">in {visible(cwd)}</div>}
    </>
  );
}

/** The command saw an older text of these files than the editor shows. */
function Unsaved({ files }: { files: readonly string[] }) {
  if (files.length === 0) return null;
  return (
    <span class="unsaved" role="note">
      Ran with the text on the disk; not saved in the editor: {visible(files.join(", "))}
    </span>
  );
}

/** How it ended, and how long it took: what went well says only what people look for. */
function stateOf(item: AnyItem, terminal: Terminal | undefined, took: number | undefined): string {
  if (LIVE.has(item.status)) return "";
  const time = took !== undefined && took >= NOTICED ? duration(took) : "";
  const code =
    terminal && (terminal.exitCode === null ? (terminal.signal ?? "ended") : `exit ${terminal.exitCode}`);
  const isOver = item.status === "completed" || (item.status === "failed" && terminal);
  const state = isOver ? code : statusOf(item.status);
  return [time, state].filter(Boolean).join(" · ");
}

/** What is done, in words; of a file its name, which opens it, before the folder, which may be cut. */
function Title({ row: { verb, about, folder, file, kind }, item }: { row: CallRow; item: AnyItem }) {
  const input = (item["input"] ?? {}) as Record<string, unknown>;
  const description = visible(textOf(input["description"]));
  const whole = visible([verb, file || about].filter(Boolean).join(" "));
  if (file)
    return (
      <span class="title of-file" title={whole}>
        <span>{verb} </span>
        <Button class="name" message={{ type: "link", href: encodeURI(file) }}>
          {visible(about)}
        </Button>
        {folder && <span class="folder faint">{visible(folder)}</span>}
      </span>
    );
  const quoted = kind === "search" && about ? `‘${about}’` : about;
  return (
    <span class="title" title={whole}>
      {description ? `${description} · ` : verb && `${verb} `}
      {kind === "command" && item.kind !== "task" ? <code>{visible(about)}</code> : visible(quoted)}
    </span>
  );
}

/** What it printed so far, and what can be done with it; a command that the agent waits for can be left to itself. */
function Output({ item, live }: { item: AnyItem; live: boolean }) {
  const { itemId } = item;
  const output = textOf(item["output"]);
  const terminal = item["terminal"] as Terminal | undefined;
  const follow = (element: HTMLElement | null) => {
    if (element && live) element.scrollTop = element.scrollHeight;
  };
  const waits = item.status === "running" && isCommand(item);
  if (!output && !waits) return null;
  return (
    <div class="output">
      {output && (
        <pre ref={follow} tabIndex={0} aria-label="Output">
          <OutputText text={shownOutput(output, terminal?.coloured ?? textOf(item["coloured"]))} />
        </pre>
      )}
      <div class="tools">
        {output && <Button message={{ type: "copy", text: output }}>Copy</Button>}
        {output && <Button message={{ type: "output", itemId }}>Open in editor</Button>}
        {waits && <Button message={{ type: "background", itemId }}>Move to background</Button>}
      </div>
    </div>
  );
}

function FileEdit({ item }: { item: AnyItem }) {
  const changes = (item["changes"] ?? []) as Change[];
  return (
    <details class="item tool completed">
      <summary>
        <span class="mark completed">
          <Icon name="discard" />
        </span>
        <span class="title">{visible(textOf(item["title"]) || "Files were changed")}</span>
      </summary>
      {changes.map((change, index) => (
        <DiffView change={change} itemId={item.itemId} index={index} />
      ))}
    </details>
  );
}
