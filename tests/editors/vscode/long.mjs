// Five thousand items in the chat's own page, in a real browser: read from the end to the beginning and back; keys
// while it streams; ten thousand items that come at once; and the size of the page's program.
//   node long.mjs FOLDER      (FOLDER/dist/chat.js and chat.css: the unpacked .vsix)
// Environment: CHROMIUM.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./workbench.mjs";

const COUNT = 5000;
const MANY = 10_000; // items of a session that is opened
const LARGEST = 400 * 1024; // bytes of the page's program
const MOST = 170; // articles in the page at any time
// What is promised on an idle machine, in milliseconds; a busy one may take SLACK times as long.
const PROMISED = { key: 50, paint: 300, frame: 1000 / 60 };
const SLACK = 4;
const dist = path.join(process.argv[2], "dist");

const items = (count) => Array.from({ length: count }, (_, n) => {
  const itemId = `i${n}`;
  if (n % 10 === 0) return { itemId, kind: "userMessage", status: "completed", content: [{ type: "text", text: `Prompt ${n}` }] };
  const text = `Answer **${n}**\n\n${"Some words that fill a line. ".repeat(n % 7)}\n\n\`\`\`python\nprint(${n})\n\`\`\``;
  return { itemId, kind: "message", status: "completed", text };
});
const viewOf = (sessionId, count) => ({ sessionId, older: false, steers: {}, transcript: { state: "running", runId: "r", items: items(count) } });

const { size } = fs.statSync(path.join(dist, "chat.js"));
assert.ok(size <= LARGEST, `chat.js has ${size} bytes`);
console.log(`ok: chat.js has ${size} bytes`);
const browser = await launch();
try {
  const page = await browser.newPage({ viewport: { width: 420, height: 900 } });
  page.setDefaultTimeout(120_000);
  await page.goto(pathToFileURL(path.join(dist, "chat.css")).href);
  await page.setContent('<!DOCTYPE html><body><main id="chat"></main></body>');
  await page.addStyleTag({ path: path.join(dist, "chat.css") });
  await page.evaluate(() => {
    window.acquireVsCodeApi = () => ({ postMessage: () => undefined, getState: () => undefined, setState: () => undefined });
  });
  await page.addScriptTag({ path: path.join(dist, "chat.js") });
  await page.evaluate((message) => window.postMessage(message, "*"), { type: "session", view: viewOf("s", COUNT) });
  await page.getByText(`Prompt ${COUNT - 10}`, { exact: true }).waitFor();
  const result = await page.evaluate(walk, COUNT);
  assert.deepEqual(result.missing, [], "every item is seen on the way up and down");
  assert.ok(result.most <= MOST, `${result.most} articles at once`);
  assert.ok(result.jumps === 0, `what was read jumped ${result.jumps} times`);
  console.log(`ok: ${COUNT} items, at most ${result.most} in the page, ${result.steps} steps`);
  const drawn = await page.evaluate(stream);
  assert.ok(drawn.draws < drawn.deltas / 4, `${drawn.deltas} deltas were drawn ${drawn.draws} times`);
  assert.ok(drawn.atEnd, "the end is followed");
  console.log(`ok: ${drawn.deltas} deltas, drawn ${drawn.draws} times`);
  const typed = await page.evaluate(typing);
  assert.equal(typed.text, typed.expected, "no key is lost");
  assert.ok(typed.articles <= 1, `a key draws ${typed.articles} articles anew`);
  console.log(`ok: ${typed.expected.length} keys while it streams; the slowest took ${within("key", typed.slowest)}`);
  const painted = await page.evaluate(paint, { type: "session", view: viewOf("many", MANY) });
  assert.ok(painted.articles <= MOST, `${painted.articles} articles at once`);
  console.log(`ok: ${MANY} items, ${painted.articles} in the page, after ${within("paint", painted.took)}`);
  const frames = await page.evaluate(glide);
  console.log(`ok: ${frames.length} frames of scrolling in the middle of them, half of them at most ${within("frame", frames[frames.length >> 1])}, the slowest ${frames.at(-1).toFixed(1)} ms`);
} finally {
  await browser.close();
}

/** The figure beside what is promised of it. */
function within(name, took) {
  assert.ok(took <= SLACK * PROMISED[name], `${name}: ${took.toFixed(1)} ms, promised are ${PROMISED[name].toFixed(1)}`);
  return `${took.toFixed(1)} ms (promised: ${PROMISED[name].toFixed(1)})`;
}

/** Scrolls evenly through the middle of what is there; the times between two frames, the shortest first. */
async function glide() {
  const scroller = document.querySelector(".timeline");
  const frame = () => new Promise(requestAnimationFrame);
  for (let n = 0; n < 60; n++) {
    scroller.scrollTop -= 1200; // away from the end, past what is ready there
    await frame();
  }
  const took = [];
  for (let before = await frame(), n = 0; n < 240; n++) {
    scroller.scrollTop += n < 120 ? -40 : 40;
    const now = await frame();
    took.push(now - before);
    before = now;
  }
  return took.sort((a, b) => a - b);
}

