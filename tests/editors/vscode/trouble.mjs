// What goes wrong, and what waits: no model, errors, limits, questions, a server that dies; on a small screen.
//   node trouble.mjs [FOLDER FOR SCREENSHOTS]
// Environment: CODE_SERVER, CHROMIUM, VSIX, AGLS (the program).

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { enter } from "./scene.mjs";
import { makeStage } from "./stage.mjs";

const shell = (command) => [{ name: "shell", arguments: { command } }];
const stage = makeStage([
  { match: "Fail now", repeat: true, turns: [{ error: { kind: "auth", message: "The key was refused." }, wait: 1.5 }] },
  { match: "Go round", turns: [{ calls: shell("touch round"), text: "Round." }, { text: "It went on." }] },
  { match: "Take your time", turns: [{ text: "I think ", delay: 3, calls: shell("touch thought") }, { text: "I have thought." }] },
  { match: "Ask and wait", turns: [{ calls: shell("touch waiting"), wait: 2 }, { text: "Answered." }] },
]);
const configured = fs.readFileSync(stage.env.AGLS_CONFIG, "utf8");
delete stage.env.AGLS_CONFIG;
const config = path.join(stage.folder, ".config", "agls", "config.toml"); // where the user's is, which is not there yet
const viewport = { width: 1280, height: 720 };
const settings = { "agls.server.command": [process.env.AGLS], "agls.context.openTabs": true };
const { bench, shot, say, play } = await enter({ stage, settings, viewport });

const status = (told) => bench.page.locator(`.statusbar-item[aria-label*="agls: ${told}"]`);
const input = () => bench.chat.getByRole("textbox", { name: "Prompt" });
const cards = () => bench.chat.locator(".card");
const allow = () => bench.chat.getByRole("button", { name: "Allow once" });
const said = () => bench.chat.locator(".user .words").allTextContents();

/** The runs that failed, in the journals of the sessions. */
function runs() {
  const folder = stage.env.AGLS_STATE_DIR;
  const files = fs.readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".jsonl"));
  const text = files.map((name) => fs.readFileSync(path.join(folder, name), "utf8")).join("");
  return [...text.matchAll(/The key was refused\./g)].length;
}

async function modelIsGiven() {
  await status("no model").waitFor();
  await bench.showChat();
  const advice = bench.chat.getByRole("region", { name: "Set up" });
  await advice.getByLabel("Provider").waitFor();
  await shot("no-model");
  await advice.getByRole("button", { name: "Edit config.toml" }).click();
  await bench.page.locator(".tab.active").filter({ hasText: "config.toml" }).waitFor();
  await bench.until("what is to be written is shown", async () => (await bench.text()).includes("The models of agls"));
  await bench.page.waitForTimeout(500);
  assert.equal(await bench.chat.getByRole("list", { name: "Context of this prompt" }).count(), 0, "a file for keys is no context");
  fs.mkdirSync(path.dirname(config), { recursive: true });
  fs.writeFileSync(config, configured);
  await status("ready").waitFor({ timeout: 30_000 });
  await advice.waitFor({ state: "detached" });
  await bench.prompt("What do you see");
  await bench.chat.getByText("I have looked.").waitFor();
  await mistakeIsShown();
  say("a model that is written into config.toml is used without a restart");
}

/** A file that cannot be read is no missing model: what is wrong is said, and the way leads to the line. */
async function mistakeIsShown() {
  await bench.command("agls: New Session");
  const lines = configured.trimEnd().split("\n").length;
  fs.writeFileSync(config, `${configured.trimEnd()}\n[models.mine]\ndialect = "openai"\n`);
  const mistake = bench.page.locator('.statusbar-item[aria-label*="agls: mistake in config.toml"]');
  await mistake.waitFor();
  const advice = bench.chat.getByRole("region", { name: "Set up" });
  await advice.getByRole("alert").filter({ hasText: "models.mine.dialect: this must be" }).waitFor();
  await shot("mistake");
  await advice.getByRole("button", { name: "Edit config.toml" }).click();
  await bench.page.locator("#status\\.editor\\.selection").filter({ hasText: `Ln ${lines + 2},` }).waitFor();
  fs.writeFileSync(config, configured);
  await mistake.waitFor({ state: "detached" });
  await advice.waitFor({ state: "detached" });
}

