// A problem is fixed by its code action, and two windows work on one folder.
//   node windows.mjs [FOLDER FOR SCREENSHOTS]
// Environment: CODE_SERVER, CHROMIUM, VSIX, AGLS (the program).

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { enter } from "./scene.mjs";
import { makeStage } from "./stage.mjs";

const BROKEN = '{ "greeting": }\n';
const FIXED = '{ "greeting": "Hello" }';
const fix = { path: "broken.json", old_text: '"greeting": }', new_text: '"greeting": "Hello" }' };
const stage = makeStage([
  {
    match: "Fix this problem",
    turns: [
      { calls: [{ name: "read_file", arguments: { path: "broken.json" } }] },
      { calls: [{ name: "edit_file", arguments: fix }] },
      { text: "A value was missing." },
    ],
  },
  { match: "Go on here", turns: [{ text: "It goes on." }] },
  { match: "Who else is here", turns: [{ text: "Nobody that I know of." }] },
]);
const file = path.join(stage.workspace, "broken.json");
fs.writeFileSync(file, BROKEN);
const { bench, shot, say, play } = await enter({ stage, settings: { "agls.server.command": [process.env.AGLS] } });
let other;
const ready = ({ page }) => page.locator('.statusbar-item[aria-label*="agls: ready"]').waitFor();
const answered = ({ chat }, text) => chat.getByText(text).last().waitFor();
const holds = (window, what, text) => window.until(what, async () => (await window.text()).includes(text));

async function problemIsFixed() {
  await ready(bench);
  await bench.openFile("broken.json");
  await bench.page.locator(".squiggly-error").first().waitFor();
  const action = bench.page.locator(".action-widget").getByText("Fix with agls", { exact: true });
  await bench.until("the problem has the action", async () => {
    await bench.page.keyboard.press("Escape");
    await bench.clickLine("greeting");
    await bench.page.keyboard.press("F8"); // the next problem
    await bench.page.keyboard.press("Escape");
    await bench.page.keyboard.press("Control+.");
    return action.waitFor({ timeout: 8000 }).then(() => true, () => false);
  });
  await shot("action");
  await action.click();
  const card = bench.chat.getByRole("group", { name: /^Permission: .*broken\.json/ });
  await card.waitFor();
  await shot("asked");
  await bench.allow(card);
  await answered(bench, "A value was missing.");
  await holds(bench, "the edit stands in the buffer", FIXED);
  assert.equal(fs.readFileSync(file, "utf8"), BROKEN, "it is the user who saves");
  await shot("fixed");
  say("a problem was fixed by its code action");
}

async function otherWindowWorksBesideIt() {
  other = await bench.another();
  await ready(other);
  await other.showChat();
  await other.prompt("Who else is here");
  await answered(other, "Nobody that I know of.");
  assert.equal(await bench.chat.getByText("Nobody that I know of.").count(), 0, "it is another conversation");
  say("another window has a conversation of its own");
}

async function eachHasItsOwnDraft() {
  const prompt = ({ chat }) => chat.getByRole("textbox", { name: "Prompt" });
  await other.command("agls: New Session");
  await other.chat.getByText("Nobody that I know of.").waitFor({ state: "detached" });
  await bench.write("half a thought");
  await other.write("another one");
  await other.page.reload();
  await other.shown();
  await other.showChat();
  await other.until("its draft is there", async () => (await prompt(other).inputValue()) === "another one");
  assert.equal(await prompt(bench).inputValue(), "half a thought");
  await other.write("");
  await bench.write("");
  say("each window has its own draft");
}

async function sessionOfTheOtherIsRead() {
  await other.command("agls: Sessions");
  await other.row("Fix this problem");
  await answered(other, "A value was missing.");
  await other.prompt("Go on here");
  const told = other.chat.getByRole("alert").filter({ hasText: "open in another window" });
  await told.getByRole("button", { name: "New session" }).waitFor();
  await other.page.screenshot({ path: path.join(process.argv[2] ?? stage.folder, "read-only.png") });
  assert.equal(await other.chat.getByRole("textbox", { name: "Prompt" }).inputValue(), "Go on here");
  say("the session of the other window is read, and what was written for it is kept");
}

async function sessionIsTakenOver() {
  await bench.page.close();
  await other.until("it goes on here", async () => {
    const send = other.chat.getByRole("button", { name: "Send" }); // gone once it was heard, however late the answer
    await send.click({ timeout: 2000 }).catch(() => undefined);
    return other.chat.getByText("It goes on.").waitFor({ timeout: 5000 }).then(() => true, () => false);
  });
  await other.page.screenshot({ path: path.join(process.argv[2] ?? stage.folder, "taken-over.png") });
  say("once the other window is closed, the session goes on in this one");
}

await play(problemIsFixed, otherWindowWorksBesideIt, eachHasItsOwnDraft, sessionOfTheOtherIsRead, sessionIsTakenOver);
