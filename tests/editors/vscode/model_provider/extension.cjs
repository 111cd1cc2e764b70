// A language model that reads a file when it has the tool for it, and then says what stands there.

const vscode = require("vscode");

const INFO = {
  id: "parrot",
  name: "Parrot",
  family: "parrot",
  version: "1",
  maxInputTokens: 32_000,
  maxOutputTokens: 4_000,
  capabilities: { toolCalling: true },
};

exports.asked = [];

exports.activate = () => {
  const provider = {
    provideLanguageModelChatInformation: async () => [INFO],
    provideTokenCount: async (_model, text) => String(text).length,
    provideLanguageModelChatResponse: async (_model, messages, { tools = [] }, progress, token) => {
      const parts = messages.flatMap(({ content }) => content);
      const result = parts.find((part) => part instanceof vscode.LanguageModelToolResultPart);
      const wish = parts.findLast((part) => part instanceof vscode.LanguageModelTextPart && /wait for me/.test(part.value));
      exports.asked.push({ tools: tools.map(({ name }) => name), messages: messages.length });
      if (wish) {
        progress.report(new vscode.LanguageModelTextPart("I wait."));
        await new Promise((resolve) => token.onCancellationRequested(resolve));
        exports.asked.push("cancelled");
        return;
      }
      if (!result) {
        progress.report(new vscode.LanguageModelToolCallPart("1", "read_file", { path: "parrot.txt" }));
        return;
      }
      const text = result.content.map(({ value }) => value).join("");
      progress.report(new vscode.LanguageModelTextPart(`It says ${/polly \w+/.exec(text)?.[0]}.`));
    },
  };
  vscode.lm.registerLanguageModelChatProvider("tests", provider);
  return exports;
};
