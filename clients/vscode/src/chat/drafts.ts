/**
 * What is written in prompts and not sent yet, in files of the folder's own: it is there again after the window was
 * loaded anew. A session has one, and so has each chat that is in no session yet; that of the side bar is its window's.
 */

import { readdirSync, renameSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Disposable } from "vscode";

/** Of this window's side bar. Another window on the folder may be open, and has its own. */
export const WINDOW = `window-${process.pid}`;
const LEFT = "left"; // behind the name of a window's draft: nobody has it any more

export class Drafts implements Disposable {
  private readonly texts = new Map<string, string>();
  private readonly written = new Map<string, string>();
  private writing = Promise.resolve();

  constructor(
    private readonly folder: string,
    private readonly failed: (problem: unknown) => void,
  ) {}

  async read(name: string): Promise<string> {
    if (name === WINDOW && !this.texts.has(name)) this.inherit();
    const found = this.texts.has(name) ? "" : await readFile(this.file(name), "utf8").catch(() => "");
    if (!this.texts.has(name)) {
      this.texts.set(name, found);
      this.written.set(name, found);
    }
    return this.texts.get(name) ?? "";
  }

  /** Keep what is written now; the texts that came while another was being written are skipped. */
  keep(name: string, text: string): void {
    this.texts.set(name, text);
    this.writing = this.writing.then(() => this.write(name)).catch(this.failed);
  }

  /** What is written for one is written for another now. */
  move(from: string, to: string): void {
    this.keep(to, this.texts.get(from) ?? "");
    this.keep(from, "");
  }

  /** The window is left: who opens the folder next goes on with what is written. */
  dispose(): void {
    try {
      renameSync(this.file(WINDOW), `${this.file(WINDOW)}.${LEFT}`);
    } catch {
      // nothing is written
    }
  }

  /** Take over what a window left that is closed. */
  private inherit(): void {
    try {
      const names = readdirSync(this.folder).filter((name) => name.startsWith("window-"));
      const left = names.find((name) => name.endsWith(`.${LEFT}`) || !isAlive(name));
      if (left) renameSync(join(this.folder, left), this.file(WINDOW));
    } catch {
      // there is no folder yet, or another window was quicker
    }
  }

  private async write(name: string): Promise<void> {
    const text = this.texts.get(name) ?? "";
    if (text === (this.written.get(name) ?? "")) return;
    this.written.set(name, text);
    if (!text) return rm(this.file(name), { force: true });
    await mkdir(this.folder, { recursive: true });
    await writeFile(this.file(name), text, { mode: 0o600 });
  }

  private file(name: string): string {
    return join(this.folder, encodeURIComponent(name));
  }
}

function isAlive(name: string): boolean {
  try {
    process.kill(Number(name.replace(/^window-/, "")), 0);
    return true;
  } catch {
    return false;
  }
}
