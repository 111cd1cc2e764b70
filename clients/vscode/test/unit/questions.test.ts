/** Questions of the server, of whichever session they are. */

import { expect, test, vi } from "vitest";
import type { PermissionParams } from "../../src/protocol.gen";
import { Questions } from "../../src/session/questions";

const never = {
  isCancellationRequested: false,
  onCancellationRequested: () => ({ dispose: () => undefined }),
};
const asked = (requestId: string, sessionId: string, agentId: string): PermissionParams => {
  const base = { runId: "r", kind: "permission" as const, title: "Run ls", options: [] };
  return { requestId, sessionId, agentId, ...base, itemId: `call of ${requestId}` };
};
const unknown = () => Promise.resolve(undefined);

test("what others ask than the session that is shown is listed until it is answered", async () => {
  const changed = vi.fn();
  const questions = new Questions(() => undefined, changed, unknown);
  const form = {
    requestId: "q3",
    sessionId: "child",
    runId: "r",
    agentId: "worker",
    message: "Which?",
    schema: {},
  };
  void questions.ask(asked("q1", "s", "main"), never);
  const answer = questions.ask(asked("q2", "child", "worker"), never);
  void questions.ask(form, never);
  const rows = () =>
    questions
      .elsewhere((id) => id !== "s")
      .map(({ requestId, kind, title, from }) => [requestId, kind, title, from]);
  expect(rows()).toEqual([
    ["q2", "permission", "Run ls", "worker"],
    ["q3", "form", "Which?", "worker"],
  ]);
  expect(questions.answer("q2", { outcome: "dismissed" })).toBe(true);
  expect(await answer).toEqual({ outcome: "dismissed" });
  expect(rows().map(([id]) => id)).toEqual(["q3"]);
  expect(changed).toHaveBeenCalledTimes(4);
});

test("what is asked elsewhere brings the arguments of its call, as soon as they are known", async () => {
  const input = { command: "ls", cwd: "/project" };
  const changed = vi.fn();
  const inputOf = ({ itemId }: PermissionParams) =>
    itemId === "call of q1" ? Promise.resolve(input) : Promise.reject(new Error("there is no such item"));
  const questions = new Questions(() => undefined, changed, inputOf);
  void questions.ask(asked("q1", "child", "worker"), never);
  void questions.ask(asked("q2", "child", "worker"), never);
  await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(3));
  expect(questions.elsewhere((id) => id !== "s").map((question) => question.input)).toEqual([
    input,
    undefined,
  ]);
});
