// What is shown is what runs: every question is rendered, read back to the letter, and compared with the bytes.
//   node shown.mjs [FOLDER FOR SCREENSHOTS]
// Environment: CODE_SERVER, CHROMIUM, VSIX, AGLS (the program).

import assert from "node:assert/strict";
import { COMMANDS, hidden, LINK, readBack } from "./deceptions.mjs";
import { enter } from "./scene.mjs";
import { makeStage } from "./stage.mjs";

const WAIT = 2; // seconds until the model speaks: the chat is hidden meanwhile
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{DI}]/u;
const named = Object.entries(COMMANDS);
const characters = Object.entries(hidden());
// A text with NUL is refused before anybody is asked.
const contents = characters.filter(([, character]) => character !== "\0").map(([name, character]) => [name, `one\ntwo${character}end\n`]);
const shell = (command) => [{ name: "shell", arguments: { command } }];
const write = (content) => [{ name: "write_file", arguments: { path: "made.txt", content } }];
const prompt = (match, calls, wait = 0) => ({ match, turns: [{ calls, wait }, { text: `${match} is over` }] });
const stage = makeStage([
  ...named.map(([name, command]) => prompt(`Command ${name}!`, shell(command))),
  ...named.map(([name, command]) => prompt(`Noticed ${name}!`, shell(command), WAIT)),
  ...contents.map(([name, content]) => prompt(`Content ${name}!`, write(content))),
  ...characters.map(([, character], at) => prompt(`Hidden ${at}!`, shell(`echo a${character}b`))),
]);

const settings = { "agls.server.command": [process.env.AGLS] };
const { bench, shot, say, play } = await enter({ stage, settings, viewport: { width: 1280, height: 720 } });
const card = () => bench.chat.locator(".card");
const box = () => card().locator(".asked");
const allow = () => card().getByRole("button", { name: "Allow once" });
const reject = () => card().getByRole("button", { name: "Reject" });

async function ended(match) {
  await bench.chat.getByText(`${match} is over`).waitFor();
  await card().waitFor({ state: "detached" });
}

/** What stands in the box for the user to read, as text of the page. */
async function commandShown() {
  const field = box().getByRole("textbox");
  if (await field.count()) {
    assert.ok(await field.evaluate((element) => element.scrollHeight <= element.clientHeight + 2), "no line of it is cut");
    return field.inputValue();
  }
  return readBack(await box().locator("pre.command").first().innerText());
}

/** A yes is in reach and possible only after the end was on the screen. */
async function isReadFirst() {
  const fits = await box().evaluate((element) => element.scrollHeight <= element.clientHeight + 2);
  assert.equal(await allow().isEnabled(), fits);
  if (!fits) {
    await box().evaluate((element) => (element.scrollTop = element.scrollHeight));
    await bench.until("it can be allowed", () => allow().isEnabled());
  }
  for (const button of [allow(), reject()]) {
    const { y, height } = await button.boundingBox();
    assert.ok(y >= 0 && y + height <= 720, "the answers are on the screen");
  }
}

async function commandsAreWhole() {
  await bench.page.locator('.statusbar-item[aria-label*="agls: ready"]').waitFor();
  await bench.showChat();
  for (const [name, command] of named) {
    await bench.prompt(`Command ${name}!`);
    await reject().waitFor();
    assert.equal(await commandShown(), command, name);
    assert.doesNotMatch(await box().innerText(), /\S {40}\S|\n{6}/, name);
    assert.equal(await box().locator("a").count(), 0, name);
    await isReadFirst();
    if (["link", "400 lines"].includes(name)) await shot(name.replace(" ", "-"));
    await reject().click();
    await ended(`Command ${name}!`);
  }
  say("every command is shown to the letter, and read before it is allowed");
}

async function contentsAreWhole() {
  for (const [name, content] of contents) {
    await bench.prompt(`Content ${name}!`);
    await reject().waitFor();
    const rows = await box().locator(".diff .add .line").allInnerTexts();
    const shown = rows.join("\n");
    assert.doesNotMatch(shown.replaceAll("\n", ""), UNSEEN, name);
    const text = readBack(`${shown}\n`);
    assert.ok(text === content || text === content.replace(/\r/g, ""), `${name}: ${JSON.stringify(text)}`);
    assert.ok(shown.includes("⟨U+"), name);
    await isReadFirst();
    await reject().click();
    await ended(`Content ${name}!`);
  }
  say(`${contents.length} texts with hidden characters are shown to the letter`);
}

async function hiddenCommandsDoNotRun() {
  for (const at of characters.keys()) {
    await bench.prompt(`Hidden ${at}!`);
    const over = bench.chat.getByText(`Hidden ${at}! is over`);
    await over.or(reject()).first().waitFor();
    if (await card().count()) {
      assert.match(await box().innerText(), /⟨U\+|⟨\d/, characters[at][0]);
      await reject().click();
    }
    await ended(`Hidden ${at}!`);
  }
  say("no command with hidden characters looks like one without");
}

/** A notification allows only what it shows to the last character; every other one leads to the question. */
async function notificationsAreWhole() {
  for (const [name, command] of named) {
    await bench.prompt(`Noticed ${name}!`);
    await bench.hideChat();
    const toast = bench.page.locator(".notification-toast").filter({ hasText: /agls (asks|waits)/ }).last();
    await toast.getByRole("button", { name: "Open the Question" }).waitFor();
    const text = await toast.locator(".notification-list-item-message").innerText();
    const buttons = await toast.getByRole("button", { name: /^Allow/ }).count();
    assert.equal(await toast.locator("a").filter({ hasText: /pass|ok/ }).count(), 0, name);
    if (buttons > 0) assert.equal(text.replace(/^agls asks to run, in \S+: /, ""), command, name);
    else assert.equal(text, "agls waits for your answer to a question.", name);
    assert.equal(buttons > 0, ["plain", "markup"].includes(name), name);
    if (command === LINK) await shot("notification");
    await toast.getByRole("button", { name: "Open the Question" }).click();
    await reject().click();
    await ended(`Noticed ${name}!`);
    await bench.page.keyboard.press("Escape");
  }
  say("a notification allows only what it shows to the letter");
}

await play(commandsAreWhole, notificationsAreWhole, contentsAreWhole, hiddenCommandsDoNotRun);
