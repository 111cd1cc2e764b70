// What a conversation shows of what happened: torn answers, edits beside typing, stale files, long rows, older pages.
//   node conversation.mjs [FOLDER FOR SCREENSHOTS]
// Environment: CODE_SERVER, CHROMIUM, VSIX, AGLS (the program).

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { enter } from "./scene.mjs";
import { GREET, makeStage, serveModels } from "./stage.mjs";

const STEPS = 250; // of the old session: each is an answer and a call
const DEEP = "sources/of/the/greetings/and/farewells/in/all/languages/all_the_greetings.py";
const HALF = "Half of an answer that breaks off";

const call = (name, args) => [{ name, arguments: args }];
const steps = Array.from({ length: STEPS }, (_, n) => ({ text: `Step ${n} is done.`, calls: call("grep", { pattern: `step ${n}` }) }));
const stage = makeStage([
  { match: "Look in the corners", turns: [
    { calls: call("read_file", { path: DEEP }) },
    { calls: call("read_file", { path: "hidden\u3164name.py" }) },
    { calls: call("shell", { command: "printf one; touch made.txt", description: "Count the greetings" }) },
    { text: "I looked." },
  ] },
  { match: "Where is it", turns: [{ text: "In [the greeting](greet.py)." }] },
  { match: "Walk a long way", turns: [...steps, { text: "I have arrived." }] },
]);
fs.mkdirSync(path.dirname(path.join(stage.workspace, DEEP)), { recursive: true });
fs.writeFileSync(path.join(stage.workspace, DEEP), "DEEP = True\n");
const torn = { text: HALF, thinking: "Hm.", cut_after: 5, then: "close" };
const url = await serveModels(stage, [torn, { text: "The whole answer." }]);
fs.appendFileSync(stage.env.AGLS_CONFIG, `[models.tearing]\nbase_url = "${url}"\nmodel = "m"\ncontext_window = 32000\n`);
walkALongWay();
makeSessions(120); // more than a page of the list

const settings = { "agls.server.command": [process.env.AGLS] };
const { bench, shot, say, play } = await enter({ stage, settings, viewport: { width: 1280, height: 720 } });
const file = path.join(stage.workspace, "greet.py");
const question = (name) => bench.chat.getByRole("group", { name });
const lens = (text) => bench.page.locator(".codelens-decoration a").filter({ hasText: text });
const row = (text) => bench.chat.locator(".tool").filter({ hasText: text }).last();
const said = () => bench.chat.locator(".user .words").allTextContents();

/** An old session: what a long run on the command line left. */
function walkALongWay() {
  const args = ["run", "Walk a long way", "--mode", "plan", "--max-turns", "1000", "--title", "A long way", "--quiet"];
  execFileSync(process.env.AGLS, args, { cwd: stage.workspace, env: { ...process.env, ...stage.env }, stdio: ["ignore", "pipe", "inherit"] });
}

/** So many newer sessions of the same folder, made by another client. */
function makeSessions(count) {
  const program = [
    "import sys; from pathlib import Path; from support.wire import Wire",
    "with Wire(Path(sys.argv[1]), Path(sys.argv[2])) as wire:",
    "    wire.initialize()",
    `    for _ in range(${count}): wire.call('agent/session/new', {'cwd': Path(sys.argv[3]).as_uri()})`,
    "    wire.leave()",
  ];
  const python = path.resolve(process.env.AGLS, "../python");
  const args = ["-c", program.join("\n"), stage.folder, stage.env.AGLS_CONFIG, stage.workspace];
  execFileSync(python, args, { cwd: path.resolve(import.meta.dirname, "../.."), stdio: ["ignore", "pipe", "inherit"] });
}

async function newSession() {
  await bench.command("agls: New Session");
  await bench.until("it is empty", async () => (await said()).length === 0);
}

async function rowsSayWhatIsDone() {
  await bench.page.locator('.statusbar-item[aria-label*="agls: ready"]').waitFor();
  await bench.showChat();
  await bench.prompt("Look in the corners");
  const card = question(/^Permission: Run/);
  await card.getByText("The agent says: Count the greetings").waitFor();
  await bench.allow(card);
  await bench.chat.getByText("I looked.").waitFor();
  await row("printf one").locator("summary").getByText("Count the greetings").waitFor();
  const read = row("all_the_greetings.py");
  assert.match(await read.locator("summary").innerText(), /^Read/);
  const [folder, name, line] = await Promise.all([".folder", ".name", "summary"].map((part) => read.locator(part).first().evaluate(measured)));
  assert.ok(folder.isCut, "the folder is cut");
  assert.ok(!name.isCut && name.right <= line.right && name.left >= line.left, "the name is not");
  assert.equal(name.text, "all_the_greetings.py");
  await row("hidden⟨U+3164⟩name.py").waitFor();
  await shot("rows");
  say("a row cuts the folder and not the file's name, and tells what a command is for");
}

