/** Slash commands: which action is meant, and what the words behind it fill in. Pure. */

import type { Action } from "../protocol.gen";
import { isObject, type Json, textOf } from "../store/patch";

export interface Field {
  name: string;
  /** What is asked. */
  told: string;
  type: string;
  choices: string[];
  required: boolean;
}

/** What an action wants to know, that which must be there first. */
export function fieldsOf(schema: Json): Field[] {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const fields = Object.entries(properties).map(([name, given]): Field => {
    const field = isObject(given) ? given : {};
    const choices = Array.isArray(field["enum"]) ? field["enum"].map(String) : [];
    const told = textOf(field["description"]) || textOf(field["title"], name);
    return { name, told, type: textOf(field["type"], "string"), choices, required: required.includes(name) };
  });
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
