/** The questions that wait for the user: permissions and forms. */

import { useState } from "preact/hooks";
import type { Change, Option, Question } from "../protocol.gen";
import { textOf } from "../store/patch";
import type { AnyItem } from "../store/transcript";
import { PatchView } from "./diff";
import { FormCard } from "./form";
import { visible } from "./markdown";
import { host } from "./model";

/** A question of the session that is shown, or of another agent, which is named. */
type Asked = Question & { from?: string; input?: Record<string, unknown> | undefined };

export function Cards({ questions, items }: { questions: Asked[]; items: ReadonlyMap<string, AnyItem> }) {
  return (
    <div class="cards">
      {questions.map((question) => (
        <div key={question.requestId}>
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
  const asked = subject["type"] === "command" ? textOf(subject["command"]) : "";
  const [command, setCommand] = useState(asked);
  const [reason, setReason] = useState("");
  const changed = asked !== "" && command !== asked;
  const canEdit = typeof input?.["command"] === "string" && input["command"] === asked;

  const choose = (option: Option) => {
    const edited = changed && option.decision === "allow" ? { input: { ...input, command } } : {};
    const feedback = reason.trim() ? { feedback: reason.trim() } : {};
    const answer = { outcome: "selected", optionId: option.optionId, ...edited, ...feedback };
    host.postMessage({ type: "answer", requestId: question.requestId, answer });
  };
  const options = question.options ?? [];
  const once = options.filter((option) => option.scope === "once");
  const offered = changed ? once : [...once, ...options.filter((option) => option.scope !== "once")];

  return (
    <section class="card" role="group" aria-label={`Permission: ${question.title}`}>
      <h3>{asked ? "Run this command?" : visible(question.title)}</h3>
      {question.reason && <p class="faint">{visible(question.reason)}</p>}
      <Subject subject={subject} command={command} canEdit={canEdit} onCommand={setCommand} />
      <input
        class="reason"
        type="text"
        aria-label="What the agent shall know (optional)"
        placeholder="Reason, or what to do instead"
        value={reason}
        onInput={(event) => setReason(event.currentTarget.value)}
      />
      <div class="choices">
        {offered.map((option) => (
          <button
            type="button"
            class={option.decision === "allow" && option.scope === "once" ? "primary" : ""}
            title={option.rule ? `Saves the rule ${option.rule}` : undefined}
            onClick={() => choose(option)}
          >
            {changed && option.decision === "allow" ? "Allow as edited" : visible(option.label)}
          </button>
        ))}
      </div>
      {offered.some((option) => option.rule) && (
        <p class="faint">
          “Allow for …” saves:{" "}
          <code>{visible([...new Set(offered.flatMap((o) => o.rule ?? []))].join(", "))}</code>
        </p>
      )}
    </section>
  );
}

interface SubjectProps {
  subject: Record<string, unknown>;
  command: string;
  canEdit: boolean;
  onCommand: (command: string) => void;
}

/** All of it is seen: what is allowed must be read first. */
function fit(element: HTMLTextAreaElement | null): void {
  if (!element) return;
  element.style.height = "auto";
  element.style.height = `${element.scrollHeight + 2}px`;
}

function Subject({ subject, command, canEdit, onCommand }: SubjectProps) {
  const { type, cwd, changes, ...rest } = subject;
  if (type === "command") {
    return (
      <>
        {canEdit ? (
          <textarea
            class="command"
            aria-label="The exact command; it can be edited"
            spellcheck={false}
            ref={fit}
            value={command}
            onInput={(event) => onCommand(event.currentTarget.value)}
          />
        ) : (
          <pre class="command">{visible(command)}</pre>
        )}
        <p class="faint">in {visible(textOf(cwd))}</p>
      </>
    );
  }
  if (type === "edit" && Array.isArray(changes)) {
    return (
      <>
        {(changes as Change[]).map((change) => (
          <>
            <div class="file">{visible(decodeURIComponent(change.uri.replace(/^file:\/\//, "")))}</div>
            <PatchView patch={change.patch} most={Infinity} />
          </>
        ))}
      </>
    );
  }
  return Object.keys(rest).length > 0 ? (
    <pre class="input">{visible(JSON.stringify(rest, null, 2))}</pre>
  ) : null;
}
