/** What is written in the prompt and not sent yet, in a file of the folder's own: it is there again after the window was loaded anew. */

import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

export class Draft {
  private text = "";
  private written = "";
  private writing = Promise.resolve();
  private readonly loaded: Promise<void>;

  constructor(
    private readonly file: string,
    private readonly failed: (problem: unknown) => void,
  ) {
    this.loaded = readFile(file, "utf8").then(
      (text) => void (this.text = this.written = text),
      () => undefined, // there is none
    );
  }

  async read(): Promise<string> {
    await this.loaded;
    return this.text;
  }

  /** Keep what is written now; the texts that came while another was being written are skipped. */
  keep(text: string): void {
    this.text = text;
    this.writing = this.writing.then(() => this.write()).catch(this.failed);
  }

  private async write(): Promise<void> {
    const { text } = this;
    if (text === this.written) return;
    this.written = text;
    if (!text) return rm(this.file, { force: true });
    await mkdir(dirname(this.file), { recursive: true });
    await writeFile(this.file, text, { mode: 0o600 });
  }
}
