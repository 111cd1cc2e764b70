// Runs a test file inside the extension host of a real VS Code, with the packaged extension and the real server.
//   node host.mjs [TESTS]      host_tests.cjs if none is named
// Environment: CODE_SERVER, CHROMIUM, EXTENSION (the folder of the unpacked .vsix), AGLS (the program); TYPED_INPUTS,
// a table of what is typed, as JSON: its files are in the folder, and each prompt is answered.

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
const stage = makeStage(table?.case.map(() => ({ turns: [{ text: "Done." }] })));
for (const [name, text] of Object.entries(table?.files ?? {})) {
  fs.mkdirSync(path.join(stage.workspace, path.dirname(name)), { recursive: true });
  fs.writeFileSync(path.join(stage.workspace, name), text);
}
const server = await startCodeServer({
  workspace: stage.workspace,
  settings: { "agls.server.command": [process.env.AGLS] },
  env: stage.env,
  hostTests: true,
});
const browser = await launch();
let code = 1;
try {
  const page = await browser.newPage();
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
