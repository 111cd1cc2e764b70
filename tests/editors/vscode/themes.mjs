// Everything that the chat shows, in light and dark and in both high contrasts: can it be read?
//   node themes.mjs [FOLDER FOR SCREENSHOTS]
// Environment: CODE_SERVER, CHROMIUM, VSIX, AGLS (the program).

import assert from "node:assert/strict";
import { enter } from "./scene.mjs";

// How much lighter or darker than what is behind it a text must be: WCAG 2.2, 1.4.3 (AA), in all themes.
const LEAST = 4.5;
const THEMES = [
  ["Dark Modern", "vscode-dark"],
  ["Light Modern", "vscode-light"],
  ["Dark High Contrast", "vscode-high-contrast"],
  ["Light High Contrast", "vscode-high-contrast-light"],
];
// What the extension tells its page seldom, and the scripted model never brings about.
const done = { status: "completed" };
const colours = [31, 32, 33, 34, 35, 36, 37, 30, 91, 92, 93, 94, 95, 96, 97, 90].map((n) => `\u001b[${n}mcolour ${n}\u001b[0m`);
const schema = { type: "object", properties: { which: { type: "string", enum: ["One", "Another"] } }, required: ["which"] };
const RARE = [
  { type: "item", item: { ...done, itemId: "t1", kind: "toolCall", title: "colours", name: "shell", output: colours.join("\n") } },
  { type: "item", item: { ...done, itemId: "t3", kind: "notice", title: "A notice", text: "It says this." } },
  { type: "item", item: { ...done, itemId: "t4", kind: "compaction", text: "A summary." } },
  { type: "item", item: { ...done, itemId: "t5", kind: "message", text: "Broken off", status: "cancelled", discarded: true } },
  { type: "elsewhere", questions: [{ requestId: "t", kind: "form", title: "Which one?", schema, from: "helper" }] },
  { type: "server", state: "failed", problem: "The server has ended." },
  { type: "failed", text: "Something went wrong" },
];
const { bench, shot, say, play } = await enter({
  settings: { "agls.server.command": [process.env.AGLS] },
  viewport: { width: 1400, height: 1500 },
});

async function everythingIsShown() {
  await bench.page.locator('.statusbar-item[aria-label*="agls: ready"]').waitFor();
  await bench.openFile("greet.py");
  await bench.showChat();
  await bench.prompt("Show all of it");
  const asked = (name) => bench.chat.getByRole("group", { name });
  await bench.allow(asked(/^Permission: .*printf/));
  await bench.allow(asked(/^Permission: .*greet\.py/));
  await asked(/^Permission: .*ls$/).getByText(/^Allowing it for longer/).waitFor(); // the rule that a lasting yes would save
  await bench.prompt("And then this"); // it waits
  await bench.chat.getByRole("list", { name: "Waiting prompts" }).waitFor();
  await bench.write("/nothing");
  await bench.chat.locator(".tool").filter({ hasText: "missing.py" }).waitFor();
  await bench.chat.locator("body").evaluate((_body, messages) => {
    for (const message of messages) window.postMessage(message, "*");
  }, RARE);
  await bench.chat.getByText("Something went wrong").waitFor();
  await bench.chat.locator("body").evaluate(() => {
    for (const folded of document.querySelectorAll("details")) folded.open = true;
  });
  say("everything is shown");
}

const unreadable = [];
const inTheme = ([name, kind]) =>
  async function isLookedAt() {
    await bench.command("Preferences: Color Theme");
    await bench.row(name);
    await bench.chat.locator(`body[data-vscode-theme-kind="${kind}"]`).waitFor();
    await bench.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
    await shot(name.toLowerCase().replaceAll(" ", "-"));
    const { count, faint } = await bench.chat.locator("body").evaluate(texts, LEAST);
    assert.ok(count > 60, `only ${count} texts were looked at`);
    unreadable.push(...faint.map((what) => `${name}: ${what}`));
    say(`${count} texts were looked at in ${name}`);
  };

/** In the page: how many texts there are, and those whose contrast with what is behind them is less. */
function texts(_body, least) {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const style = getComputedStyle(document.documentElement);
  const page = pixel("#fff", style.getPropertyValue("--vscode-sideBar-background"));

  /** One colour over another, as the browser mixes them. */
  function pixel(under, over) {
    for (const colour of [under, over]) {
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
    }
    const [red, green, blue] = canvas.getImageData(0, 0, 1, 1).data;
    return `rgb(${red}, ${green}, ${blue})`;
  }
  function behind(element) {
    if (!element) return page;
    return pixel(behind(element.parentElement), getComputedStyle(element).backgroundColor);
  }
  function luminance(colour) {
    const parts = colour.match(/\d+/g).map((part) => part / 255);
    const [red, green, blue] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }
  function contrast(element, pseudo) {
    const under = behind(element);
    const [dark, light] = [luminance(under), luminance(pixel(under, getComputedStyle(element, pseudo).color))].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  }
  const isShown = (element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !element.closest(":disabled, .unseen");

  const rows = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement: element, nodeValue } = walker.currentNode;
    if (nodeValue.trim() && isShown(element)) rows.push([contrast(element), element.className, nodeValue.trim().slice(0, 40)]);
  }
  for (const element of document.querySelectorAll("[placeholder]"))
    rows.push([contrast(element, "::placeholder"), "placeholder", element.placeholder]);
  const faint = rows.filter(([ratio]) => ratio < least).map(([ratio, ...what]) => [ratio.toFixed(2), ...what].join(" | "));
  return { count: rows.length, faint };
}

function allCanBeRead() {
  assert.deepEqual(unreadable, []);
}

function policyHeld() {
  assert.deepEqual(bench.complaints.filter((text) => text.includes("Content Security Policy")), []);
}

await play(everythingIsShown, ...THEMES.map(inTheme), allCanBeRead, policyHeld);
