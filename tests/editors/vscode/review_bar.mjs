// The bar of the change that the user goes to: what stood there, and the ways on in words; and what else begins a run.
//   node review_bar.mjs [FOLDER FOR SCREENSHOTS]
// Environment: CODE_SERVER, CHROMIUM, VSIX, AGLS (the program).

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
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
  await bench.command("agls: Write a Commit Message");
  await bench.chat.getByText("Greet people in English").waitFor();
  await bench.page.keyboard.press("Control+Shift+g");
  await bench.page.locator(".scm-editor").getByText("Greet people in English").waitFor();
  await shot("commit-message");
  await bench.command("agls: Open config.toml");
  await bench.page.locator(".tab.active").filter({ hasText: "config.toml" }).waitFor();
  say("a commit message was written into the box of the view of changes, and config.toml opened");
}

await play(changesAreMade, allRemovedLinesAreShown, barLeadsFromChangeToChange, changesAreJudgedInIt, messageIsWritten);
