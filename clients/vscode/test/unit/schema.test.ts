/** What an action asks for. */

import { expect, test } from "vitest";
import { inputsOf } from "../../src/store/schema";

test("what must be there is asked first", () => {
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
  expect(inputsOf({})).toEqual([]);
});