async function keyLeadsToAModel() {
  fs.writeFileSync(config, "# nothing again\n");
  await status("no model").waitFor();
  await status("no model").click();
  await bench.row("Store a provider's key");
  await bench.row("Anthropic");
  const key = bench.page.locator(".quick-input-widget:visible input[type=password]");
  await bench.fill(key, "sk-of-nobody");
  await key.press("Enter");
  const name = bench.page.locator(".quick-input-widget:visible .quick-input-filter input");
  await bench.until("its provider is named", async () => (await name.inputValue()) === "anthropic/");
  await bench.fill(name, "anthropic/claude-of-nobody");
  await name.press("Enter");
  await status("ready").waitFor();
  await bench.chat.getByRole("button", { name: "Model: anthropic/claude-of-nobody", exact: true }).waitFor();
  say("a stored key leads to a model, without a file");
}

async function errorsStay() {
  fs.writeFileSync(config, configured);
  await status("no model").waitFor(); // of that name there is none in the file
  await status("no model").click();
  await bench.row("play");
  await status("ready").waitFor();
  await bench.command("agls: New Session");
  await bench.until("it is empty", async () => (await said()).length === 0);
  await bench.prompt("Fail now");
  const ending = bench.chat.getByRole("region", { name: "How the run ended" });
  await ending.getByText("The key was refused.").waitFor();
  await ending.getByRole("button", { name: "Set key…" }).waitFor();
  await shot("error");
  await ending.getByRole("button", { name: "Try again" }).click();
  await bench.until("it was tried twice", () => runs() === 2);
  await bench.prompt("What do you see");
  await bench.chat.getByText("I have looked.").waitFor();
  await ending.getByText("The key was refused.").waitFor();
  assert.equal(await ending.getByRole("button").count(), 0);
  say("an error stays where it happened, and was tried again");
}

async function limitsGoOn() {
  await bench.command("agls: Change Limits…");
  await bench.row("Turns");
  const field = bench.page.locator(".quick-input-widget:visible .quick-input-filter input");
  await bench.page.locator(".quick-input-widget:visible").getByText("of a run at most").waitFor();
  await bench.fill(field, "1");
  await field.press("Enter");
  await bench.prompt("Go round");
  const ending = bench.chat.getByRole("region", { name: "How the run ended" }).last();
  await bench.allow(bench.chat.getByRole("group", { name: /^Permission: / })); // once: the button stays until the server has heard
  await ending.getByText("Turn limit reached").waitFor();
  await ending.getByRole("button", { name: "Continue" }).click();
  await bench.chat.getByText("It went on.").waitFor();
  say("a limit offers to continue");
}

async function keysLeadToThePrompt() {
  await bench.command("agls: New Session");
  await bench.until("it is empty", async () => (await said()).length === 0);
  await bench.write("half a thought");
  await bench.openFile("greet.py");
  await bench.clickLine("Greets people");
  await bench.page.keyboard.press("Control+Alt+a");
  await bench.until("the prompt has the focus", () => input().evaluate((element) => document.hasFocus() && document.activeElement === element));
  await bench.page.keyboard.type(" and more");
  assert.equal(await input().inputValue(), "half a thought and more");
  assert.ok(!(await bench.text()).includes("and more"));
  await bench.command("agls: New Session");
  assert.equal(await input().inputValue(), "half a thought and more", "what is written stays");
  await bench.write("");
  say("the keys lead to the prompt, and nothing written is lost");
}

async function stopStopsAll() {
  await bench.prompt("Take your time");
  await bench.chat.locator(".message.running").waitFor();
  await bench.write("Say this now");
  await input().press("Control+Enter");
  const waiting = bench.chat.getByRole("list", { name: "Waiting prompts" });
  await waiting.getByText("Say this now").waitFor();
  await waiting.getByText("read at the next step").waitFor();
  await bench.prompt("What do you see, later");
  await waiting.getByText("What do you see, later").waitFor();
  await shot("waiting");
  await bench.chat.getByRole("button", { name: /Stop/ }).click();
  await bench.chat.locator(".foot").getByText("stopped").waitFor();
  await bench.until("it is in the composer again", async () => (await input().inputValue()).includes("What do you see, later"));
  await bench.page.waitForTimeout(1500);
  assert.ok(!(await said()).includes("What do you see, later"), "nothing else has begun");
  assert.equal(await waiting.count(), 0);
  await bench.write("");
  say("what is said at once is seen, and Stop starts nothing else");
}

