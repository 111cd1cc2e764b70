/** Slash commands: what is one, and what the words behind it mean. */

import { expect, test } from "vitest";
import { inputsOf, named, slashOf, typed } from "../../src/session/slash";

test("a slash and a name is a command; a path at the beginning of a prompt is none", () => {
  expect(slashOf("/usage")).toEqual({ name: "usage", words: "" });
  expect(slashOf(" /permission.revoke shell(ls *)\n")).toEqual({
    name: "permission.revoke",
    words: "shell(ls *)",
  });
  expect(slashOf("/note one\ntwo")).toEqual({ name: "note", words: "one\ntwo" });
  for (const prompt of ["/etc/hosts is wrong", "Read /usage", "/", "/ usage", ""])
    expect(slashOf(prompt), prompt).toBeUndefined();
});

test("an action is found by how it is written in a prompt, and by its name", () => {
  const action = {
    name: "tag",
    title: "Tag",
    description: "",
    inputSchema: {},
    slash: "/label",
    when: "any",
  };
  expect(named("label", [action])).toBe(action);
  expect(named("tag", [action])).toBe(action);
  expect(named("ta", [action])).toBeUndefined();
});

test("what must be there is asked first, and is read as the schema has it", () => {
  const schema = {
    properties: {
      tags: { type: "array", title: "Tags" },
      count: { type: "integer", description: "How many" },
      kind: { enum: ["a", "b"] },
    },
    required: ["count"],
  };
  const [count, tags, kind] = inputsOf(schema);
  expect(count).toMatchObject({ name: "count", description: "How many", required: true });
  expect(tags).toMatchObject({ name: "tags", title: "Tags", required: false });
  expect(kind?.choices).toEqual(["a", "b"]);
  if (!count || !tags) throw new Error("fields are missing");
  expect(typed("3", count)).toBe(3);
  expect(typed("many", count)).toBe("many"); // the server says what is wrong with it
  expect(typed("one , two", tags)).toEqual(["one", "two"]);
  expect(inputsOf({})).toEqual([]);
});
