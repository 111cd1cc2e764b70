/** The questions that wait for the user: permissions, plans and forms. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { Change, Option, Question } from "../protocol.gen";
import { behind, NOTHING_SHOWN } from "../session/permission_text";
import { textOf } from "../store/patch";
import type { AnyItem } from "../store/transcript";
import { Button } from "./button";
import { FormCard } from "./form";
import { Icon } from "./icon";
import { host } from "./model";
import { PlanCard } from "./plan_card";
import { QuestionBox, QuestionText, useRead } from "./question_text";
import { visible } from "./visible";

/** A question of the session that is shown, or of another agent, which is named. */
type Asked = Question & { from?: string; input?: Record<string, unknown> | undefined };

export function Cards({ questions, items }: { questions: Asked[]; items: ReadonlyMap<string, AnyItem> }) {
  return (
    <div class="cards">
      {questions.map((question) => (
        <div class="one" key={question.requestId}>
          {question.from !== undefined && <p class="faint from">{whoAsks(question.from)}</p>}
          <Card question={question} items={items} />
        </div>
      ))}
    </div>
  );
}

function Card({ question, items }: { question: Asked; items: ReadonlyMap<string, AnyItem> }) {
  if (question.kind === "form") return <FormCard question={question} />;
  if (question.kind === "plan") return <PlanCard question={question} />;
  return <PermissionCard question={question} input={inputOf(question, items)} />;
}

/** The arguments of the call that is asked about; calls of different sessions may have the same id. */
function inputOf(question: Asked, items: ReadonlyMap<string, AnyItem>): Record<string, unknown> | undefined {
  if (question.from !== undefined) return question.input;
  return items.get(question.itemId ?? "")?.["input"] as Record<string, unknown> | undefined;
}

function whoAsks(from: string): string {
  return from === "main" ? "Another session asks:" : `The helper “${visible(from)}” asks:`;
}

interface PermissionProps {
  question: Question;
  input: Record<string, unknown> | undefined;
}

/** What the user makes of a question: a command that they edit, a reason, and the answer. */
function useAnswer(question: Question, input: Record<string, unknown> | undefined) {
  const asked = question.subject?.["type"] === "command" ? textOf(question.subject["command"]) : "";
  const [command, setCommand] = useState(asked);
  const [reason, setReason] = useState<string>();
  const changed = asked !== "" && command !== asked;
  const choose = (option: Option) => {
    const edited = changed && option.decision === "allow" ? { input: { ...input, command } } : {};
    const feedback = reason?.trim() ? { feedback: reason.trim() } : {};
    const answer = { outcome: "selected", optionId: option.optionId, ...edited, ...feedback };
    host.postMessage({ type: "answer", requestId: question.requestId, answer });
  };
  return { asked, command, setCommand, reason, setReason, changed, choose };
}

const EDITS: Record<string, string> = {
  added: "Create this file?",
  modified: "Edit this file?",
  deleted: "Delete this file?",
};

/** What is asked: the command, or the file's whole path, stands once, in the text below. */
function headOf(question: Question, command: string): string {
  if (command) return "Run this command?";
  const [change, ...more] = (question.subject?.["changes"] ?? []) as Partial<Change>[];
  const named = /^\w+ (.+)$/s.exec(question.title)?.[1];
  const isNamed = named !== undefined && decoded(textOf(change?.uri)).endsWith(named);
  const words = more.length === 0 && isNamed ? EDITS[textOf(change?.change)] : undefined;
  return words ?? visible(question.title);
}

function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri; // a name that is no UTF-8
  }
}

const KINDS: Record<string, string> = { command: "terminal", edit: "edit", save: "save" };

function PermissionCard({ question, input }: PermissionProps) {
  const kind = textOf(question.subject?.["type"]);
  const shown = question.shown ?? NOTHING_SHOWN;
  const { box, read, look } = useRead(shown.text);
  const answer = useAnswer(question, input);
  const { asked, command, setCommand, reason, setReason, choose } = answer;
  const rest = input?.["command"] === asked ? behind(shown, asked) : undefined;
  const { first, others } = choicesOf(question, answer.changed);

  return (
    <section
      class="card"
      role="group"
      aria-label={`Permission: ${question.title}`}
      onKeyDown={(event) => onKey(event, read ? first : undefined, others.at(-1), choose)}
    >
      <h3>
        <Icon name={KINDS[kind] ?? "question"} /> {headOf(question, asked)}
        {kind === "edit" && (
          <Button class="link" message={{ type: "compareAsked", requestId: question.requestId }}>
            Open diff
          </Button>
        )}
      </h3>
      <QuestionBox box={box} look={look}>
        <Why question={question} input={input} />
        {rest !== undefined && <CommandField command={command} onCommand={setCommand} />}
        <QuestionText text={rest ?? shown.text} patches={rest === undefined && kind === "edit"} />
      </QuestionBox>
      <Unread whole={shown.whole} read={read} />
      {reason !== undefined && <Reason reason={reason} onReason={setReason} />}
      <Footer question={question} read={read} answer={answer} />
    </section>
  );
}

