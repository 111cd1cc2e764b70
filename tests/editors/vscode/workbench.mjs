// The workbench in a real browser, used as a user would.
// Environment: CHROMIUM, what scripts/editors/chromium prints. playwright-core is the extension's.

import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");
const { chromium } = createRequire(path.join(ROOT, "clients/vscode/x.js"))("playwright-core");
const PATIENCE = Number(process.env.PATIENCE ?? 180_000); // milliseconds for anything that must happen
const FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"];

export async function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM, headless: true, args: FLAGS });
}

export class Workbench {
  static async open(server, viewport = { width: 1400, height: 900 }) {
    const browser = await launch();
    const workbench = new Workbench(browser);
    try {
      await workbench.enter(server, viewport);
    } catch (problem) {
      throw new Error(`the workbench does not come up\n${await workbench.seen()}`, { cause: problem });
    }
    return workbench;
  }

  constructor(browser) {
    this.browser = browser;
    this.complaints = [];
  }

  async enter(server, viewport) {
    const context = await this.browser.newContext({ viewport });
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.origin });
    await this.visit(context, server);
  }

  /** Another window on the same folder, with an extension host and a server of its own. */
  async another() {
    const workbench = new Workbench(this.browser);
    await workbench.visit(this.context, this.server);
    return workbench;
  }

  async visit(context, server) {
    Object.assign(this, { context, server });
    this.page = await context.newPage();
    this.page.setDefaultTimeout(PATIENCE);
    this.page.on("dialog", (dialog) => void dialog.accept().catch(() => undefined)); // "leave the page?" on a reload
    this.page.on("console", (message) => message.type() === "error" && this.complaints.push(message.text()));
    this.page.on("pageerror", (problem) => this.complaints.push(String(problem)));
    await this.page.goto(server.url, { timeout: PATIENCE });
    await this.shown();
  }

  /** What is on the screen, and what the page complained of: for who has to find out what went wrong. */
  async seen() {
    const texts = this.page?.frames().map(async (frame) => {
      const text = await frame.evaluate(() => document.body.innerText).catch(() => "");
      return text.trim() && `--- ${frame.url().slice(0, 120)}\n${text.trim()}`;
    });
    const complaints = this.complaints.slice(-20).map((text) => text.slice(0, 300));
    return [...(await Promise.all(texts ?? [])).filter(Boolean), "--- complaints", ...complaints].join("\n");
  }

  async shown() {
    await this.page.locator(".monaco-workbench").waitFor();
    await this.page.locator('.statusbar-item[aria-label^="agls"]').waitFor(); // the extension is active
  }

  /** What is inside the extension's chat: a frame in a frame. */
  get chat() {
    return this.page.frameLocator('iframe.webview[src*="extensionId=agls.agls" i]').frameLocator("iframe#active-frame");
  }

  /** Opens the quick input by a key and takes a row; again, when it is not heard or closed by something else meanwhile. */
  async quickly(key, typed, text) {
    const widget = this.page.locator(".quick-input-widget:visible");
    const row = widget.locator(".quick-input-list .monaco-list-row").filter({ hasText: text }).first();
    for (const end = Date.now() + PATIENCE; Date.now() < end; ) {
      await this.page.keyboard.press(key);
      const done = await widget
        .locator(".quick-input-filter input")
        .fill(typed, { timeout: 5000 })
        .then(() => row.click({ timeout: 15_000 }))
        .then(() => true, () => false);
      if (done) return;
    }
    throw new Error(`no ${text} behind ${key}`);
  }

  /** Takes a row of the quick pick that is open. */
  async row(text) {
    const rows = this.page.locator(".quick-input-widget:visible .quick-input-list .monaco-list-row");
    await rows.filter({ hasText: text }).first().click();
  }

  command(title) {
    return this.quickly("F1", `>${title}`, title);
  }

  async openFile(name) {
    await this.quickly("Control+P", name, name);
    await this.page.locator(".tab.active").filter({ hasText: name }).waitFor();
  }

  /** Answers a notification: as it comes up, or among those that have gone from the screen already. */
  async notification(text, button) {
    const shown = this.page.locator(".notification-toast, .notifications-center .notification-list-item");
    const found = shown.filter({ hasText: text }).getByRole("button", { name: button, exact: true }).first();
    for (const end = Date.now() + PATIENCE; Date.now() < end; ) {
      if (await found.click({ timeout: 20_000 }).then(() => true, () => false)) return;
      await this.command("Notifications: Show Notifications");
    }
    throw new Error(`no notification ${text}`);
  }

  async dialog(text, button) {
    const box = this.page.locator(".monaco-dialog-box").filter({ hasText: text });
    await box.getByRole("button", { name: button, exact: true }).click();
    await box.waitFor({ state: "detached" });
  }

  /** The lines of the active editor that are on the screen. */
  async text() {
    const lines = await this.page.locator(".editor-instance .view-lines").first().evaluate((element) =>
      [...element.children].map((line) => [Number.parseInt(line.style.top, 10), line.textContent]).sort((a, b) => a[0] - b[0]),
    );
    return lines.map(([, text]) => text.replaceAll("\u00a0", " ")).join("\n");
  }

  async until(what, holds) {
    let last;
    for (const end = Date.now() + PATIENCE; Date.now() < end; ) {
      last = await holds();
      if (last) return last;
      await this.page.waitForTimeout(100);
    }
    throw new Error(`it does not come about: ${what} (${JSON.stringify(last)})`);
  }

  async showChat() {
    await this.command("agls: Open Chat");
    await this.chat.getByRole("textbox", { name: "Prompt" }).waitFor();
  }

  /** Closes the side bar that the chat is in: the user looks at something else. */
  async hideChat() {
    const bar = this.page.locator(".part.auxiliarybar");
    await this.until("the chat is hidden", async () => {
      if (!(await bar.isVisible())) return true;
      await this.page.keyboard.press("Control+Alt+b");
      await this.page.waitForTimeout(500);
      return !(await bar.isVisible());
    });
  }

  /** Writes into a field; again, when the workbench took the focus away meanwhile. */
  async fill(field, text) {
    await this.until(`${text} is written`, async () => {
      await field.fill(text);
      return (await field.inputValue()) === text;
    });
  }

  write(text) {
    return this.fill(this.chat.getByRole("textbox", { name: "Prompt" }), text);
  }

  /** Reads a question to its end, and says yes once. */
  async allow(card) {
    await card.locator(".asked").evaluate((box) => (box.scrollTop = box.scrollHeight));
    await card.getByRole("button", { name: "Allow once" }).click();
  }

  /** Waits until the active editor has changes to judge: then their keys are heard. */
  async reviewable() {
    await this.page.locator('.editor-actions [aria-label^="Compare with before"]').first().waitFor();
  }

  /** Puts the cursor into the line of the active editor that has this text. */
  async clickLine(text) {
    await this.page.locator(".editor-instance .view-line").filter({ hasText: text }).first().click();
    await this.page.locator(".editor-instance .monaco-editor.focused").waitFor();
  }

  async prompt(text) {
    await this.write(text);
    await this.chat.getByRole("button", { name: /^(Send|Queue)$/ }).click();
  }

  close() {
    return this.browser.close();
  }
}
