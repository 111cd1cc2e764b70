// Everything that the chat shows, in light and dark and in both high contrasts: can it be read?
//   node themes.mjs [FOLDER FOR SCREENSHOTS]
// Environment: CODE_SERVER, CHROMIUM, VSIX, AGLET (the program).

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
const { bench, shot, say, play } = await enter({
  settings: { "aglet.server.command": [process.env.AGLET] },
  viewport: { width: 1400, height: 1500 },
});

async function everythingIsShown() {
  await bench.page.locator('.statusbar-item[aria-label*="aglet: ready"]').waitFor();
  await bench.openFile("greet.py");
  await bench.showChat();
  await bench.prompt("Show all of it");
  const asked = (name) => bench.chat.getByRole("group", { name });
  await asked(/^Permission: .*printf/).getByRole("button", { name: "Allow once" }).click();
  await asked(/^Permission: .*greet\.py/).getByRole("button", { name: "Allow once" }).click();
  await asked(/^Permission: .*ls$/).getByText(/saves:/).waitFor(); // the rule that a lasting yes would save
  await bench.prompt("And then this"); // it waits
  await bench.chat.getByRole("list", { name: "Waiting prompts" }).waitFor();
  await bench.write("/nothing");
  await bench.chat.locator(".tool").filter({ hasText: "missing.py" }).waitFor();
  await bench.chat.locator("body").evaluate(() => {
    for (const folded of document.querySelectorAll("details")) folded.open = true;
  });
  say("everything is shown");
}

const inTheme = ([name, kind]) =>
  async function isReadable() {
    await bench.command("Preferences: Color Theme");
    await bench.row(name);
    await bench.chat.locator(`body[data-vscode-theme-kind="${kind}"]`).waitFor();
    await bench.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
    await shot(name.toLowerCase().replaceAll(" ", "-"));
    if (process.env.VERBOSE) console.log((await bench.chat.locator("body").evaluate(texts, 99)).faint.join("\n"));
    const { count, faint } = await bench.chat.locator("body").evaluate(texts, LEAST);
    assert.ok(count > 60, `only ${count} texts were looked at`);
    assert.deepEqual(faint, [], `cannot be read in ${name}`);
    say(`${count} texts can be read in ${name}`);
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

function policyHeld() {
  assert.deepEqual(bench.complaints.filter((text) => text.includes("Content Security Policy")), []);
}

await play(everythingIsShown, ...THEMES.map(inTheme), policyHeld);
