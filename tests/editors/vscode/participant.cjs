// `@agls` in the editor's own chat: it runs in a session, what is asked is answered in the agls chat, the next prompt goes
// on in the same session, and stopping the answer stops the run. The editor has a chat only where it has a model, so the
// test brings one, which is never asked. A prompt that is taken back in that chat is taken back in the session.

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { until } = require("./until.cjs");

const MODEL = { id: "one", name: "One", family: "one", version: "1", maxInputTokens: 1000, maxOutputTokens: 1000 };

/** Ask in the editor's own chat, with files. Gives the result of the answer, once it ended. */
function say(words, attachFiles = []) {
  const given = { query: `@agls ${words}`, attachFiles, mode: "ask", blockOnResponse: true };
  return vscode.commands.executeCommand("workbench.action.chat.open", { ...given, modelSelector: { vendor: "played", id: "one" } });
}

/** What stands in that chat, as text. */
async function seen() {
  await vscode.commands.executeCommand("workbench.action.chat.copyAll");
  return vscode.env.clipboard.readText();
}

exports.run = async function run() {
  const api = await vscode.extensions.getExtension("agls.agls").activate();
  await until("the server is ready", () => api.server.state === "ready");
  vscode.lm.registerLanguageModelChatProvider("played", {
    provideLanguageModelChatInformation: () => [{ ...MODEL, capabilities: {} }],
    provideLanguageModelChatResponse: () => assert.fail("the editor's model was asked"),
    provideTokenCount: () => Promise.resolve(1),
  });
  await until("the editor has a model", async () => (await vscode.lm.selectChatModels({})).length > 0);

  const answer = say("Correct the greetings");
  for (const what of ["a command", "an edit"]) {
    const asked = await until(`${what} is asked about`, () => api.questions[0]);
    assert.ok(api.answer(asked, { outcome: "selected", optionId: "once" }));
    await until("the question is closed", () => !api.questions.includes(asked));
  }
  const first = await answer;
  assert.equal(first.errorDetails, undefined);
  const greet = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, "greet.py");
  assert.match((await vscode.workspace.openTextDocument(greet)).getText(), /Hello \{name\}![^]*Good bye \{name\}!/);
  const answered = await seen();
  const written = ["The greetings are **misspelt**:", "Answer in the agls Chat", "I read the file.", "Edited `greet.py`", "Both greetings are correct now."];
  let at = 0;
  for (const text of written) assert.ok((at = answered.indexOf(text, at)) >= 0, `${text} in ${answered}`);
  assert.equal(api.sessionId, "", "it is no session of the agls chat");

  const { sessionId } = first.metadata;
  const second = await say("/rename The greetings");
  assert.equal(second.metadata.sessionId, sessionId);
  assert.match(await seen(), /The greetings[^]*The greetings/);

  // A prompt that is taken back there and written anew: the session goes back to before it, too.
  await say("Explain this code");
  await vscode.commands.executeCommand("chat.action.focus"); // its last answer
  await vscode.commands.executeCommand("workbench.action.chat.undoEdits");
  assert.doesNotMatch(await seen(), /It greets/);
  const anew = await say("What do you see");
  assert.equal(anew.metadata.sessionId, sessionId);

  const stopped = say("Run two lines", [greet]);
  await until("it is asked about", () => api.questions[0]);
  await vscode.commands.executeCommand("workbench.action.chat.cancel");
  await until("nobody is asked any more", () => api.questions.length === 0);
  await stopped;
  await api.prompt(`/resume ${sessionId}`);
  await until("the session is shown", () => api.sessionId === sessionId && api.state === "idle");
  assert.ok(api.items.some(({ kind, text }) => kind === "message" && text === "Both greetings are correct now."));

  const prompts = api.items.filter(({ kind }) => kind === "userMessage");
  const words = prompts.map(({ content }) => content.find(({ type }) => type === "text").text);
  assert.deepEqual(words, ["Correct the greetings", "What do you see", "Run two lines"]);
  const last = prompts.at(-1);
  assert.ok(last.content.some(({ type, uri }) => type === "resourceLink" && uri === greet.toString()), JSON.stringify(last.content));

  const wrong = await say("/nonsense");
  assert.match(wrong.errorDetails.message, /nonsense/);
  console.log("[test] all of it holds");
};
