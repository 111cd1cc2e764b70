/** A question of the agent with answers to fill in or to choose from. */

import { useState } from "preact/hooks";
import type { Question } from "../protocol.gen";
import { textOf } from "../store/patch";
import { type Field, fieldsOf } from "../store/schema";
import { Button } from "./button";
import { visible } from "./visible";
import { host } from "./model";

type Value = string | boolean | string[];

export function FormCard({ question }: { question: Question }) {
  const fields = fieldsOf(question.schema ?? {});
  const [values, setValues] = useState(() => startOf(fields));
  const set = (name: string, value: Value) => setValues((before) => ({ ...before, [name]: value }));
  const answer = (outcome: string, content?: Record<string, unknown>) => {
    const filled = content ? { outcome, content } : { outcome };
    host.postMessage({ type: "answer", requestId: question.requestId, answer: filled });
  };
  const missing = fields.some(
    (field) => field.required && isEmpty(values[field.name]) && field.type !== "boolean",
  );
  const submit = (event: Event) => {
    event.preventDefault();
    if (!missing) answer("accept", contentOf(fields, values));
  };
  const address = addressOf(question);
  const [title = "", ...lines] = question.title.split("\n");
  const more = lines.filter((line) => line !== address);
  return (
    <form class="card" aria-label={`Question: ${question.title}`} onSubmit={submit}>
      <h3>{visible(title)}</h3>
      {more.length > 0 && <p>{visible(more.join("\n"))}</p>}
      {address && <pre class="address">{visible(address)}</pre>}
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          value={values[field.name]}
          set={(value) => set(field.name, value)}
        />
      ))}
      <div class="choices">
        {address && (
          <Button class="primary" message={{ type: "link", href: address }}>
            Open the page
          </Button>
        )}
        <button type="submit" class={address ? "" : "primary"} disabled={missing}>
          Answer
        </button>
        <button type="button" onClick={() => answer("decline")}>
          Decline
        </button>
      </div>
    </form>
  );
}

/** A page that the user is to open, such as that of a login: all of its address is shown first. */
function addressOf({ subject }: Question): string {
  const address = subject?.["type"] === "url" ? textOf(subject["url"]) : "";
  return /^https?:\/\//.test(address) ? address : "";
}

function FieldInput({
  field,
  value,
  set,
}: {
  field: Field;
  value: Value | undefined;
  set: (value: Value) => void;
}) {
  const label = (
    <span>
      {visible(field.title)}
      {field.description && <span class="faint"> {visible(field.description)}</span>}
    </span>
  );
  if (field.type === "boolean") {
    return (
      <label class="field tick">
        <input
          type="checkbox"
          checked={value === true}
          onChange={(event) => set(event.currentTarget.checked)}
        />
        {label}
      </label>
    );
  }
  if (field.choices.length > 0) {
    const many = field.type === "array";
    const chosen = Array.isArray(value) ? value : value === undefined ? [] : [String(value)];
    const pick = (choice: string, on: boolean) => {
      if (!many) set(choice);
      else set(on ? [...chosen, choice] : chosen.filter((other) => other !== choice));
    };
    return (
      <fieldset class="field">
        <legend>{label}</legend>
        {field.choices.map((choice) => (
          <label>
            <input
              type={many ? "checkbox" : "radio"}
              name={field.name}
              checked={chosen.includes(choice)}
              onChange={(event) => pick(choice, event.currentTarget.checked)}
            />{" "}
            {visible(choice)}
          </label>
        ))}
      </fieldset>
    );
  }
  const number = field.type === "number" || field.type === "integer";
  return (
    <label class="field">
      {label}
      <input
        type={number ? "number" : field.secret ? "password" : "text"}
        value={typeof value === "string" ? value : ""}
        onInput={(event) => set(event.currentTarget.value)}
      />
    </label>
  );
}

/** What is ticked before the user ticks anything. */
function startOf(fields: Field[]): Record<string, Value> {
  return Object.fromEntries(fields.filter((field) => field.ticked).map((field) => [field.name, true]));
}

function isEmpty(value: Value | undefined): boolean {
  return value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
}

/** The answers as the schema wants them; what was left empty is left out. */
export function contentOf(fields: Field[], values: Record<string, Value>): Record<string, unknown> {
  const content: Record<string, unknown> = {};
  for (const { name, type } of fields) {
    const value = values[name];
    if (type === "boolean") content[name] = value === true;
    else if (!isEmpty(value)) content[name] = type === "number" || type === "integer" ? Number(value) : value;
  }
  return content;
}
