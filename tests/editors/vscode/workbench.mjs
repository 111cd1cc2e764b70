// The workbench in a real browser, used as a user would.
// Environment: CHROMIUM, what scripts/editors/chromium prints. playwright-core is the extension's.

import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");
const { chromium } = createRequire(path.join(ROOT, "clients/vscode/x.js"))("playwright-core");
const PATIENCE = Number(process.env.PATIENCE ?? 120_000); // milliseconds for anything that must happen
const FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"];

export async function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM, headless: true, args: FLAGS });
}

export class Workbench {
  static async open(server, viewport = { width: 1400, height: 900 }) {
    const browser = await launch();
    const context = await browser.newContext({ viewport });
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.origin });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    page.on("dialog", (dialog) => void dialog.accept().catch(() => undefined)); // "leave the page?" on a reload
    await page.goto(server.url);
    const workbench = new Workbench(browser, page);
    await workbench.shown();
    return workbench;
  }

  constructor(browser, page) {
    this.browser = browser;
    this.page = page;
  }

  async shown() {
    await this.page.locator(".monaco-workbench").waitFor();
    await this.page.locator('.statusbar-item[aria-label^="aglet"]').waitFor(); // the extension is active
  }

  /** What is inside the extension's chat: a frame in a frame. */
  get chat() {
    return this.page.frameLocator('iframe.webview[src*="extensionId=aglet.aglet" i]').frameLocator("iframe#active-frame");
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

  async notification(text, button) {
    const toast = this.page.locator(".notification-toast").filter({ hasText: text });
    await toast.getByRole("button", { name: button, exact: true }).click();
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
    await this.command("aglet: Open Chat");
    await this.chat.getByRole("textbox", { name: "Prompt" }).waitFor();
  }

  async prompt(text) {
    const input = this.chat.getByRole("textbox", { name: "Prompt" });
    await input.fill(text);
    await input.press("Enter");
  }

  close() {
    return this.browser.close();
  }
}
