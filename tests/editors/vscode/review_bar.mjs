// The bar of the change that the user goes to: what stood there, and the ways on in words; and what else begins a run.
//   node review_bar.mjs [FOLDER FOR SCREENSHOTS]
// Environment: CODE_SERVER, CHROMIUM, VSIX, AGLS (the program).

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { enter } from "./scene.mjs";
import { GREET, makeStage } from "./stage.mjs";

const MENDED = GREET.replace('"Helo " + name', 'f"Hello {name}!"').replace('"Good by " + name', 'f"Good bye {name}!"');
const stage = makeStage([
  {
    match: "Mend both",
    turns: [
      { calls: [{ name: "read_file", arguments: { path: "greet.py" } }] },
      { calls: [{ name: "edit_file", arguments: { path: "greet.py", old_text: GREET, new_text: MENDED } }] },
      { text: "Both are mended." },
    ],
  },
  {
    match: "Write it down",
    turns: [
      { calls: [{ name: "shell", arguments: { command: "env ls" } }] },
      { calls: [{ name: "write_file", arguments: { path: "notes.md", content: "# Notes\n" } }] },
      { text: "Look at [the last line](greetings/greet.py:9) or [the users](/etc/passwd):\n\n```sh\ntouch made-there\n```\n\n```python\n# inserted\n```" },
    ],
  },
  { match: "Write a commit message", turns: [{ text: "```text\nGreet people in English\n```" }] },
]);
execFileSync("git", ["init", "--quiet"], { cwd: stage.workspace });
const settings = { "agls.server.command": [process.env.AGLS], "agls.mode": "acceptEdits", "git.enabled": true };
const { bench, shot, say, play, configure } = await enter({ stage, settings });
const bar = () => bench.page.locator(".review-widget");
const button = (name) => bar().getByRole("button", { name });
const lens = (text) => bench.page.locator(".codelens-decoration a").filter({ hasText: text });
const holds = (what, text) => bench.until(what, async () => (await bench.text()).includes(text));

async function changesAreMade() {
  await bench.page.locator('.statusbar-item[aria-label*="agls: ready"]').waitFor();
  await bench.openFile("greet.py");
  await bench.showChat();
  await bench.prompt("Mend both");
  await bench.chat.getByText("Both are mended.").waitFor();
  await bench.until("both can be judged", async () => (await lens("Keep").count()) === 2);
  say("two changes are there");
}

async function allRemovedLinesAreShown() {
  const before = (text) => bench.page.locator(".review-widget").getByText(text);
  await bench.command("agls: Show or Hide Removed Lines");
  await before('return "Helo " + name').waitFor();
  await before('return "Good by " + name').waitFor();
  await shot("removed-lines");
  await bench.command("agls: Show or Hide Removed Lines");
  await bench.page.locator(".review-widget").first().waitFor({ state: "detached" });
  say("what all changes took out is shown at once, and hidden again");
}

async function barLeadsFromChangeToChange() {
  await lens("1 of 2").click();
  await bar().getByText('return "Helo " + name').waitFor();
  await bar().getByText("1 of 2").waitFor();
  for (const theme of ["Default Light Modern", "Default Dark Modern"]) {
    configure({ "workbench.colorTheme": theme });
    await bench.page.locator(`.monaco-workbench.${theme.includes("Light") ? "vs" : "vs-dark"}`).waitFor();
    await shot(theme.includes("Light") ? "bar-light" : "bar-dark");
  }
  await button(/^Next/).click();
  await bar().getByText('return "Good by " + name').waitFor();
  await button(/Previous/).click();
  await bar().getByText('return "Helo " + name').waitFor();
  say("the bar shows what stood there, and leads on");
}

async function changesAreJudgedInIt() {
  await button(/^Undo/).click();
  await holds("the first is undone", '"Helo " + name');
  await bar().getByText("1 of 1").waitFor();
  await bar().getByText('return "Good by " + name').waitFor();
  await button(/^Keep$/).click();
  await bar().waitFor({ state: "detached" });
  assert.match(await bench.text(), /Good bye \{name\}!/);
  say("one was undone, the next one kept, and the bar is gone");
}

