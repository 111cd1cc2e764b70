/** Slash commands: which action is meant, and what the words behind it fill in. Pure. */

import type { Action } from "../protocol.gen";
import type { Json } from "../store/patch";
import { type Field, fieldsOf } from "../store/schema";

/** What an action wants to know, that which must be there first. */
export function inputsOf(schema: Json): Field[] {
  const fields = fieldsOf(schema);
  return [...fields.filter((field) => field.required), ...fields.filter((field) => !field.required)];
}

/** What the user wrote, as the schema has it. */
export function typed(text: string, { type }: Field): unknown {
  switch (type) {
    case "integer":
    case "number":
      return Number.isFinite(Number(text)) ? Number(text) : text;
    case "boolean":
      return ["true", "yes"].includes(text);
    case "array":
      return text.split(/\s*,\s*/);
    default:
      return text;
  }
}

/** `/name words`: the name and the words; `undefined` where it is a prompt, one that begins with a path for example. */
export function slashOf(text: string): { name: string; words: string } | undefined {
  const [, name, words = ""] = /^\/([\w.-]+)(?:\s+([^]*))?$/.exec(text.trim()) ?? [];
  return name ? { name, words: words.trim() } : undefined;
}

export function named(name: string, actions: readonly Action[]): Action | undefined {
  return actions.find((action) => action.slash === `/${name}` || action.name === name);
}
