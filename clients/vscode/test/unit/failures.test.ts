/** What a user is told when the server refused something. */

import { expect, test, vi } from "vitest";

vi.mock("vscode", () => ({}));
const { messageOf } = await import("../../src/failures");

const refused = (message: string, kind: string, hint: string) =>
  Object.assign(new Error(message), { data: { kind, hint } });

test("a hint for the user is shown, one for the authors of clients is not", () => {
  expect(messageOf(refused("No key was found", "authRequired", "Run: agls key set HOST"))).toBe(
    "No key was found. Run: agls key set HOST",
  );
  const hint = "agent/events names the items of a session, agent/queue the prompts that wait.";
  expect(messageOf(refused("That prompt is not waiting.", "noSuchItem", hint))).toBe(
    "That prompt is not waiting.",
  );
});
