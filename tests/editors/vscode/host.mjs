// Runs a test file inside the extension host of a real VS Code, with the packaged extension and the real server.
//   node host.mjs [TESTS]      host_tests.cjs if none is named
// Environment: CODE_SERVER, CHROMIUM, EXTENSION (the folder of the unpacked .vsix), AGLS (the program); TYPED_INPUTS,
// a table of what is typed, as JSON: its files are in the folder, and each prompt is answered; SCENE, files that are
// in the folder as well and prompts that the model plays, as JSON; UNTRUSTED, the folder is opened in Restricted Mode;
// BESIDE, the folder of one more extension; OWN_CHAT, the editor's own chat is on.

import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { startCodeServer } from "./code_server.mjs";
import { makeStage } from "./stage.mjs";
import { launch } from "./workbench.mjs";

const PATIENCE = 780_000; // milliseconds for all the tests
const here = path.dirname(fileURLToPath(import.meta.url));
const [tests = "host_tests.cjs"] = process.argv.slice(2);
const table = process.env.TYPED_INPUTS && JSON.parse(fs.readFileSync(process.env.TYPED_INPUTS, "utf8"));
const scene = process.env.SCENE ? JSON.parse(fs.readFileSync(process.env.SCENE, "utf8")) : {};
const stage = makeStage(scene.prompts ?? table?.case.map(() => ({ turns: Array(2).fill({ text: "Done." }) })));
if (table) fs.appendFileSync(stage.env.AGLS_CONFIG, table.config ?? "");
if (scene.texts) { // the model that the other doors have: nobody knows its window
  const { AGLS_CONFIG: config } = stage.env;
  fs.writeFileSync(config, fs.readFileSync(config, "utf8").replace(/context_window[^]*/, ""));
}
for (const [name, text] of Object.entries({ ...table?.files, ...scene.files })) {
  fs.mkdirSync(path.join(stage.workspace, path.dirname(name)), { recursive: true });
  fs.writeFileSync(path.join(stage.workspace, name), text);
}
const server = await startCodeServer({
  workspace: stage.workspace,
  settings: {
    "agls.server.command": [process.env.AGLS],
    "agls.context.openTabs": true,
    "agls.context.diagnostics": true,
    ...(process.env.OWN_CHAT ? { "chat.disableAIFeatures": false } : {}),
  },
  env: stage.env,
  trusted: !process.env.UNTRUSTED,
  hostTests: true,
  beside: process.env.BESIDE,
});
const browser = await launch();
let code = 1;
try {
  const page = await browser.newPage();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(server.url).origin });
  const ended = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error("the tests do not end")), PATIENCE).unref();
    void page.exposeFunction("codeAutomationExit", resolve);
  });
  await page.exposeFunction("codeAutomationLog", (_type, words) => {
    const text = words.join(" ");
    if (text.startsWith("[test] ") || process.env.VERBOSE) console.log(text.replace("[test] ", ""));
  });
  const remote = (place) => `vscode-remote://127.0.0.1:${server.port}${place}`;
  const payload = [
    ["extensionDevelopmentPath", remote(process.env.EXTENSION)],
    ["extensionTestsPath", remote(path.join(here, tests))],
    ["skipWelcome", "true"],
  ];
  await page.goto(`${server.url}&payload=${encodeURIComponent(JSON.stringify(payload))}`);
  code = await ended;
} finally {
  if (code !== 0) console.error(server.log().slice(-3000));
  await browser.close();
  await server.stop();
  stage.remove();
}
process.exit(code);
