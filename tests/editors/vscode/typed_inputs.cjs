// What somebody types means the same in VS Code as in every other door: one table, tests/doors/typed_inputs.toml.
// Environment: TYPED_INPUTS, the table as JSON. The files of the table are in the folder.

const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");
const { until } = require("./until.cjs");

const { case: cases, home } = JSON.parse(fs.readFileSync(process.env.TYPED_INPUTS, "utf8"));

/** What became of a text in a new session: `command` and `input`, `refused`, or `prompt` and `pieces`. */
async function meaning(api, text) {
  await vscode.commands.executeCommand("agls.chat.new");
  let command;
  try {
    command = await api.prompt(text);
  } catch (problem) {
    return { refused: problem.message };
  }
  const message = () => api.items.find((item) => item.kind === "userMessage");
  if (command) {
    assert.equal(message(), undefined, "a command is no message");
    return { command: command.name, input: command.input };
  }
  await until("it is answered", () => api.state === "idle" && api.items.some((item) => item.kind === "message"));
  const [typed, ...pieces] = message().content;
  const root = `${vscode.workspace.workspaceFolders[0].uri}/`;
  return { prompt: typed.text, pieces: pieces.map(({ uri }) => uri.replace(root, "")) };
}

async function check(api, { text, command, input, refused, prompt = text, pieces = [] }) {
  const found = await meaning(api, text);
  if (refused) assert.ok(found.refused?.includes(refused), JSON.stringify(found));
  else assert.deepEqual(found, command ? { command, input } : { prompt, pieces });
}

exports.run = async function run() {
  const api = await vscode.extensions.getExtension("agls.agls").activate();
  await until("the server is ready", () => api.server.state === "ready");
  for (const [name, text] of Object.entries(home)) {
    const file = path.join(process.env.HOME, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
  for (const one of cases) {
    try {
      await check(api, one);
      console.log(`[test] ok: ${one.text}`);
    } catch (problem) {
      console.log(`[test] FAILED: ${one.text}: ${problem.stack ?? problem}`);
    }
  }
};