/** What can be answered: the yes for once, those that hold for longer, and the others. */
function choicesOf({ options = [], shown = NOTHING_SHOWN }: Question, changed: boolean) {
  const allows = options.filter(({ decision, scope }) => {
    return decision === "allow" && shown.whole && (!changed || scope === "once");
  });
  const first = allows.find(({ scope }) => scope === "once") ?? allows[0];
  const more = allows.filter((option) => option !== first);
  return { first, more, others: options.filter(({ decision }) => decision !== "allow") };
}

interface FooterProps {
  question: Question;
  read: boolean;
  answer: ReturnType<typeof useAnswer>;
}

/** The buttons: always in sight, however long the question is. */
function Footer({ question, read, answer }: FooterProps) {
  const { changed, choose, reason, setReason } = answer;
  const { first, more, others } = choicesOf(question, changed);
  return (
    <div class="choices footer">
      {first && <Allow first={first} more={more} {...{ changed, read, choose }} />}
      {others.map((option) => (
        <button type="button" title={`${visible(option.label)} (Escape)`} onClick={() => choose(option)}>
          {visible(option.label)}
        </button>
      ))}
      {reason === undefined && (
        <button type="button" class="quiet reasoned" title="Add a reason…" onClick={() => setReason("")}>
          <Icon name="comment" />
          <span class="name">Add a reason…</span>
        </button>
      )}
    </div>
  );
}

/** Ctrl+Enter is a yes to what was read, Escape a no. */
function onKey(
  event: KeyboardEvent,
  yes: Option | undefined,
  no: Option | undefined,
  choose: (option: Option) => void,
): void {
  const isYes = event.key === "Enter" && (event.ctrlKey || event.metaKey);
  const option = isYes ? yes : event.key === "Escape" ? no : undefined;
  if (!option) return;
  event.preventDefault();
  event.stopPropagation();
  choose(option);
}

function Reason({ reason, onReason }: { reason: string; onReason: (reason: string) => void }) {
  return (
    <input
      class="reason"
      type="text"
      aria-label="What the agent shall know (optional)"
      placeholder="Why not, or what to do instead"
      value={reason}
      ref={focused}
      onInput={(event) => onReason(event.currentTarget.value)}
    />
  );
}

function focused(element: HTMLInputElement | null): void {
  if (element && !element.value) element.focus();
}

interface AllowProps {
  first: Option;
  more: readonly Option[];
  changed: boolean;
  read: boolean;
  choose: (option: Option) => void;
}

/** A yes for once is the button; what holds for longer is behind it, with the rule that each saves. */
function Allow({ first, more, changed, read, choose }: AllowProps) {
  const [open, setOpen] = useState(false);
  const menu = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (open) menu.current?.querySelector("button")?.focus();
  }, [open]);
  const close = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    opener.current?.focus();
    setOpen(false);
  };
  return (
    <>
      <span class="split">
        <button
          type="button"
          class="primary"
          disabled={!read}
          title={`${visible(first.label)} (Ctrl+Enter)`}
          onClick={() => choose(first)}
        >
          {changed ? "Allow as edited" : visible(first.label)}
        </button>
        {more.length > 0 && (
          <button
            type="button"
            class="primary more"
            ref={opener}
            disabled={!read}
            aria-label="Allow for longer"
            aria-expanded={open}
            title="Allow for longer"
            onClick={() => setOpen(!open)}
          >
            <Icon name={open ? "chevron-up" : "chevron-down"} />
          </button>
        )}
      </span>
      {open && (
        <div class="longer" ref={menu} role="group" aria-label="Allow for longer" onKeyDown={close}>
          {more.map((option) => (
            <button type="button" disabled={!read} onClick={() => choose(option)}>
              {visible(option.label)}
              {option.rule && <code class="faint">{visible(option.rule)}</code>}
            </button>
          ))}
        </div>
      )}
    </>
  );
}

/** Why it is asked, and the reason that the agent gives. */
function Why({ question, input }: PermissionProps) {
  const description = textOf(input?.["description"]);
  return (
    <>
      {description && <p>The agent says: {visible(description)}</p>}
      {question.reason && <p class="faint">{visible(question.reason)}</p>}
    </>
  );
}

function Unread({ whole, read }: { whole: boolean; read: boolean }) {
  if (!whole)
    return (
      <p class="problem">
        This is too long to be shown whole, so it cannot be allowed. Ask for smaller steps.
      </p>
    );
  return read ? null : (
    <p class="warns">
      <Icon name="arrow-down" /> There is more: scroll to the end to allow it.
    </p>
  );
}

/** All of it is seen: what is allowed must be read first. */
function fit(element: HTMLTextAreaElement | null): void {
  if (!element) return;
  element.style.height = "auto";
  element.style.height = `${element.scrollHeight + 2}px`;
}

function CommandField({ command, onCommand }: { command: string; onCommand: (command: string) => void }) {
  return (
    <textarea
      class="command"
      rows={1}
      aria-label="The exact command; it can be edited"
      spellcheck={false}
      ref={fit}
      value={command}
      onInput={(event) => onCommand(event.currentTarget.value)}
    />
  );
}
