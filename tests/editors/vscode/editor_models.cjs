// A model that another extension registers in VS Code is listed, chosen, asked with its tools, and cancelled.
// The extension of model_provider/ is loaded beside agls. The folder has parrot.txt.

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { until } = require("./until.cjs");

const ok = (what) => console.log(`[test] ok: ${what}`);

exports.run = async function run() {
  const provider = await vscode.extensions.getExtension("agls-tests.model-provider").activate();
  const api = await vscode.extensions.getExtension("agls.agls").activate();
  await until("the server is ready", () => api.server.state === "ready");
  await vscode.commands.executeCommand("agls.chat.new");
  const listed = async () => (await api.prompt("/model")).output[0].text;
  await until("the model is listed", async () => (await listed()).includes("editor/tests/parrot"));
  assert.equal(provider.asked.length, 0, "no model is asked before it is chosen");
  ok("the model of another extension is listed, and not asked");

  await api.prompt("/model editor/tests/parrot");
  await api.prompt("What does the parrot say?");
  const said = () => api.items.filter((item) => item.kind === "message").map(({ text }) => text);
  await until("it has answered", () => api.state === "idle" && said().includes("It says polly wants."));
  assert.ok(provider.asked[0].tools.includes("read_file"));
  ok("it is asked with the tools of agls, and answers with what one read");

  const running = api.prompt("wait for me");
  await until("it has begun", () => said().includes("I wait.") || api.items.some(({ text }) => text === "I wait."));
  await vscode.commands.executeCommand("agls.stop");
  await until("it is over", () => api.state === "idle");
  await running;
  await until("the model was told", () => provider.asked.includes("cancelled"));
  ok("a stop reaches the model");
};
