// A user's first half hour, from an empty profile: install the .vsix, set the server up, have a change made and reviewed.
//   node journey.mjs [FOLDER FOR SCREENSHOTS]
// Environment: CODE_SERVER, CHROMIUM, VSIX; THEME, a colour theme other than the default one.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { enter } from "./scene.mjs";

const theme = process.env.THEME ? { "workbench.colorTheme": process.env.THEME } : {};
const { bench, stage, shot, say, play } = await enter({ settings: theme });
const file = path.join(stage.workspace, "greet.py");

async function setUp() {
  // The chat has opened by itself, for once: its card leads on, and nothing covers it.
  await bench.chat.getByRole("region", { name: "Set up" }).getByRole("button", { name: "Set up the server" }).click();
  await bench.page.locator('.statusbar-item[aria-label*="agls: ready"]').waitFor();
  say("the server is set up from the package, offline, and ready");
  await bench.openFile("greet.py");
  await bench.showChat();
  await shot("welcome");
}

async function changeIsMade() {
  // What the user typed and did not save is what the agent reads.
  await bench.clickLine("Greets people");
  await bench.page.keyboard.press("Control+Home");
  await bench.page.keyboard.type("# not saved\n");
  await bench.prompt("Correct the greetings");
  await bench.chat.getByText("I look at both functions.").waitFor();
  await bench.chat.getByRole("group", { name: /^Permission: Run/ }).waitFor();
  assert.match(await bench.chat.getByLabel("The exact command; it can be edited").inputValue(), /^printf .*; env ls$/);
  await bench.page.locator('.statusbar-item[aria-label*="waiting for you"]').waitFor();
  await shot("permission");
  await bench.allow(bench.chat.getByRole("group", { name: /^Permission: / }));
  const save = bench.chat.getByRole("group", { name: /^Permission: Save your own changes: greet\.py/ });
  await save.getByRole("button", { name: "Leave them unsaved" }).click();
  say("a command was allowed, and the user's own text left as it is");
  const edit = bench.chat.getByRole("group", { name: /^Permission: Edit .*greet\.py/ });
  await edit.locator(".diff .add").first().waitFor();
  await shot("edit");
  await edit.getByRole("button", { name: "Open diff" }).click();
  const proposed = bench.page.locator(".tab").filter({ hasText: "greet.py: now ↔ proposed" });
  await proposed.waitFor();
  await bench.until("both sides are shown", () => bench.page.locator(".diff-editor-widget, .monaco-diff-editor").evaluateAll((found) => found.some((one) => one.textContent.includes("Helo") && one.textContent.includes("Hello"))));
  await shot("proposed");
  await bench.allow(edit);
  await proposed.waitFor({ state: "detached" }); // it is made
  await bench.chat.getByText("Both greetings are correct now.").waitFor();
  await bench.until("the edit is in the buffer", async () => (await bench.text()).includes("Good bye {name}!"));
  assert.match(await bench.text(), /^# not saved\n/);
  assert.ok(!fs.readFileSync(file, "utf8").includes("Hello"), "the file on the disk is as it was");
  say("the edit stands in the unsaved buffer");
}

async function changeIsReviewed() {
  const lens = (text) => bench.page.locator(".codelens-decoration a").filter({ hasText: text });
  await bench.until("both changes can be judged", async () => (await lens("Undo").count()) === 2);
  await bench.chat.getByText("2 changes in 1 file").waitFor();
  await shot("review");
  await lens("Undo").first().click();
  await bench.until("the first change is undone", async () => (await bench.text()).includes('"Helo " + name'));
  await bench.until("one is left", async () => (await lens("Keep").count()) === 1);
  assert.match(await bench.text(), /Good bye \{name\}!/);
  await bench.reviewable();
  await bench.clickLine("Good bye");
  await bench.page.keyboard.press("Alt+y");
  await bench.until("nothing is left to judge", async () => (await lens("Keep").count()) === 0);
  assert.match(await bench.text(), /^# not saved\n[^]*Helo [^]*Good bye \{name\}!/);
  say("one change was undone, the other kept");
}

async function runIsCancelled() {
  await bench.prompt("Think for ever");
  await bench.chat.locator(".message.running").getByText("This takes a while").waitFor(); // it streams
  await bench.chat.getByRole("button", { name: /Stop/ }).click();
  await bench.chat.getByText("stopped here").waitFor();
  await bench.chat.locator(".foot").getByText("stopped").waitFor();
  say("the second run is cancelled");
}

async function notesAreWritten() {
  await bench.prompt("Write the notes");
  await bench.allow(bench.chat.getByRole("group", { name: /^Permission: .*notes\.md/ }));
  await bench.chat.getByText("The notes are written.").waitFor();
  await bench.until("the file is there", () => fs.existsSync(path.join(stage.workspace, "notes.md")));
  say("a file was written");
}

async function windowIsReloaded() {
  const before = await said();
  assert.deepEqual(before.length, 3);
  await bench.page.reload();
  await bench.shown();
  await bench.showChat();
  await bench.until("the transcript is back", async () => (await said()).length === 3);
  assert.deepEqual(await said(), before);
  await bench.chat.getByText("Both greetings are correct now.").waitFor();
  await bench.chat.getByText("The notes are written.").waitFor();
  assert.match(await bench.text(), /^# not saved\n/);
  assert.equal(await bench.chat.getByRole("textbox", { name: "Prompt" }).inputValue(), "", "what was sent is no draft");
  say("after a reload everything is still there");
}

const said = () => bench.chat.locator(".user .words").allTextContents();

async function isRewound() {
  const checkpoints = bench.chat.getByRole("group", { name: "Checkpoint" });
  assert.equal(await checkpoints.count(), 3, "one before each prompt");
  await shot("checkpoints");
  const [notes, isThere] = [path.join(stage.workspace, "notes.md"), () => fs.existsSync(notes)];
  const restored = bench.chat.getByRole("status", { name: "Restored" });
  for (const [choice, line, left] of [
    ["Restore Conversation and Files", "The conversation went back to here. 1 file was restored.", 2],
    ["Restore Files", "1 file was restored.", 3],
  ]) {
    await checkpoints.last().getByRole("button", { name: "Restore" }).click();
    const asked = bench.page.locator(".monaco-dialog-box").filter({ hasText: "Restore to before this prompt?" });
    await asked.getByText("Conversation: “Write the notes” and everything after it are removed.").waitFor();
    if (left === 2) await shot("restore");
    await bench.dialog("Files to restore: notes.md", choice);
    await bench.until("the file is gone", () => !isThere());
    await bench.until("the prompt is gone, if it was meant", async () => (await said()).length === left);
    await restored.getByText(line).waitFor();
    if (left === 2) {
      await shot("rewound");
      await bench.page.reload();
      await bench.shown();
      await bench.showChat();
      await restored.getByText(line).waitFor();
    }
    await restored.getByRole("button", { name: "Undo" }).click();
    await bench.until("the file is back", isThere);
    await bench.until("the prompt is back", async () => (await said()).length === 3);
    if (left === 2) await restored.waitFor({ state: "detached" });
  }
  say("it went back to a checkpoint, with and without the conversation, and that was undone");
}

async function promptsWait() {
  await bench.prompt("Think for ever");
  await bench.chat.locator(".message.running").getByText("This takes a while").waitFor();
  await bench.prompt("And then this");
  const waiting = bench.chat.getByRole("list", { name: "Waiting prompts" });
  await waiting.getByText("And then this").waitFor();
  await waiting.getByRole("button", { name: "Remove from the queue" }).click();
  await waiting.waitFor({ state: "detached" });
  await bench.chat.getByRole("button", { name: /Stop/ }).click();
  await bench.chat.locator(".foot").getByText("stopped").waitFor();
  say("a prompt waited and was taken back");
}

async function questionIsAnswered() {
  await bench.prompt("Ask me");
  const form = bench.chat.getByRole("form", { name: "Question: Which language?" });
  await form.getByLabel("German").check();
  await form.getByRole("button", { name: "Answer" }).click();
  await bench.chat.getByText("Understood.").waitFor();
  await bench.chat.getByRole("button", { name: "Mode: Ask first" }).click();
  await bench.row("Plan");
  await bench.chat.getByRole("button", { name: "Mode: Plan" }).waitFor();
  say("a question was answered, and the mode changed");
}

async function contextIsAdded() {
  const prompt = bench.chat.getByRole("textbox", { name: "Prompt" });
  await bench.write("look at @notes");
  await bench.chat.getByRole("option", { name: /notes\.md/ }).click();
  await bench.until("it is completed", async () => (await prompt.inputValue()) === "look at @notes.md ");
  await bench.write("");
  say("a file was completed");
}

await play(
  setUp,
  changeIsMade,
  changeIsReviewed,
  runIsCancelled,
  notesAreWritten,
  windowIsReloaded,
  isRewound,
  contextIsAdded,
  promptsWait,
  questionIsAnswered,
);
