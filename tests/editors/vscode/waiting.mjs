// What the user has written and nobody has read: prompts that wait are moved, changed and taken out, and a draft is there
// after the window was loaded anew, while the agent works.
//   node waiting.mjs [FOLDER FOR SCREENSHOTS]
// Environment: CODE_SERVER, CHROMIUM, VSIX, AGLS (the program).

import assert from "node:assert/strict";
import { enter } from "./scene.mjs";

const { bench, shot, say, play } = await enter({ settings: { "agls.server.command": [process.env.AGLS] } });
const input = () => bench.chat.getByRole("textbox", { name: "Prompt" });
const rows = () => bench.chat.getByRole("list", { name: "Waiting prompts" }).getByRole("listitem");
const waits = (what, ...texts) =>
  bench.until(what, async () => JSON.stringify((await rows().allInnerTexts()).map((text) => text.trim())) === JSON.stringify(texts));

async function press(row, name) {
  await rows().filter({ hasText: row }).hover();
  await rows().filter({ hasText: row }).getByRole("button", { name }).click();
}

async function promptsWait() {
  await bench.page.locator('.statusbar-item[aria-label*="agls: ready"]').waitFor();
  await bench.showChat();
  await bench.prompt("Think for ever");
  await bench.chat.locator(".message.running").getByText("This takes a while").waitFor();
  for (const text of ["First", "Second", "Third"]) {
    await bench.prompt(text);
    await rows().getByText(text).waitFor();
  }
  await waits("they wait in their order", "First", "Second", "Third");
  await press("Third", "Move up");
  await waits("it was moved", "First", "Third", "Second");
  await press("Second", "Remove from the queue");
  await waits("it was taken out", "First", "Third");
  say("prompts that wait were moved and taken out");
}

async function aWaitingPromptIsChanged() {
  const field = bench.chat.getByRole("textbox", { name: "The waiting prompt" });
  await press("First", "Change the waiting prompt");
  await bench.fill(field, "First, and more");
  await field.press("Enter");
  await waits("it has other words", "First, and more", "Third");
  await press("Third", "Change the waiting prompt");
  await bench.fill(field, "never said");
  await field.press("Escape");
  await field.waitFor({ state: "detached" });
  await press("First", "Change the waiting prompt"); // what Escape had sent would be there before the next change
  await bench.fill(field, "First again");
  await field.press("Enter");
  await waits("what was given up changed nothing", "First again", "Third");
  assert.deepEqual(await bench.chat.getByRole("alert").allInnerTexts(), [], "nothing is wrong");
  await shot("queue");
  say("one was changed, and the change of another given up");
}

async function theDraftIsThereAgain() {
  await bench.write("half a thought\nof two lines");
  await bench.page.reload();
  await bench.shown();
  await bench.chat.getByText("This takes a while").waitFor();
  await bench.until("the draft is there", async () => (await input().inputValue()) === "half a thought\nof two lines");
  await waits("so is what waits", "First again", "Third");
  await shot("reloaded");
  await bench.write("");
  await bench.page.reload();
  await bench.shown();
  await bench.chat.getByText("This takes a while").waitFor();
  await waits("what waits is there again", "First again", "Third");
  assert.equal(await input().inputValue(), "", "what was wiped out stays so");
  say("what was written and what waits is there after a reload");
}

await play(promptsWait, aWaitingPromptIsChanged, theDraftIsThereAgain);
