/** Questions of the server, of whichever session they are. */

import { expect, test, vi } from "vitest";
import type { PermissionParams } from "../../src/protocol.gen";
import { Questions } from "../../src/session/questions";

const never = {
  isCancellationRequested: false,
  onCancellationRequested: () => ({ dispose: () => undefined }),
};
const asked = (requestId: string, sessionId: string, agentId: string): PermissionParams => {
  return { requestId, sessionId, agentId, runId: "r", kind: "permission", title: "Run ls", options: [] };
};

test("what others ask than the session that is shown is listed until it is answered", async () => {
  const changed = vi.fn();
  const questions = new Questions(() => undefined, changed);
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
    questions.elsewhere("s").map(({ requestId, kind, title, from }) => [requestId, kind, title, from]);
  expect(rows()).toEqual([
    ["q2", "permission", "Run ls", "worker"],
    ["q3", "form", "Which?", "worker"],
  ]);
  expect(questions.answer("q2", { outcome: "dismissed" })).toBe(true);
  expect(await answer).toEqual({ outcome: "dismissed" });
  expect(rows().map(([id]) => id)).toEqual(["q3"]);
  expect(changed).toHaveBeenCalledTimes(4);
});
