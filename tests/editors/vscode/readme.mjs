// Somebody new, who has the two READMEs and nothing else: an empty profile, what is written there, and no more.
//   node readme.mjs FOLDER scripted | local
// The model is the scripted one, or a server of their own that speaks /v1/chat/completions. The folder is one that
// the editor does not trust: nobody told it to.
// Environment: CODE_SERVER, CHROMIUM; scripts/vscode package was run.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { enter } from "./scene.mjs";
import { withLocalServer, withScriptedModel } from "./stage.mjs";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");
const page = (name) => fs.readFileSync(path.join(ROOT, name), "utf8");
const [packaging, installing] = lines(page("README.md").split("#### VS Code")[1]);
const manual = page("clients/vscode/README.md");
const chatKey = keys(/Open the chat \(`([^`]+)`\)/);
const [nextKey] = rowKeys("next, previous change");
const [keepKey, undoKey] = rowKeys("keep, undo the change under the cursor");
assert.equal(packaging, "scripts/vscode package", "what whoever runs this has done already");

const stage = process.argv[3] === "local" ? await withLocalServer() : withScriptedModel();
// Only what keeps the editor from asking others than this machine: the profile is empty.
const settings = { "telemetry.telemetryLevel": "off", "extensions.autoCheckUpdates": false, "update.mode": "none" };
const { bench, shot, say, seconds, play } = await enter({ stage, settings, quiet: false, install: installing });
const file = path.join(stage.workspace, "greet.py");

/** The commands of the first block, without what is said about them. */
function lines(text) {
  const [, block] = /```sh\n([^]*?)```/.exec(text);
  return block.split("\n").map((line) => line.replace(/\s+#.*$/, "")).filter(Boolean);
}

/** A key of the manual as the browser names it. */
function keys(pattern) {
  const [, named] = pattern.exec(manual) ?? assert.fail(`the README does not say ${pattern}`);
  return named.replace("Ctrl", "Control").replace(/[A-Z]$/, (letter) => letter.toLowerCase());
}

function rowKeys(what) {
  const row = manual.split("\n").find((line) => line.startsWith(`| ${what} `));
  return [...row.matchAll(/`([^`]+)`/g)].map(([, named]) => keys(new RegExp(`\`(${named.replace(/[[\]+]/g, "\\$&")})\``)));
}

async function serverIsSetUp() {
  // The chat has opened by itself, for once: its card leads on, and nothing covers it.
  await bench.chat.getByRole("region", { name: "Set up" }).getByRole("button", { name: "Set up the server" }).click();
  await bench.page.locator('.statusbar-item[aria-label*="agls: ready"]').waitFor();
  say("the server is set up");
}

async function changeIsAskedFor() {
  await bench.openFile("greet.py");
  await bench.clickLine("Greets people");
  await bench.page.keyboard.press(chatKey);
  await bench.chat.getByRole("textbox", { name: "Prompt" }).waitFor();
  await shot(`${process.argv[3]}-begun`);
  await bench.prompt("Correct the greetings");
  await bench.allow(bench.chat.getByRole("group", { name: /^Permission: Run/ }));
  const edit = bench.chat.getByRole("group", { name: /^Permission: .*greet\.py/ });
  await edit.locator(".diff .add").first().waitFor();
  await bench.allow(edit);
  await bench.chat.getByText("Both greetings are correct now.").waitFor();
  say("the change is made");
}

async function changeIsReviewed() {
  await bench.chat.getByText("2 changes in 1 file").waitFor();
  await bench.reviewable();
  await bench.clickLine("Greets people");
  await bench.page.keyboard.press(nextKey);
  await bench.until("the cursor stands on the first", async () => (await where()) === 5);
  await shot(`${process.argv[3]}-review`);
  await bench.page.keyboard.press(keepKey);
  await bench.chat.getByText("1 change in 1 file").waitFor();
  await bench.page.keyboard.press(nextKey);
  await bench.until("the cursor stands on the second", async () => (await where()) === 9);
  await bench.page.keyboard.press(undoKey);
  await bench.until("it is undone", async () => (await bench.text()).includes('"Good by " + name'));
  await bench.chat.getByRole("group", { name: "Changes to review" }).waitFor({ state: "detached" });
  await bench.page.keyboard.press("Control+s");
  await bench.until("it is on the disk", () => /Hello \{name\}![^]*Good by /.test(fs.readFileSync(file, "utf8")));
  await shot(`${process.argv[3]}-reviewed`);
  say(`reviewed after ${Math.ceil(seconds())} seconds`);
}

/** The line of the cursor, as the status bar says it. */
async function where() {
  const told = await bench.page.locator("#status\\.editor\\.selection").innerText();
  return Number(/Ln (\d+)/.exec(told)?.[1]);
}

await play(serverIsSetUp, changeIsAskedFor, changeIsReviewed);
