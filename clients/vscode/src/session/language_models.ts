/** The models of the editor (`vscode.lm`), which the server asks through us: the editor has the user's consent, or asks for it. */

import * as vscode from "vscode";
import type {
  AskedMessage,
  AskLanguageModelAnswer,
  AskLanguageModelParams,
  LanguageModelFailure,
} from "../protocol.gen";
import type { Server } from "../server/server";
import { textOf } from "../store/patch";

const WHY = "agls works on your prompt with the model that you chose.";
const TOO_LONG = /context (length|window)|too (long|many tokens)|token limit/i;
const KINDS: Record<string, string> = { NoPermissions: "auth", Blocked: "quota", NotFound: "modelNotFound" };

export class LanguageModels implements vscode.Disposable {
  private readonly watching: vscode.Disposable;
  private hasSome = false;

  constructor(
    private readonly server: Server,
    private readonly announced: () => void,
  ) {
    const again = () => void this.announce();
    this.watching = vscode.Disposable.from(
      vscode.lm.onDidChangeChatModels(again),
      server.onState((state) => state === "ready" && again()),
    );
  }

  /** Tell the server which models there are: this asks none of them. */
  async announce(): Promise<void> {
    const found = await vscode.lm.selectChatModels().then(
      (models) => models,
      () => [],
    );
    if (found.length === 0 && !this.hasSome) return;
    this.hasSome = found.length > 0;
    const models = found.map((model) => ({ id: idOf(model), maxInputTokens: model.maxInputTokens }));
    this.server.notify("agent/languageModel/list", { models });
    this.announced();
  }

  /** Ask a model; its answer goes to the server in pieces, and this says how it ended. */
  async answer(
    asked: AskLanguageModelParams,
    token: vscode.CancellationToken,
  ): Promise<AskLanguageModelAnswer> {
    try {
      const models = await vscode.lm.selectChatModels();
      const model = models.find((one) => idOf(one) === asked.model);
      if (!model) {
        const message = `The editor has no model ${asked.model} now.`;
        return { error: { kind: "modelNotFound", message } };
      }
      const tools = (asked.tools ?? []).map(({ name, description, inputSchema }) => ({
        name,
        description,
        inputSchema,
      }));
      const options = { justification: WHY, ...(tools.length > 0 ? { tools } : {}) };
      const response = await model.sendRequest(messagesOf(asked), options, token);
      for await (const part of response.stream) this.pass(asked.requestId, part);
      return { finish: "stop" };
    } catch (problem) {
      return { error: failureOf(problem) };
    }
  }

  dispose(): void {
    this.watching.dispose();
  }

  private pass(requestId: string, part: unknown): void {
    if (part instanceof vscode.LanguageModelTextPart)
      this.server.notify("agent/languageModel/delta", { requestId, text: part.value });
    else if (part instanceof vscode.LanguageModelToolCallPart) {
      const toolCall = { callId: part.callId, name: part.name, input: part.input as Record<string, unknown> };
      this.server.notify("agent/languageModel/delta", { requestId, toolCall });
    }
  }
}

function idOf({ vendor, id }: vscode.LanguageModelChat): string {
  return `${vendor}/${id}`;
}

/** The API of the editor has no system messages: the system prompt becomes the first user message. */
function messagesOf({ system, messages }: AskLanguageModelParams): vscode.LanguageModelChatMessage[] {
  const first = system ? [vscode.LanguageModelChatMessage.User(system)] : [];
  return [...first, ...messages.map(messageOf)];
}

function messageOf({ role, content }: AskedMessage): vscode.LanguageModelChatMessage {
  if (role === "assistant") {
    const parts = content.map((part) =>
      part["type"] === "toolCall"
        ? new vscode.LanguageModelToolCallPart(
            textOf(part["callId"]),
            textOf(part["name"]),
            part["input"] as object,
          )
        : new vscode.LanguageModelTextPart(textOf(part["text"])),
    );
    return vscode.LanguageModelChatMessage.Assistant(parts);
  }
  return vscode.LanguageModelChatMessage.User(
    content.map((part) => {
      if (part["type"] === "image") {
        const data = Buffer.from(textOf(part["data"]), "base64");
        return vscode.LanguageModelDataPart.image(data, textOf(part["mimeType"]));
      }
      const text = new vscode.LanguageModelTextPart(textOf(part["text"]));
      if (part["type"] !== "toolResult") return text;
      return new vscode.LanguageModelToolResultPart(textOf(part["callId"]), [text]);
    }),
  );
}

function failureOf(problem: unknown): LanguageModelFailure {
  const message = problem instanceof Error ? problem.message : String(problem);
  if (TOO_LONG.test(message)) return { kind: "contextTooLong", message };
  const code = problem instanceof vscode.LanguageModelError ? problem.code : "";
  return { kind: KINDS[code] ?? "providerInternal", message };
}
