// Sessions side by side: one in the side bar and one in each of two tabs, all at work, each with its own plan, question,
// queue and draft; and they are there again after the window was loaded anew.
//   node side_by_side.mjs [FOLDER FOR SCREENSHOTS]
// Environment: CODE_SERVER, CHROMIUM, VSIX, AGLS (the program).

import assert from "node:assert/strict";
import { enter } from "./scene.mjs";
import { makeStage } from "./stage.mjs";

const NAMES = ["alpha", "beta", "gamma"]; // of the side bar, and of the tabs
const entry = (name) => ({ text: `Look after ${name}`, state: "in_progress" });
const at = (name) => ({
  match: `Begin ${name}`,
  turns: [
    { calls: [{ name: "plan", arguments: { entries: [entry(name)] } }] },
    {
      text: Array.from({ length: 40 }, (_, number) => `${name} says ${number}. `),
      calls: [{ name: "shell", arguments: { command: `touch ${name}` } }],
    },
    { text: `${name} is done.` },
  ],
});
const stage = makeStage([...NAMES.map(at), ...NAMES.map((name) => ({ match: `Next for ${name}`, turns: [{ text: `${name} went on.` }] }))]);
const viewport = { width: 1800, height: 900 };
const { bench, shot, say, play } = await enter({ stage, viewport, settings: { "agls.server.command": [process.env.AGLS] } });
const OURS = 'iframe.webview[src*="extensionId=agls.agls" i]';
const page = (number) => bench.page.locator(OURS).nth(number).contentFrame().frameLocator("iframe#active-frame");
const input = (chat) => chat.getByRole("textbox", { name: "Prompt" });
const asks = (chat, name) => chat.getByRole("group", { name: new RegExp(`^Permission: Run.*touch ${name}`) });
const queue = (chat) => chat.getByRole("list", { name: "Waiting prompts" }).getByRole("listitem");
const tab = (text) => bench.page.locator(".tabs-container .tab").filter({ hasText: text });

async function send(chat, text) {
  await bench.fill(input(chat), text);
  await chat.getByRole("button", { name: /^(Send|Queue)$/ }).click();
}

/** The chat that shows this session, whichever of the pages it is now. */
async function chatOf(name) {
  let found;
  await bench.until(`${name} is shown`, async () => {
    for (let number = 0; number < (await bench.page.locator(OURS).count()); number++) {
      const text = await page(number).locator("body").innerText({ timeout: 1000 }).catch(() => "");
      if (text.includes(`Begin ${name}`)) found = page(number);
    }
    return found !== undefined;
  });
  return found;
}

async function threeWorkAtOnce() {
  await bench.page.locator('.statusbar-item[aria-label*="agls: ready"]').waitFor();
  await bench.openFile("greet.py");
  await bench.showChat();
  for (const [number, name] of NAMES.entries()) {
    if (number > 0) {
      await bench.command("agls: Open a New Chat in an Editor Tab");
      await bench.until("the page is there", async () => (await bench.page.locator(OURS).count()) === number + 1);
      await input(page(number)).waitFor();
      if (number > 1) await bench.command("View: Move Editor into Right Group");
    }
    await send(page(number), `Begin ${name}`);
  }
  for (const [number, name] of NAMES.entries()) {
    await asks(page(number), name).waitFor();
    await page(number).locator("details.plan").getByText(`Look after ${name}`).last().waitFor();
  }
  say("three sessions work at once");
}

async function eachHasItsOwn() {
  for (const [number, name] of NAMES.entries()) {
    await send(page(number), `Next for ${name}`);
    await queue(page(number)).getByText(`Next for ${name}`).waitFor();
    await bench.fill(input(page(number)), `draft of ${name}`);
  }
  for (const [number, name] of NAMES.entries()) {
    const shown = await page(number).locator("body").innerText();
    for (const other of NAMES) assert.equal(shown.includes(other), other === name, `${other} in the chat of ${name}`);
    assert.equal(await input(page(number)).inputValue(), `draft of ${name}`);
    assert.equal(await page(number).locator(".card").count(), 1, "each asks its own question");
  }
  await tab(/● /).nth(1).waitFor();
  await shot("three");
  say("each has its own plan, question, queue and draft, and its tab says that it waits");
}

async function allIsThereAgain() {
  await bench.page.reload();
  await bench.shown();
  for (const name of NAMES) {
    const chat = await chatOf(name);
    await chat.getByText(`${name} went on.`).waitFor();
    await bench.until(`the draft of ${name} is there`, async () => (await input(chat).inputValue()) === `draft of ${name}`);
  }
  await shot("reloaded");
  say("after a reload the tabs are there with their sessions and their drafts");
}

async function eachIsAnswered() {
  for (const name of ["beta", "gamma", "alpha"]) {
    const chat = await chatOf(name);
    await bench.allow(asks(chat, name));
    await chat.getByText(`${name} went on.`).waitFor();
    assert.equal(await input(chat).inputValue(), `draft of ${name}`, "what is written stays");
  }
  assert.equal(await tab(/● /).count(), 0);
  await shot("answered");
  say("each was answered in its place, and went on with what waited there");
}

async function aSessionMovesIntoATab() {
  const side = await chatOf("alpha");
  await bench.command("agls: Move the Side Bar's Session into an Editor Tab");
  const empty = async () => (await side.locator("body").innerText()).includes("alpha is done.") === false;
  await bench.until("the side bar begins another one", empty);
  const moved = await chatOf("alpha");
  await bench.until("its draft went with it", async () => (await input(moved).inputValue()) === "draft of alpha");
  await bench.command("agls: Sessions");
  await bench.row("Begin beta");
  await tab(/beta/).locator("xpath=self::*[contains(@class, 'active')]").first().waitFor();
  assert.equal(await bench.page.locator(OURS).count(), 4, "it is shown where it was");
  await shot("moved");
  say("a session moved into a tab, and one that a tab shows is opened there");
}

await play(threeWorkAtOnce, eachHasItsOwn, eachIsAnswered, allIsThereAgain, aSessionMovesIntoATab);