/** Scrolls like a wheel (less in a frame than the page keeps ready) to the top and to the end again; looks at every frame. */
async function walk(count) {
  const scroller = document.querySelector(".timeline");
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const seen = new Set();
  let [most, steps, jumps] = [0, 0, 0];
  const look = () => {
    const articles = [...scroller.querySelectorAll("article")];
    most = Math.max(most, articles.length);
    for (const article of articles) for (const [, n] of article.textContent.matchAll(/(?:Prompt|Answer) (\d+)/g)) seen.add(Number(n));
  };
  const first = () => {
    const top = scroller.getBoundingClientRect().top;
    return [...scroller.querySelectorAll("article")].find((article) => article.getBoundingClientRect().bottom > top);
  };
  const below = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
  const shows = (n) => [...scroller.querySelectorAll("article")].some((article) => new RegExp(`(Prompt|Answer) ${n}(?!\\d)`).test(article.textContent));
  const arrived = (step) => (step < 0 ? shows(0) && scroller.scrollTop <= 1 : shows(count - 1) && below() < 30);
  for (const step of [-400, 400, -1200, 1200]) {
    for (let tries = 0; tries < 20_000 && !arrived(step); tries++, steps++) {
      const before = scroller.scrollTop;
      const read = first();
      const place = read.getBoundingClientRect().top;
      scroller.scrollTop = before + step;
      await frame();
      look();
      if (read.isConnected && Math.abs(read.getBoundingClientRect().top - place) > Math.abs(step) + 20) jumps++;
    }
  }
  const missing = Array.from({ length: count }, (_, n) => n).filter((n) => !seen.has(n));
  return { missing: missing.slice(0, 10), most, steps, jumps };
}

/** Opens another session; counts what is drawn of it, from the message to the frame that shows it. */
async function paint(message) {
  const begun = performance.now();
  window.postMessage(message, "*");
  const last = `Prompt ${message.view.transcript.items.length - 10}`;
  const timeline = document.querySelector(".timeline");
  while (!timeline.textContent.includes(last)) await new Promise(requestAnimationFrame);
  return { took: performance.now() - begun, articles: timeline.querySelectorAll("article").length };
}

/** Keys into the prompt, with 20 deltas between any two; counts the articles that are drawn anew for them. */
async function typing() {
  const say = (event) => window.postMessage({ type: "events", events: [{ sessionId: "s", ...event }] }, "*");
  const item = { itemId: "typed", kind: "message", status: "running", text: "" };
  say({ type: "itemStarted", seq: 4, itemId: "typed", data: { item } });
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  await frame();
  const field = document.querySelector("textarea");
  const drawn = new Set();
  new MutationObserver((changes) => {
    for (const { target } of changes) drawn.add((target.closest ? target : target.parentElement)?.closest("article"));
  }).observe(document.querySelector(".timeline"), { childList: true, characterData: true, subtree: true });
  const expected = "what I type while it streams";
  let slowest = 0;
  let offset = 0;
  for (const key of expected) {
    for (let n = 0; n < 20; n++, offset += 6) say({ type: "itemDelta", itemId: "typed", data: { field: "text", offset, append: "word \n" } });
    const begun = performance.now();
    field.value += key;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await frame();
    slowest = Math.max(slowest, performance.now() - begun);
  }
  drawn.delete(undefined);
  drawn.delete(null);
  return { text: field.value, expected, articles: drawn.size, slowest };
}

/** A thousand deltas as fast as they come; counts how often the page is drawn. */
async function stream() {
  const deltas = 1000;
  const say = (event) => window.postMessage({ type: "events", events: [{ sessionId: "s", ...event }] }, "*");
  const item = { itemId: "live", kind: "message", status: "running", text: "" };
  say({ type: "itemStarted", seq: 2, itemId: "live", data: { item } });
  let draws = 0;
  new MutationObserver(() => draws++).observe(document.querySelector(".timeline"), { childList: true, characterData: true, subtree: true });
  for (let n = 0; n < deltas; n++) say({ type: "itemDelta", itemId: "live", data: { field: "text", offset: n * 6, append: "word \n" } });
  say({ type: "itemCompleted", seq: 3, itemId: "live", data: { item: { ...item, status: "completed", text: `${"word \n".repeat(deltas)}The end.` } } });
  const scroller = document.querySelector(".timeline");
  for (;;) {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    if (scroller.textContent.includes("The end.")) break;
  }
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  return { deltas, draws, atEnd: scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 30 };
}