/** Where a part of a row stands, and whether its text is wider than that: an ellipsis stands there for less than a pixel. */
function measured(element) {
  const text = document.createRange();
  text.selectNodeContents(element);
  const { left, right, width } = element.getBoundingClientRect();
  return { left, right, text: element.textContent, isCut: text.getBoundingClientRect().width > width + 0.1 };
}

async function staleFilesAreNamed() {
  await newSession();
  await bench.openFile("greet.py");
  await bench.clickLine("Greets people");
  await bench.page.keyboard.press("Control+Home");
  await bench.page.keyboard.type("# my own\n");
  await bench.prompt("Correct it and look");
  await bench.allow(question(/^Permission: Edit .*greet\.py/));
  await bench.allow(question(/^Permission: Run/));
  await question(/^Permission: Save your own changes: greet\.py/).getByRole("button", { name: "Leave them unsaved" }).click();
  await bench.chat.getByText("I looked at it.").waitFor();
  const ran = row("env cat greet.py");
  await ran.locator("summary").getByText("exit 0").waitFor();
  await ran.getByRole("note").getByText("not saved in the editor: greet.py").waitFor();
  assert.equal(await ran.getAttribute("open"), null, "the folded row says so");
  await shot("stale");
  say("the row of a command says which files were stale");
}

async function revertIsTakenBack() {
  await bench.until("the change can be judged", async () => (await lens("Undo").count()) === 1);
  await lens("Undo").click();
  await bench.until("it is undone", async () => (await bench.text()).includes('"Helo " + name'));
  await bench.until("nothing is marked", async () => (await lens("Undo").count()) === 0);
  await bench.clickLine("Greets people");
  await bench.page.keyboard.press("Control+z");
  await bench.until("the agent's text is back", async () => (await bench.text()).includes("Hello {name}!"));
  await bench.until("it is marked again", async () => (await lens("Undo").count()) === 1);
  await bench.chat.getByText("1 change in 1 file").waitFor();
  await shot("marked-again");
  await bench.page.keyboard.press("Control+Shift+z");
  await bench.until("it is gone again", async () => (await bench.text()).includes('"Helo " + name'));
  await bench.until("nothing is marked", async () => (await lens("Undo").count()) === 0);
  say("Ctrl+Z after Undo brings the agent's text back, marked again");
}