async function questionIsInReach() {
  await bench.prompt("Write the notes");
  await bench.allow(bench.chat.getByRole("group", { name: /^Permission: / }));
  await bench.chat.getByText("The notes are written.").waitFor();
  await bench.chat.getByText("1 change in 1 file").waitFor();
  await bench.page.getByRole("button", { name: /^Changes to Review/i }).first().click(); // less room for the chat
  await bench.prompt("Ask and wait");
  await bench.hideChat();
  await status("waiting for you").waitFor();
  await bench.page.keyboard.press("Escape");
  await status("waiting for you").click();
  for (const button of [allow(), bench.chat.getByRole("button", { name: "Reject" })]) {
    await button.waitFor();
    const { y, height } = await button.boundingBox();
    assert.ok(y >= 0 && y + height <= 690, "it is on the screen");
    assert.ok(await button.evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      return document.elementFromPoint(left + width / 2, top + height / 2) === element;
    }), "nothing covers it");
  }
  await shot("question");
  say("the status leads to the question, whose answers are in reach");
}

function server() {
  const found = execFileSync("pgrep", ["-f", `${process.env.AGLS} serve`], { encoding: "utf8" }).trim().split("\n").map(Number);
  return found.find((pid) => fs.readFileSync(`/proc/${pid}/environ`, "utf8").includes(stage.folder));
}

async function questionDiesWithItsServer() {
  process.kill(server(), "SIGKILL");
  await cards().waitFor({ state: "detached" });
  await status("ready").waitFor();
  await bench.notification("agls asks to run, in", "Allow once"); // it stays on the screen
  const told = bench.page.locator(".notification-toast, .notifications-center .notification-list-item");
  await told.filter({ hasText: "is no longer waiting for this answer" }).first().waitFor();
  assert.equal(await cards().count(), 0);
  await bench.command("agls: New Session");
  await bench.until("it is empty", async () => (await said()).length === 0);
  assert.equal(await cards().count(), 0, "it does not appear in another session");
  await bench.chat.getByText("1 change in 1 file").waitFor();
  process.kill(server(), "SIGKILL");
  await status("ready").waitFor({ state: "detached" });
  await status("ready").waitFor();
  await bench.chat.getByText("1 change in 1 file").waitFor();
  say("a question dies with its server; changes to review do not");
}

async function runDiesWithItsServer() {
  await bench.prompt("Think for ever");
  const half = bench.chat.locator(".message").filter({ hasText: "This takes a while" }).last();
  await half.locator(".caret").waitFor();
  process.kill(server(), "SIGKILL");
  await bench.chat.getByRole("button", { name: /Stop/ }).waitFor({ state: "detached" });
  await half.getByText("cut off: not part of the conversation").waitFor();
  const ending = bench.chat.getByRole("region", { name: "How the run ended" }).last();
  await ending.getByText("The process ended before the run did.").waitFor();
  assert.equal(await bench.chat.locator(".caret").count(), 0, "nothing goes on");
  await shot("died");
  await ending.getByRole("button", { name: "Continue" }).click();
  await half.locator(".caret").waitFor();
  await bench.chat.getByRole("button", { name: /Stop/ }).click();
  await ending.getByText("You stopped it.").waitFor();
  say("a run that dies with its server says so, and is continued");
}

async function deletedFilesAreNotOffered() {
  const chips = bench.chat.getByRole("list", { name: "Context of this prompt" });
  await bench.openFile("README.md");
  await bench.page.keyboard.press("Control+k");
  await bench.page.keyboard.press("Enter"); // the tab stays
  await bench.openFile("greet.py");
  await chips.getByText(/open tab/).waitFor();
  for (const name of ["README.md", "notes.md"]) fs.rmSync(path.join(stage.workspace, name), { force: true });
  await chips.getByText(/open tab/).waitFor({ state: "detached" });
  say("deleted files are not offered");
}

await play(
  modelIsGiven,
  keyLeadsToAModel,
  errorsStay,
  limitsGoOn,
  keysLeadToThePrompt,
  stopStopsAll,
  questionIsInReach,
  questionDiesWithItsServer,
  runDiesWithItsServer,
  deletedFilesAreNotOffered,
);
