/** Models of the editor: announced without being asked, asked as the server wants it, and what becomes of a refusal. */

import { expect, test, vi } from "vitest";
import type { AskLanguageModelParams } from "../../src/protocol.gen";

class Part {
  constructor(
    readonly value: unknown,
    readonly name?: unknown,
    readonly input?: unknown,
  ) {}
  get callId() {
    return this.value;
  }
}
class TextPart extends Part {}
class CallPart extends Part {}
class ResultPart extends Part {}
class LanguageModelError extends Error {
  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message);
  }
}
const lm = { selectChatModels: vi.fn(), onDidChangeChatModels: vi.fn() };
vi.mock("vscode", () => ({
  lm,
  LanguageModelTextPart: TextPart,
  LanguageModelToolCallPart: CallPart,
  LanguageModelToolResultPart: ResultPart,
  LanguageModelDataPart: { image: (data: Buffer, mime: string) => ({ mime, size: data.length }) },
  LanguageModelError,
  LanguageModelChatMessage: {
    User: (content: unknown) => ({ role: "user", content }),
    Assistant: (content: unknown) => ({ role: "assistant", content }),
  },
  Disposable: { from: () => ({ dispose: () => undefined }) },
}));
const { LanguageModels } = await import("../../src/session/language_models");

const sent: unknown[] = [];
const server = { notify: (method: string, params: unknown) => sent.push([method, params]), onState: vi.fn() };
const models = new LanguageModels(server as never, () => sent.push("announced"));
const asked = (more: Partial<AskLanguageModelParams> = {}): AskLanguageModelParams => ({
  requestId: "r",
  model: "copilot/gpt",
  system: "Be brief.",
  messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
  tools: [],
  ...more,
});
const token = {} as never;

function offer(sendRequest: unknown): void {
  lm.selectChatModels.mockResolvedValue([{ vendor: "copilot", id: "gpt", maxInputTokens: 9, sendRequest }]);
}

test("models are announced and none is asked", async () => {
  const send = vi.fn();
  lm.selectChatModels.mockResolvedValue([]);
  await models.announce();
  expect(sent).toEqual([]);
  offer(send);
  await models.announce();
  const rows = { models: [{ id: "copilot/gpt", maxInputTokens: 9 }] };
  expect(sent.splice(0)).toEqual([["agent/languageModel/list", rows], "announced"]);
  expect(send).not.toHaveBeenCalled();
});

test("an answer comes in pieces, calls of tools among them", async () => {
  const stream = (async function* () {
    await Promise.resolve();
    yield new TextPart("Look");
    yield new Part("something new");
    yield new CallPart("1", "read_file", { path: "a" });
  })();
  const send = vi.fn().mockResolvedValue({ stream });
  offer(send);
  const tool = { name: "read_file", description: "Reads.", inputSchema: { type: "object" } };
  const call = { type: "toolCall", callId: "0", name: "grep", input: { pattern: "x" } };
  const messages = [
    ...asked().messages,
    { role: "assistant", content: [call] },
    {
      role: "user",
      content: [
        { type: "toolResult", callId: "0", text: "none" },
        { type: "image", data: "AAAA", mimeType: "image/png" },
      ],
    },
  ];
  expect(await models.answer(asked({ tools: [tool], messages }), token)).toEqual({ finish: "stop" });
  const toolCall = { callId: "1", name: "read_file", input: { path: "a" } };
  expect(sent.splice(0)).toEqual([
    ["agent/languageModel/delta", { requestId: "r", text: "Look" }],
    ["agent/languageModel/delta", { requestId: "r", toolCall }],
  ]);
  const [given, options] = send.mock.calls[0] as [unknown[], { tools: unknown[]; justification: string }];
  expect(given[0]).toEqual({ role: "user", content: "Be brief." });
  expect(given[1]).toEqual({ role: "user", content: [new TextPart("Hi")] });
  expect(given[2]).toEqual({ role: "assistant", content: [new CallPart("0", "grep", { pattern: "x" })] });
  expect(given[3]).toEqual({
    role: "user",
    content: [new ResultPart("0", [new TextPart("none")]), { mime: "image/png", size: 3 }],
  });
  expect(options.tools).toEqual([tool]);
  expect(options.justification).toContain("agls");
});

test("a refusal has its error kind", async () => {
  const kindOf = async (problem: Error) => {
    offer(vi.fn().mockRejectedValue(problem));
    return (await models.answer(asked(), token)).error?.kind;
  };
  expect(await kindOf(new LanguageModelError("Not allowed", "NoPermissions"))).toBe("auth");
  expect(await kindOf(new LanguageModelError("Used up", "Blocked"))).toBe("quota");
  expect(await kindOf(new Error("The prompt exceeds the context window"))).toBe("contextTooLong");
  expect(await kindOf(new Error("It broke"))).toBe("providerInternal");
  const gone = await models.answer(asked({ model: "copilot/gone" }), token);
  expect(gone.error).toEqual({ kind: "modelNotFound", message: "The editor has no model copilot/gone now." });
});
