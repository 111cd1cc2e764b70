/** The questions that wait for the user: permissions and forms. */

import { useState } from "preact/hooks";
import type { Option, Question } from "../protocol.gen";
import { textOf } from "../store/patch";
import type { AnyItem } from "../store/transcript";
import { behind, NOTHING_SHOWN } from "../session/permission_text";
import { QuestionBox, QuestionText, useRead } from "./question_text";
import { FormCard } from "./form";
import { visible } from "./visible";
import { host } from "./model";

/** A question of the session that is shown, or of another agent, which is named. */
type Asked = Question & { from?: string; input?: Record<string, unknown> | undefined };

export function Cards({ questions, items }: { questions: Asked[]; items: ReadonlyMap<string, AnyItem> }) {
  return (
    <div class="cards">
      {questions.map((question) => (
        <div class="one" key={question.requestId}>
          {question.from !== undefined && <p class="faint from">{whoAsks(question.from)}</p>}
          {question.kind === "form" ? (
            <FormCard question={question} />
          ) : (
            <PermissionCard question={question} input={inputOf(question, items)} />
          )}
        </div>
      ))}
    </div>
  );
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

function PermissionCard({ question, input }: PermissionProps) {
  const subject = question.subject ?? {};
  const shown = question.shown ?? NOTHING_SHOWN;
  const asked = subject["type"] === "command" ? textOf(subject["command"]) : "";
  const [command, setCommand] = useState(asked);
  const [reason, setReason] = useState("");
  const { box, read, look } = useRead(shown.text);
  const changed = asked !== "" && command !== asked;
  const rest = input?.["command"] === asked ? behind(shown, asked) : undefined;

  const choose = (option: Option) => {
    const edited = changed && option.decision === "allow" ? { input: { ...input, command } } : {};
    const feedback = reason.trim() ? { feedback: reason.trim() } : {};
    const answer = { outcome: "selected", optionId: option.optionId, ...edited, ...feedback };
    host.postMessage({ type: "answer", requestId: question.requestId, answer });
  };
  const options = question.options ?? [];
  const once = options.filter((option) => option.scope === "once");
  const ordered = changed ? once : [...once, ...options.filter((option) => option.scope !== "once")];
  const offered = ordered.filter((option) => shown.whole || option.decision === "reject");
  const isDisabled = (option: Option) => option.decision === "allow" && !read;

  return (
    <section class="card" role="group" aria-label={`Permission: ${question.title}`}>
      <h3>{asked ? "Run this command?" : visible(question.title)}</h3>
      <Why question={question} input={input} />
      <QuestionBox box={box} look={look}>
        {rest === undefined ? (
          <QuestionText text={shown.text} patches={subject["type"] === "edit"} />
        ) : (
          <>
            <CommandField command={command} onCommand={setCommand} />
            <QuestionText text={rest} patches={false} />
          </>
        )}
      </QuestionBox>
      <Unread whole={shown.whole} read={read} />
      <div class="choices">
        {offered.map((option) => (
          <button
            type="button"
            class={option.decision === "allow" && option.scope === "once" ? "primary" : ""}
            disabled={isDisabled(option)}
            title={option.rule ? `Saves the rule ${option.rule}` : undefined}
            onClick={() => choose(option)}
          >
            {changed && option.decision === "allow" ? "Allow as edited" : visible(option.label)}
          </button>
        ))}
      </div>
      <input
        class="reason"
        type="text"
        aria-label="What the agent shall know (optional)"
        placeholder="Reason, or what to do instead"
        value={reason}
        onInput={(event) => setReason(event.currentTarget.value)}
      />
    </section>
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
  return read ? null : <p class="problem">There is more: scroll to the end of it before you allow it.</p>;
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
