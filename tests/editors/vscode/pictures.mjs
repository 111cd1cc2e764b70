// Pictures of the chat's states, with the colours of a real editor's themes, at several widths.
//   node pictures.mjs DIST FOLDER [THEMES] [STATES]
// DIST has chat.js and chat.css. THEMES is a file with the themes' colours; it is made in a real VS Code where it is not there.
// Environment: CHROMIUM; to make THEMES also CODE_SERVER, VSIX and AGLS (the program).

import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { STATES } from "./states.mjs";
import { launch } from "./workbench.mjs";

const [dist, folder, file = path.join(folder, "themes.json"), only = ""] = process.argv.slice(2);
const AXE = createRequire(fileURLToPath(new URL("../../../clients/vscode/x.js", import.meta.url))).resolve("axe-core/axe.min.js");
const THEMES = { dark: "Dark Modern", light: "Light Modern", "contrast-dark": "Dark High Contrast", "contrast-light": "Light High Contrast" };
const SIZES = [
  { name: "300", width: 300, height: 700 },
  { name: "400", width: 400, height: 760 },
  { name: "700", width: 700, height: 760 },
  { name: "400-zoomed", width: 200, height: 380, deviceScaleFactor: 2 }, // what 200 % leaves of it
];

/** The colours that a real editor gives to its pages, by theme. */
async function themes() {
  if (fs.existsSync(file)) return JSON.parse(fs.readFileSync(file, "utf8"));
  process.argv.splice(2); // the scene makes no pictures of its own
  const { enter } = await import("./scene.mjs");
  const { bench, play } = await enter({
    settings: { "agls.server.command": [process.env.AGLS] },
    viewport: { width: 1400, height: 1500 }, // all themes are in the list at once
  });
  const found = {};
  await play(
    () => bench.showChat(),
    ...Object.entries(THEMES).map(([name, label]) => async () => {
      await bench.command("Preferences: Color Theme");
      await bench.row(label);
      await bench.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
      await bench.page.waitForTimeout(1000); // the page gets its colours a moment later
      found[name] = await bench.chat.locator("body").evaluate(({ className, dataset }) => ({
        style: document.documentElement.style.cssText,
        className,
        kind: dataset.vscodeThemeKind,
        base: document.querySelector("#_defaultStyles")?.textContent ?? "",
      }));
    }),
  );
  fs.writeFileSync(file, JSON.stringify(found));
  return found;
}

async function open(browser, theme, { width, height, deviceScaleFactor = 1 }) {
  const page = await browser.newPage({ viewport: { width, height }, deviceScaleFactor, reducedMotion: "reduce" });
  page.on("pageerror", (problem) => console.error(String(problem)));
  await page.goto(pathToFileURL(path.join(dist, "chat.css")).href);
  await page.setContent('<!DOCTYPE html><html lang="en"><head><title>agls</title></head><body><main id="chat"></main></body></html>');
  await page.addStyleTag({ content: theme.base });
  await page.addStyleTag({ path: path.join(dist, "chat.css") });
  const font = fs.readFileSync(path.join(dist, "codicon.ttf")).toString("base64");
  await page.addStyleTag({ content: `@font-face{font-family:codicon;src:url(data:font/ttf;base64,${font})} body{background:var(--vscode-sideBar-background)}` });
  await page.evaluate(({ style, className, kind }) => {
    document.documentElement.style.cssText = style;
    document.body.className = className;
    document.body.dataset.vscodeThemeKind = kind;
    window.acquireVsCodeApi = () => ({ postMessage: () => undefined, getState: () => undefined, setState: () => undefined });
  }, theme);
  await page.addScriptTag({ path: path.join(dist, "chat.js") });
  return page;
}

/** What is too high for the page begins above the place that it can be scrolled to. */
function beginsOutside(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll(".welcome, .cards, .dock")].some((box) => {
      const top = box.firstElementChild?.getBoundingClientRect().top ?? Infinity;
      return top - box.getBoundingClientRect().top + box.scrollTop < -1;
    }),
  );
}

/** Whether some answer of a question is out of sight. */
function answersOutOfSight(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll(".card .choices button")].some((button) => {
      const { top, bottom } = button.getBoundingClientRect();
      return top < 0 || bottom > window.innerHeight;
    }),
  );
}

/** What a screen reader, or somebody who sees little, could not use: names, roles, order, contrasts (WCAG 2.2 A and AA). */
const GUIDELINES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const SCROLLED = ["scrollable-region-focusable"]; // how wide the page is decides what is scrolled

async function barriers(page, runOnly) {
  await page.addScriptTag({ path: AXE });
  return page.evaluate(async (runOnly) => {
    for (const folded of document.querySelectorAll("details")) folded.open = true;
    // It is a view of the editor, and Chromium, which shows it, leaves the buttons in a summary to a screen reader.
    const rules = { "page-has-heading-one": { enabled: false }, "nested-interactive": { enabled: false } };
    const { violations } = await window.axe.run(document, { runOnly, rules, resultTypes: ["violations"] });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html, any }) => `${id}: ${html.slice(0, 120)} ${any[0]?.message ?? ""}`));
  }, runOnly);
}

const SMALL = /^1[01]-.*-(300|400|700)$/; // a small question: it is answered without a scroll

const LOW = 150; // pixels: another view takes the room

fs.mkdirSync(folder, { recursive: true });
const known = await themes();
const browser = await launch();
const wrong = [];
try {
  for (const [name, theme] of Object.entries(known))
    for (const size of SIZES) {
      if (name !== "dark" && name !== "light" && size.name === "700") continue; // the contrasts are seen at the narrow ones
      for (const [state, messages] of Object.entries(STATES)) {
        const label = `${state}-${name}-${size.name}`;
        if (only && !new RegExp(only).test(label)) continue;
        const page = await open(browser, theme, size);
        await page.evaluate((sent) => sent.forEach((message) => window.postMessage(message, "*")), messages);
        await page.waitForTimeout(150);
        const field = page.locator("textarea").first();
        if (state.includes("completions")) await field.evaluate((text) => text.dispatchEvent(new Event("input", { bubbles: true })));
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
        if (state.includes("completions") && !(await page.locator(".completions").isVisible())) wrong.push(`${label}: no completions`);
        if (await beginsOutside(page)) wrong.push(`${label}: its beginning cannot be reached`);
        if (await answersOutOfSight(page)) wrong.push(`${label}: its answers are out of sight`);
        if (SMALL.test(label) && (await page.locator(".card .primary").first().isDisabled())) wrong.push(`${label}: it cannot be allowed without a scroll`);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        if (over > 1) wrong.push(`${label}: ${over} px too wide`);
        await page.screenshot({ path: path.join(folder, `${label}.png`) });
        const rules = size.name === "400" ? GUIDELINES : name === "dark" && size.name === "300" ? SCROLLED : [];
        if (rules.length > 0) wrong.push(...(await barriers(page, rules)).map((what) => `${label}: ${what}`));
        if (state.includes("completions")) {
          await page.setViewportSize({ width: size.width, height: LOW });
          await field.press("ArrowDown");
          if ((await page.locator(".completions").boundingBox()).y < 0) wrong.push(`${label}: completions out of sight in a low view`);
        }
        await page.close();
      }
    }
} finally {
  await browser.close();
}
for (const line of wrong) console.log(line);
console.log(`pictures are in ${folder}`);
if (wrong.length > 0) process.exitCode = 1;