async function messageIsWritten() {
  await bench.page.keyboard.press("Control+Shift+g");
  await bench.page.locator(".sidebar").getByRole("button", { name: "Write a Commit Message" }).click();
  await bench.page.locator(".scm-editor").getByText("Greet people in English").waitFor();
  await shot("commit-message");
  assert.equal(await bench.chat.getByText("Greet people in English").count(), 0, "it is no part of the conversation");
  await bench.command("agls: Sessions");
  const rows = bench.page.locator(".quick-input-widget:visible .quick-input-list .monaco-list-row");
  await rows.filter({ hasText: "Mend both" }).waitFor();
  assert.equal(await rows.filter({ hasText: /no title|ommit message/ }).count(), 0, "no session of it stays");
  await bench.page.keyboard.press("Escape");
  await bench.command("agls: Open config.toml");
  await bench.page.locator(".tab.active").filter({ hasText: "config.toml" }).waitFor();
  say("a commit message was written into the box of the view of changes, and config.toml opened");
}

/** From the prompt to the question, to the change that came of it, and back to the prompt: no mouse. */
async function keysLeadAround() {
  const input = bench.chat.getByRole("textbox", { name: "Prompt" });
  const inPrompt = () => input.evaluate((element) => document.hasFocus() && document.activeElement === element);
  await bench.page.keyboard.press("Control+Alt+a");
  await bench.until("the prompt has the focus", inPrompt);
  await bench.page.keyboard.type("Write it down");
  await bench.page.keyboard.press("Enter");
  await bench.chat.getByRole("group", { name: /^Permission: Run/ }).waitFor();
  await bench.until("the question has the focus", async () => {
    await bench.page.keyboard.press("ArrowUp"); // again, when the workbench took the focus away meanwhile
    return bench.chat.locator(".card .asked").evaluate((element) => document.activeElement === element);
  });
  await bench.page.keyboard.press("Control+Enter");
  await bench.chat.getByText("1 change in 1 file").waitFor();
  await bench.chat.getByText("Look at").waitFor();
  await bench.until("the prompt has the focus again", inPrompt);
  await bench.page.keyboard.press("Alt+]");
  await bench.page.locator(".tab.active").filter({ hasText: "notes.md" }).waitFor();
  await bench.page.locator(".editor-instance .monaco-editor.focused").waitFor();
  await bench.reviewable();
  await bench.page.keyboard.press("Alt+y");
  await bench.chat.getByText("1 change in 1 file").waitFor({ state: "detached" });
  await bench.page.keyboard.press("Control+Alt+a");
  await bench.until("the prompt has the focus at the end", inPrompt);
  say("keys alone lead from the prompt to the question, the change and back");
}

async function codeGoesWhereTheUserWorks() {
  await bench.chat.locator(".message a").filter({ hasText: "the last line" }).click();
  await bench.page.locator(".tab.active").filter({ hasText: "greet.py" }).waitFor();
  await bench.page.locator("#status\\.editor\\.selection").filter({ hasText: "Ln 9" }).waitFor();
  await bench.chat.locator(".message a").filter({ hasText: "the users" }).click();
  await bench.notification("/etc/passwd is outside of the opened folder", "Open");
  await bench.page.locator(".tab.active").filter({ hasText: "passwd" }).waitFor();
  await bench.openFile("greet.py");
  const does = async (text, name) => {
    const code = bench.chat.locator(".code").filter({ hasText: text });
    await code.hover();
    await code.getByRole("button", { name }).click();
  };
  await does("# inserted", /^Insert/);
  await holds("it stands at the cursor", "# inserted");
  await does("touch made-there", /into the terminal/);
  const screen = bench.page.locator(".terminal-wrapper.active .xterm-screen");
  await screen.waitFor();
  await bench.page.waitForTimeout(1500); // it has the command by now: what is on its screen is a picture
  const made = path.join(stage.workspace, "made-there");
  assert.ok(!fs.existsSync(made), "it is the user who runs it");
  await shot("terminal");
  await screen.click();
  await bench.until("it ran", async () => {
    await bench.page.keyboard.press("Enter");
    await bench.page.waitForTimeout(500);
    return fs.existsSync(made);
  });
  say("a link led to its line, code was inserted, and a command written into the terminal");
}

await play(
  changesAreMade,
  allRemovedLinesAreShown,
  barLeadsFromChangeToChange,
  changesAreJudgedInIt,
  keysLeadAround,
  codeGoesWhereTheUserWorks,
  messageIsWritten,
);
