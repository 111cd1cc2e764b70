// Edits at the cursor: a wish over some lines, the text while it comes, keep, undo, refine and stop, and suggestions while
// somebody types.
//   node cursor_edits.mjs [FOLDER FOR SCREENSHOTS]
// Environment: CODE_SERVER, CHROMIUM, VSIX, AGLS (the program).

import assert from "node:assert/strict";
import { enter } from "./scene.mjs";
import { makeStage } from "./stage.mjs";

const HELLO = ["    return f", '"Hello {name}', '!"'];
const stage = makeStage([
  { match: "make it polite", turns: [{ text: '    return f"Dear {name}!"' }] }, // with what came before
  { match: "correct the spelling", turns: [{ text: HELLO }], repeat: true },
  { match: "think for ever", turns: [{ text: "    return 4", hang: true }] },
  { match: "fail", turns: [{ error: { kind: "providerInternal", message: "The model is out of order." } }] },
  { match: "<cursor/>", turns: [{ text: "return name.upper()" }], repeat: true },
]);
const themes = ["Default Light Modern", "Default Dark Modern"];
const settings = { "agls.server.command": [process.env.AGLS], "agls.inlineCompletion": true };
const { bench, shot, say, play, configure } = await enter({ stage, settings });
const zone = () => bench.page.locator(".review-widget");
const button = (name) => zone().getByRole("button", { name: new RegExp(`^${name}`) });
const lines = () => bench.page.locator(".editor-instance .view-line");
const holds = (what, text) => bench.until(what, async () => (await bench.text()).includes(text));
const gone = () => zone().waitFor({ state: "detached" });

async function wish(text) {
  const field = bench.page.locator(".quick-input-widget:visible input");
  await field.waitFor();
  await bench.fill(field, text);
  await bench.page.keyboard.press("Enter");
}

const BOX = 50; // milliseconds from the key to the box, promised of an idle machine
const SLACK = 10;

/** How long it takes from the key until the box is there to write into. */
async function boxIsQuick() {
  await bench.page.locator('.statusbar-item[aria-label*="agls: ready"]').waitFor();
  await bench.openFile("greet.py");
  await bench.clickLine("Helo");
  const times = [];
  for (let n = 0; n < 5; n++) {
    const begun = performance.now();
    await bench.page.keyboard.press("Control+Alt+k");
    await bench.page.waitForFunction(() => document.activeElement?.closest(".quick-input-widget"));
    times.push(performance.now() - begun);
    await bench.page.keyboard.press("Escape");
    await bench.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
    await bench.page.locator(".editor-instance .monaco-editor.focused").waitFor();
  }
  const took = times.sort((a, b) => a - b)[2];
  assert.ok(took <= SLACK * BOX, `${took} ms`);
  say(`the box is there after ${took.toFixed(0)} ms (promised: ${BOX})`);
}

async function editIsKept() {
  await bench.clickLine("Helo");
  await bench.page.keyboard.press("Control+Alt+k");
  await wish("correct the spelling");
  await holds("the answer stands there", 'return f"Hello {name}!"');
  await zone().getByText('return "Helo " + name').waitFor();
  await button("Refine…").waitFor();
  for (const theme of themes) {
    configure({ "workbench.colorTheme": theme });
    await bench.page.locator(`.monaco-workbench.${theme.includes("Light") ? "vs" : "vs-dark"}`).waitFor();
    await shot(theme.includes("Light") ? "shown-light" : "shown-dark");
  }
  await bench.clickLine("Hello {name}");
  await bench.page.keyboard.press("Alt+y");
  await gone();
  await bench.page.keyboard.press("Control+z");
  await holds("it was one step of undo", 'return "Helo " + name');
  say("an edit came, was kept, and undone in one step");
}

async function editIsRefinedAndUndone() {
  await bench.clickLine("Helo");
  await bench.page.keyboard.press("Control+Alt+k");
  await wish("correct the spelling");
  await button("Refine…").click();
  await wish("make it polite");
  await holds("another answer stands there", 'return f"Dear {name}!"');
  await button("Undo").click();
  await gone();
  await holds("what stood there is back", 'return "Helo " + name');
  say("an edit was refined and undone");
}

async function editIsStopped() {
  await bench.clickLine("Helo");
  await bench.command("agls: Edit at the Cursor");
  await wish("think for ever");
  await zone().getByText("return 4").waitFor();
  await shot("writing");
  await bench.clickLine("Good by");
  await bench.page.keyboard.press("Escape");
  await gone();
  assert.match(await bench.text(), /Helo/);
  say("an edit was stopped while the model wrote");
}

async function failureIsSaid() {
  await bench.clickLine("Helo");
  await bench.page.keyboard.press("Control+Alt+k");
  await wish("fail");
  await bench.page.locator(".notification-toast").filter({ hasText: "out of order" }).waitFor();
  await gone();
  say("the reason of a failure is the server's");
}

async function menusHaveIt() {
  await lines().filter({ hasText: "Helo" }).first().click({ button: "right" });
  await bench.page.getByRole("menuitem", { name: /^Edit at the Cursor/ }).waitFor();
  await bench.page.keyboard.press("Escape");
  const action = bench.page.locator(".action-widget").getByText("Edit with agls…");
  await bench.until("the code actions have it", async () => {
    await bench.page.keyboard.press("Escape");
    await bench.clickLine("Helo");
    await bench.page.keyboard.press("Home");
    await bench.page.keyboard.press("Shift+End");
    await bench.page.keyboard.press("Control+.");
    return action.waitFor({ timeout: 8000 }).then(() => true, () => false);
  });
  await bench.page.keyboard.press("Escape");
  say("the context menu and the code actions have it");
}

async function suggestionComes() {
  await bench.clickLine("Good by");
  await bench.page.keyboard.press("End");
  await bench.page.keyboard.press("Enter");
  await bench.page.locator(".ghost-text-decoration, .ghost-text").filter({ hasText: "upper" }).first().waitFor();
  await shot("suggested");
  await bench.page.keyboard.press("Tab");
  await holds("it was taken", "return name.upper()");
  say("a suggestion came after a pause and was taken");
}

await play(boxIsQuick, editIsKept, editIsRefinedAndUndone, editIsStopped, failureIsSaid, menusHaveIt, suggestionComes);
