// Each command answers the same in VS Code as in every other door: what each answers is printed as JSON.
// Environment: SCENE, with the texts of tests/doors/slash_commands.toml as `texts`.

const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");
const { until } = require("./until.cjs");

const { texts } = JSON.parse(fs.readFileSync(process.env.SCENE, "utf8"));
const tell = (answer) => console.log(`[test] ${JSON.stringify(answer)}`);

exports.run = async function run() {
  const api = await vscode.extensions.getExtension("agls.agls").activate();
  await until("the server is ready", () => api.server.state === "ready");
  const { fsPath } = vscode.workspace.workspaceFolders[0].uri;
  fs.mkdirSync(path.join(fsPath, "..", "other"));
  await api.prompt("Say hello.");
  await until("it is answered", () => api.state === "idle" && api.items.some((item) => item.text === "Hello."));
  await api.prompt("/rename Hello there");
  const session = api.sessionId;
  tell({ folder: fsPath });
  for (const text of texts) {
    try {
      const { output } = await api.prompt(text);
      tell({ text, answer: output[0].text });
    } catch (problem) {
      tell({ text, refused: problem.message });
    }
    if (api.sessionId !== session) await api.prompt(`/resume ${session}`); // it led to another one
  }
};
