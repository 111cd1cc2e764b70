// What is typed beside prompts: questions with several choices, the plan, a question beside the work, an undone
// summary, and runs that a command began and the user stops.
//   node commands.mjs [FOLDER FOR SCREENSHOTS]
// Environment: CODE_SERVER, CHROMIUM, VSIX, AGLS (the program).

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { enter } from "./scene.mjs";
import { makeStage, serveModels } from "./stage.mjs";

const call = (name, args) => [{ name, arguments: args }];
const COLOURS = { question: "Which colours?", choices: ["red", "blue", "green"], several: true };
const ENTRIES = [{ text: "Write it" }, { text: "Test it", after: [1] }];
const HANGING = { text: "This takes a while", cut_after: 4, then: "hang" };

const stage = makeStage();
const url = await serveModels(stage, [
  { calls: call("ask_user", COLOURS) },
  { text: "Understood." },
  { calls: call("plan", { entries: ENTRIES }) },
  { text: "Planned." },
  { calls: call("plan", { entries: [{ id: 1, state: "done" }] }) },
  { text: "Written." },
  { text: "It prints one word, and that is all it does.", fragment: 8, delay: 0.5 },
  { text: "They talked." },
  HANGING,
  HANGING,
]);
fs.writeFileSync(stage.env.AGLS_CONFIG, `model = "m"\n[models.m]\nbase_url = "${url}"\nmodel = "m"\n`);
fs.mkdirSync(path.join(stage.workspace, ".agls", "commands"), { recursive: true });
fs.writeFileSync(path.join(stage.workspace, ".agls", "commands", "slow.md"), "Think about greet.py for long.\n");
const git = (...args) => execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.example", ...args], { cwd: stage.workspace });
git("init", "--quiet");
git("add", ".");
git("commit", "--quiet", "--message", "begin");
fs.appendFileSync(path.join(stage.workspace, "greet.py"), "# changed\n");

const { bench, shot, say, play } = await enter({ stage, settings: { "agls.server.command": [process.env.AGLS] } });
const plan = () => bench.chat.locator("details.plan").last();
const tabs = () => bench.page.locator(".tab").allTextContents();

async function severalAreChosen() {
  await bench.page.locator('.statusbar-item[aria-label*="agls: ready"]').waitFor();
  await bench.showChat();
  await bench.prompt("Ask me");
  const form = bench.chat.getByRole("form", { name: "Question: Which colours?" });
  await form.getByLabel("red").check();
  await form.getByLabel("blue").check();
  await form.getByLabel("green").check();
  await form.getByLabel("blue").uncheck();
  await shot("several");
  await form.getByRole("button", { name: "Answer" }).click();
  await bench.chat.getByText("Understood.").waitFor();
  await bench.chat.getByText("The user answered: red, green").waitFor({ state: "attached" });
  say("two of three were chosen");
}

async function planIsKeptTogether() {
  await bench.prompt("Plan it");
  await bench.chat.getByText("Planned.").waitFor();
  assert.match(await plan().innerText(), /Write it[^]*Test it/);
  await bench.prompt("/plan add Ask Ada after=2");
  await plan().getByText("Ask Ada").waitFor();
  await bench.prompt("Do it");
  await bench.chat.getByText("Written.").waitFor();
  assert.match(await plan().locator("summary").innerText(), /1 of 3 done/);
  assert.match(await plan().innerText(), /Write it[^]*Test it[^]*Ask Ada/);
  await shot("entries");
  say("the plan has what the model and the user wrote, in its order");
}

async function somethingIsAskedBeside() {
  const before = await tabs();
  await bench.prompt("/btw what does it do?");
  const aside = bench.chat.locator("details.sideAnswer");
  await aside.getByText("It prints").waitFor();
  assert.ok(!(await aside.innerText()).includes("all it does"), "it is shown while it comes");
  await shot("aside");
  await aside.getByText("It prints one word, and that is all it does.").waitFor();
  await bench.until("it is whole", async () => /do\?$/.test(await aside.locator("summary").innerText()));
  await bench.until("what was typed is gone", async () => (await bench.chat.getByRole("textbox", { name: "Prompt" }).inputValue()) === "");
  assert.deepEqual(await tabs(), before, "it is not shown twice");
  say("a question was asked beside the work, and its answer streamed");
}

async function summaryIsUndone() {
  await bench.prompt("/compact");
  await bench.chat.locator("details.compaction").waitFor();
  await bench.prompt("/compaction.undo");
  const notice = bench.chat.locator("details.notice").filter({ hasText: "The summary is undone" });
  await notice.waitFor();
  await notice.locator("summary").click();
  await shot("undone");
  await bench.prompt("/compaction.undo");
  await bench.chat.getByText("There is no summary to undo").waitFor();
  await bench.write("");
  say("a summary was undone, once");
}

async function runOfACommandIsStopped(command, picture) {
  const count = await bench.chat.getByText("stopped here").count();
  await bench.prompt(command);
  await bench.chat.locator(".message.running").getByText("This takes").waitFor();
  await bench.chat.getByRole("button", { name: /Stop/ }).click();
  await bench.until("it is cancelled", async () => (await bench.chat.getByText("stopped here").count()) === count + 1);
  await bench.chat.locator(".foot").getByText("stopped").waitFor();
  await shot(picture);
  say(`the run of ${command} was stopped`);
}

await play(
  severalAreChosen,
  planIsKeptTogether,
  somethingIsAskedBeside,
  summaryIsUndone,
  () => runOfACommandIsStopped("/slow", "slow"),
  () => runOfACommandIsStopped("/review", "reviewed"),
);
