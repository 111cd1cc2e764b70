/** A plan that waits for its approval: read whole as Markdown, or changed before it is approved. */

import { useState } from "preact/hooks";
import type { Option, Question } from "../protocol.gen";
import { textOf } from "../store/patch";
import { toHtml } from "./markdown";
import { host } from "./model";
import { QuestionBox, useRead } from "./question_text";
import { visible } from "./visible";

export function PlanCard({ question }: { question: Question }) {
  const presented = textOf(question.subject?.["plan"]);
  const [plan, setPlan] = useState(presented);
  const [edits, setEdits] = useState(false);
  const [comment, setComment] = useState("");
  const { box, look } = useRead(plan);

  const choose = (option: Option) => {
    const edited = plan.trim() !== "" && plan !== presented ? { input: { plan } } : {};
    const feedback = comment.trim() ? { feedback: comment.trim() } : {};
    const answer = { outcome: "selected", optionId: option.optionId, ...edited, ...feedback };
    host.postMessage({ type: "answer", requestId: question.requestId, answer });
  };
  return (
    <section class="card" role="group" aria-label={`Plan: ${question.title}`}>
      <h3>{visible(question.title)}</h3>
      {question.reason && <p class="faint">{visible(question.reason)}</p>}
      <QuestionBox box={box} look={look}>
        {edits ? (
          <textarea
            class="plan"
            aria-label="The plan, as the agent shall follow it"
            rows={Math.min(plan.split("\n").length + 1, 24)}
            value={plan}
            onInput={(event) => setPlan(event.currentTarget.value)}
          />
        ) : (
          <div class="markdown" dangerouslySetInnerHTML={{ __html: toHtml(plan) }} />
        )}
      </QuestionBox>
      <div class="choices">
        {(question.options ?? []).map((option, place) => (
          <button type="button" class={place === 0 ? "primary" : ""} onClick={() => choose(option)}>
            {visible(option.label)}
          </button>
        ))}
        <button type="button" onClick={() => setEdits(!edits)}>
          {edits ? "Show the plan" : "Change the plan"}
        </button>
      </div>
      <input
        class="reason"
        type="text"
        aria-label="What the agent shall know (optional)"
        placeholder="Comment for the agent"
        value={comment}
        onInput={(event) => setComment(event.currentTarget.value)}
      />
    </section>
  );
}