async function editGoesBesideTyping() {
  await newSession();
  await bench.page.keyboard.press("Control+Home");
  await bench.openFile("greet.py");
  await bench.page.keyboard.press("Control+a");
  await bench.page.keyboard.press("Delete");
  await bench.page.evaluate((text) => navigator.clipboard.writeText(text), GREET);
  await bench.page.keyboard.press("Control+v");
  await bench.page.keyboard.press("Control+s");
  await bench.until("it is as in the beginning", () => fs.readFileSync(file, "utf8") === GREET);
  await bench.prompt("Correct it and look");
  await question(/^Permission: Edit .*greet\.py/).waitFor();
  await bench.clickLine("Good by");
  await bench.page.keyboard.press("Control+End");
  await bench.page.keyboard.type("# typed while it was asked");
  await bench.clickLine("Greets people");
  await bench.page.keyboard.press("Control+Home");
  await bench.page.keyboard.type("# and above\n");
  await bench.allow(question(/^Permission: Edit .*greet\.py/));
  await bench.until("the edit is made", async () => (await bench.text()).includes("Hello {name}!"));
  const text = await bench.text();
  assert.match(text, /^# and above\n[^]*Hello \{name\}![^]*Good by [^]*# typed while it was asked/);
  await bench.allow(question(/^Permission: Run/));
  await question(/^Permission: Save your own changes: greet\.py/).getByRole("button", { name: "Leave them unsaved" }).click();
  await bench.chat.getByText("I looked at it.").waitFor();
  assert.equal(await bench.chat.locator(".tool.rejected, .tool.failed").count(), 0);
  await bench.until("it can be judged", async () => (await lens("Undo").count()) === 1);
  await shot("beside");
  say("an edit that was allowed is made beside what was typed meanwhile");
}

async function tornAnswerIsMarked() {
  await newSession();
  await bench.chat.getByRole("button", { name: "Model: play", exact: true }).click();
  await bench.row("tearing");
  await bench.chat.getByRole("button", { name: "Model: tearing", exact: true }).waitFor();
  await bench.prompt("Answer me");
  await bench.chat.getByText("The whole answer.").waitFor();
  const half = bench.chat.locator(".message.discarded");
  await half.getByText(HALF.slice(0, 12)).waitFor();
  await half.getByText("cut off: not part of the conversation").waitFor();
  assert.equal(await bench.chat.locator(".message").count(), 2);
  await bench.chat.locator(".foot").getByText("done").waitFor();
  await shot("torn");
  await bench.page.reload();
  await bench.shown();
  await bench.showChat();
  await bench.chat.getByText("The whole answer.").waitFor();
  assert.equal(await half.count(), 0, "it is no part of the conversation");
  say("a torn answer is asked for once more, and what was shown of it does not count");
}

async function oldSessionIsReadPageByPage() {
  await bench.command("agls: Sessions…");
  const rows = bench.page.locator(".quick-input-widget:visible .quick-input-list");
  await rows.getByText("(no title)").first().waitFor();
  assert.equal(await rows.getByText("A long way").count(), 0);
  await bench.page.keyboard.press("ArrowUp"); // from the first row to the last one
  await shot("page");
  await bench.row("Older sessions…");
  await bench.until("the oldest session is reached", async () => {
    await bench.page.keyboard.press("ArrowDown");
    return (await rows.getByText("A long way").count()) > 0;
  });
  await shot("older");
  await bench.row("A long way");
  await bench.chat.getByText("I have arrived.").waitFor();
  const timeline = bench.chat.getByRole("region", { name: "Conversation" });
  const numbers = async () => (await timeline.locator(".message").allTextContents()).map((text) => Number(/Step (\d+) /.exec(text)?.[1] ?? STEPS));
  const seen = new Set(await numbers());
  assert.ok(seen.size < STEPS / 2, "not all of it comes at once");
  await timeline.hover();
  await bench.until("its beginning is reached", async () => {
    await bench.page.mouse.wheel(0, -1500);
    await bench.page.waitForTimeout(50);
    const shown = await numbers();
    for (const number of shown) seen.add(number);
    assert.deepEqual(shown, [...new Set(shown)].sort((a, b) => a - b), "in order, and each once");
    return (await said()).includes("Walk a long way");
  });
  assert.equal(seen.size, STEPS + 1, "nothing is left out");
  await timeline.evaluate((element) => (element.scrollTop = 0));
  await shot("beginning");
  say("an old session is read page by page to its beginning");
}

/** The server's actions stand below the chat until they are closed. */
async function actionsHaveAView() {
  const bar = bench.page.locator(".part.auxiliarybar");
  await bar.getByRole("button", { name: "Agents, Tools and Settings", exact: true }).click();
  const list = bar.locator(".pane").filter({ hasText: /^Agents, Tools/i }).locator(".monaco-list");
  const row = (text) => list.locator(".monaco-list-row").filter({ hasText: text });
  await row("Changes").first().click();
  await row("/checkpoint.list").first().waitFor(); // what is further down may be out of sight
  await shot("actions");
  await bar.getByRole("button", { name: "Hide Agents, Tools and Settings" }).click();
  await list.waitFor({ state: "detached" });
  say("the server's actions are a view of their own, and go again");
}

/** Who types the command of the terminal gets the editor's own list. */
async function sessionsAreChosenByTheirCommand() {
  await bench.command("agls: New Session");
  await bench.prompt("Where is it");
  await bench.chat.getByRole("link", { name: "the greeting" }).waitFor();
  await bench.command("agls: New Session");
  await bench.prompt("/resume ");
  await bench.row("Where is it");
  await bench.chat.getByRole("link", { name: "the greeting" }).waitFor();
  assert.deepEqual(await said(), ["Where is it"]);
  say("/resume lists the sessions to choose from");
}

/** A path in an answer is of the folder that the session works in. */
async function linksLeadIntoTheWorktree() {
  const git = (...words) => execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b.example", ...words], { cwd: stage.workspace });
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "All of it");
  await bench.command("agls: New Session");
  await bench.prompt("/worktree beside");
  await bench.chat.locator(".foot").getByText("worktree beside").waitFor();
  await bench.prompt("Where is it");
  const link = bench.chat.getByRole("link", { name: "the greeting" });
  await link.waitFor();
  fs.writeFileSync(path.join(stage.folder, "greetings-worktrees", "beside", "greet.py"), "THERE = True\n");
  await link.click();
  await bench.until("the worktree's file is shown", async () => (await bench.text()).includes("THERE = True"));
  await shot("worktree");
  say("a session in a worktree says so, and its links lead there");
}

await play(
  rowsSayWhatIsDone,
  staleFilesAreNamed,
  revertIsTakenBack,
  editGoesBesideTyping,
  tornAnswerIsMarked,
  oldSessionIsReadPageByPage,
  actionsHaveAView,
  sessionsAreChosenByTheirCommand,
  linksLeadIntoTheWorktree,
);
