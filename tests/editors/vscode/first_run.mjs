// The first run of somebody new: the server is set up and a model chosen in the chat's one card; then it answers.
//   node first_run.mjs [FOLDER FOR SCREENSHOTS]
// Environment: CODE_SERVER, CHROMIUM, VSIX.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { enter } from "./scene.mjs";
import { makeProject, serveModels } from "./stage.mjs";

const stage = makeProject();
Object.assign(stage.env, { AGLS_LOCAL_SERVERS: "false", AGLS_STATE_DIR: path.join(stage.folder, "state") });
const url = await serveModels(stage, [{ text: "I have looked.", calls: [] }]);
const config = path.join(stage.folder, ".config", "agls", "config.toml");
const { bench, shot, say, play } = await enter({ stage, viewport: { width: 1280, height: 860 } });
const card = () => bench.chat.getByRole("region", { name: "Set up" });

async function serverIsSetUp() {
  await bench.showChat();
  const begin = card().getByRole("button", { name: "Set up the server" });
  await begin.click();
  await card().getByRole("button", { name: "Cancel" }).click();
  await begin.click(); // nothing of what was given up is left in the way
  await card().getByRole("button", { name: "Cancel" }).waitFor();
  assert.equal(await bench.page.locator(".notification-toast").count(), 0, "its progress is shown once");
  await card().getByLabel("Provider").waitFor();
  await shot("card");
  say("the server is set up from the card");
}

async function modelIsChosen() {
  await card().getByLabel("Provider").selectOption("other");
  await bench.fill(card().getByLabel("Address"), "http://127.0.0.1:1/v1");
  await card().getByRole("button", { name: "Show its models" }).click();
  await card().getByRole("alert").waitFor(); // nobody is there: it says so, and what to do
  await bench.fill(card().getByLabel("Address"), url);
  await bench.fill(card().getByLabel("Key"), "a-key");
  await card().getByRole("button", { name: "Show its models" }).click();
  await card().getByRole("button", { name: "Use this model" }).waitFor();
  assert.equal(await card().locator("select").last().inputValue(), "test-model");
  await shot("listed");
  await card().getByRole("button", { name: "Use this model" }).click();
  await card().waitFor({ state: "detached" });
  const written = fs.readFileSync(config, "utf8");
  assert.match(written, /^model = "test-model"$/m);
  assert.ok(!written.includes("a-key"), "a key is never written there");
  say("a model of the server's own list is in config.toml, which nobody wrote");
}

async function itAnswers() {
  await bench.prompt("What do you see");
  await bench.chat.getByText("I have looked.").waitFor();
  await shot("answered");
  say("it answers");
}

await play(serverIsSetUp, modelIsChosen, itAnswers);
