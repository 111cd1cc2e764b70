/** One item of the transcript, by its kind; an unknown kind is shown by its title or text. */

import { memo } from "preact/compat";
import type { Change, Content, Terminal } from "../protocol.gen";
import { baseName, textOf } from "../store/patch";
import { LIVE, statusOf } from "../store/ends";
import type { Helpers } from "../store/helpers";
import type { AnyItem } from "../store/transcript";
import { outputHtml } from "./ansi";
import { DiffView } from "./diff";
import { HelperList } from "./helpers";
import { toHtml } from "./markdown";
import { Mark } from "./mark";
import { Button } from "./button";
import { readable, visible } from "./visible";

interface ItemProps {
  item: AnyItem;
  idle: boolean;
  /** Who works for this call. */
  helpers?: Helpers[string] | undefined;
}

export const ItemView = memo(function ItemView({ item, idle, helpers }: ItemProps) {
  switch (item.kind) {
    case "userMessage":
      return <UserMessage item={item} idle={idle} />;
    case "message":
      return <Message item={item} />;
    case "thought":
      return <Folded item={item} title="Thought" />;
    case "toolCall":
    case "task":
      return <ToolCall item={item} helpers={helpers} />;
    case "fileEdit":
      return <FileEdit item={item} />;
    case "notice":
      return <Folded item={item} title={`Told to the model: ${textOf(item["title"], "a notice")}`} />;
    case "subagent":
      return <ChildLine item={item} />;
    case "plan":
      return <Folded item={item} title={textOf(item["title"], "Plan")} open />;
    case "compaction":
      return <Folded item={item} title="The conversation so far was summed up" />;
    default:
      return <Folded item={item} title={textOf(item["title"]) || item.kind} />;
  }
});

function Html({ html, className }: { html: string; className: string }) {
  return <div class={className} dangerouslySetInnerHTML={{ __html: html }} />;
}

function UserMessage({ item, idle }: { item: AnyItem; idle: boolean }) {
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
        <Button disabled={!idle} message={{ type: "edit", itemId: item.itemId }}>
          Edit
        </Button>
        <Button disabled={!idle} message={{ type: "rewind", itemId: item.itemId }}>
          Rewind
        </Button>
        <Button message={{ type: "fork", itemId: item.itemId }}>Fork</Button>
      </div>
    </article>
  );
}

function nameOf(block: Content): string {
  if (block.type === "image") return `image (${block.mimeType})`;
  if (block.type === "text") return "text";
  const name = block.type === "resourceLink" ? block.name : undefined;
  return name ?? decodeURIComponent(baseName(block.uri));
}

const DISCARDED = "broken off: does not count";

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
      {item.status === "cancelled" && <div class="faint">cancelled here</div>}
      {discarded && <div class="faint">{DISCARDED}</div>}
    </article>
  );
}

function Folded({ item, title, open = false }: { item: AnyItem; title: string; open?: boolean }) {
  const text = textOf(item["text"]);
  return (
    <details class={`item folded ${item.kind}`} open={open}>
      <summary>
        {visible(title)}
        {LIVE.has(item.status) ? " …" : ""}
        {item["discarded"] === true && <span class="faint"> {DISCARDED}</span>}
      </summary>
      <Html className="markdown" html={toHtml(text)} />
    </details>
  );
}

function ChildLine({ item }: { item: AnyItem }) {
  return (
    <article class="item faint" aria-label={LIVE.has(item.status) ? "A helper works" : "A helper has ended"}>
      <Mark status={item.status} /> Helper {visible(textOf(item["title"]))}: {statusOf(item.status)}
    </article>
  );
}

function ToolCall({ item, helpers }: Omit<ItemProps, "idle">) {
  const output = textOf(item["output"]);
  const changes = (item["changes"] ?? []) as Change[];
  const terminal = item["terminal"] as Terminal | undefined;
  const live = LIVE.has(item.status);
  return (
    <details class={`item tool ${item.status}`} open={item.status === "running" || changes.length > 0}>
      <CallLine item={item} terminal={terminal} />
      {changes.length === 0 && <Asked item={item} terminal={terminal} />}
      {helpers && <HelperList helpers={helpers} live={live} />}
      {changes.map((change, index) => (
        <DiffView change={change} itemId={item.itemId} index={index} />
      ))}
      {output && changes.length === 0 && <Output itemId={item.itemId} output={output} live={live} />}
    </details>
  );
}

/** What the model wants of the tool: a command as it is typed, anything else as it was given. */
function Asked({ item, terminal }: { item: AnyItem; terminal: Terminal | undefined }) {
  const input = (item["input"] ?? {}) as Record<string, unknown>;
  const command = terminal?.command ?? textOf(input["command"]);
  return command ? <Command command={command} cwd={terminal?.cwd} /> : <Input input={input} />;
}

function CallLine({ item, terminal }: { item: AnyItem; terminal: Terminal | undefined }) {
  return (
    <summary>
      <Mark status={item.status} />
      <Title item={item} />
      {item.kind === "task" && <span class="faint">in the background</span>}
      <span class="faint">{stateOf(item, terminal)}</span>
      <Unsaved files={terminal?.unsaved ?? []} />
    </summary>
  );
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

function Input({ input }: { input: Record<string, unknown> }) {
  if (Object.keys(input).length === 0) return null;
  return <pre class="input">{visible(JSON.stringify(input, null, 2))}</pre>;
}

function stateOf(item: AnyItem, terminal: Terminal | undefined): string {
  if (terminal && item.status === "completed") {
    return terminal.exitCode === null ? (terminal.signal ?? "ended") : `exit code ${terminal.exitCode}`;
  }
  return item.status === "completed" ? "" : statusOf(item.status);
}

/** What is done, and the reason that the model gives. Of a path that is too long the folder is cut. */
function Title({ item }: { item: AnyItem }) {
  const input = (item["input"] ?? {}) as Record<string, unknown>;
  const title = visible(textOf(item["title"]) || textOf(item["name"]));
  const path = visible(textOf(input["path"]));
  const description = visible(textOf(input["description"]));
  if (description) return <span class="title" title={title}>{`${description} · ${title}`}</span>;
  if (!path.includes("/") || !title.endsWith(path)) return <span class="title">{title}</span>;
  const name = path.slice(path.lastIndexOf("/"));
  const folder = path.slice(0, -name.length);
  return (
    <span class="title of-file" title={title}>
      <span>{title.slice(0, -path.length)}</span>
      <span class="folder">{folder}</span>
      <span class="name">{name}</span>
    </span>
  );
}

function Output({ itemId, output, live }: { itemId: string; output: string; live: boolean }) {
  const follow = (element: HTMLElement | null) => {
    if (element && live) element.scrollTop = element.scrollHeight;
  };
  return (
    <div class="output">
      <pre
        ref={follow}
        tabIndex={0}
        aria-label="Output"
        dangerouslySetInnerHTML={{ __html: outputHtml(output) }}
      />
      <div class="tools">
        <Button message={{ type: "copy", text: output }}>Copy</Button>
        <Button message={{ type: "output", itemId }}>Open all</Button>
      </div>
    </div>
  );
}

function FileEdit({ item }: { item: AnyItem }) {
  const changes = (item["changes"] ?? []) as Change[];
  return (
    <details class="item tool completed">
      <summary>
        <span class="title">{visible(textOf(item["title"]) || "Files were changed")}</span>
      </summary>
      {changes.map((change, index) => (
        <DiffView change={change} itemId={item.itemId} index={index} />
      ))}
    </details>
  );
}
