/** What a JSON Schema of the server's asks for: forms of the agent, inputs of actions. */

import { isObject, type Json, textOf } from "./patch";

export interface Field {
  name: string;
  title: string;
  description: string;
  type: string;
  /** Whether it takes what is typed exactly as it is, quotes included. */
  raw: boolean;
  /** Whether nobody may see what is typed. */
  secret: boolean;
  choices: string[];
  required: boolean;
  /** Whether its box is ticked at first. */
  ticked: boolean;
}

/** What an action asks for, that which must be there first. */
export function inputsOf(schema: Json): Field[] {
  const fields = fieldsOf(schema);
  return [...fields.filter((field) => field.required), ...fields.filter((field) => !field.required)];
}

export function fieldsOf(schema: Json): Field[] {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(properties).map(([name, given]) => {
    const field = isObject(given) ? given : {};
    const items = isObject(field["items"]) ? field["items"] : {};
    const choices = field["enum"] ?? items["enum"];
    return {
      name,
      title: textOf(field["title"], name),
      description: textOf(field["description"]),
      type: textOf(field["type"], "string"),
      raw: field["format"] === "words",
      secret: field["format"] === "password",
      choices: Array.isArray(choices) ? choices.map(String) : [],
      required: required.includes(name),
      ticked: field["default"] === true,
    };
  });
}
