/** The environment that the extension makes for the server, from the wheels that it brings. */

import { spawn } from "node:child_process";
import { access, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { ofUser } from "../settings";
import { isProgram, python, WINDOWS } from "./programs";

const DONE = "installed.txt"; // written last: an environment without it is half made
const NO_PYTHON =
  "agls needs Python 3.11 or newer (with venv), and none was found. Install one, or name it in the setting agls.server.python.";

export class Environment {
  /** What it does now, "" when it does nothing. */
  progress = "";
  private readonly reported = new vscode.EventEmitter<string>();
  readonly onProgress = this.reported.event;
  private cancel: vscode.CancellationTokenSource | undefined;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** The server's program in it, "" when it was not made, or not to its end. */
  async program(): Promise<string> {
    const finished = await access(join(this.home, DONE)).then(
      () => true,
      () => false,
    );
    const program = this.inside("agls");
    return finished && (await isProgram(program)) ? program : "";
  }

  /** Make it anew; a notification shows how far it is, unless that `isShown`. Returns whether it is there; what went wrong was shown. */
  async make(isShown: boolean): Promise<boolean> {
    const found = await python(ofUser("server.python"));
    if (!found) {
      void vscode.window.showErrorMessage(NO_PYTHON, "Open Settings").then((chosen) => {
        if (chosen)
          void vscode.commands.executeCommand("workbench.action.openSettings", "agls.server.python");
      });
      return false;
    }
    const cancel = (this.cancel = new vscode.CancellationTokenSource());
    if (isShown) return this.made(found, () => undefined, cancel.token);
    const options = { location: vscode.ProgressLocation.Notification, title: "agls", cancellable: true };
    return vscode.window.withProgress(options, (progress, cancelled) => {
      cancelled.onCancellationRequested(() => cancel.cancel());
      return this.made(found, (message) => progress.report({ message }), cancel.token);
    });
  }

  /** Give up what is being made. */
  stop(): void {
    this.cancel?.cancel();
  }

  private async made(
    found: string,
    report: (message: string) => void,
    cancelled: vscode.CancellationToken,
  ): Promise<boolean> {
    const say = (message: string) => {
      report(message);
      this.tell(`${message.charAt(0).toUpperCase()}${message.slice(1)}`);
    };
    try {
      await this.build(found, say, cancelled);
      return true;
    } catch (problem) {
      if (!cancelled.isCancellationRequested) this.report(problem);
      return false;
    } finally {
      this.tell("");
    }
  }

  /** One for each version: a new extension brings a new server. */
  private get home(): string {
    const version = String((this.context.extension.packageJSON as { version: unknown }).version);
    return join(this.context.globalStorageUri.fsPath, `server-${version}`);
  }

  private inside(program: string): string {
    return WINDOWS ? join(this.home, "Scripts", `${program}.exe`) : join(this.home, "bin", program);
  }

  private async build(
    found: string,
    say: (message: string) => void,
    cancelled: vscode.CancellationToken,
  ): Promise<void> {
    const brought = join(this.context.extensionPath, "server");
    const names = await readdir(brought).catch((): string[] => []);
    const wheel = names.find((name) => name.startsWith("agls-") && name.endsWith(".whl"));
    if (!wheel) throw new Error("the extension brings no server; install it from a packaged .vsix");
    await rm(this.home, { recursive: true, force: true });
    await mkdir(this.context.globalStorageUri.fsPath, { recursive: true });
    say(`making an environment with ${found}…`);
    await this.run(found, ["-I", "-m", "venv", this.home], cancelled);

    const install = (...args: string[]) =>
      this.run(this.inside("python"), ["-I", "-m", "pip", "--disable-pip-version-check", ...args], cancelled);
    const needed = ["--require-hashes", "--only-binary", ":all:", "-r", join(brought, "requirements.txt")];
    const wheels = ["--find-links", join(brought, "wheels")];
    say("installing what it needs…");
    await install("install", "--no-index", ...wheels, ...needed).catch(async (problem: unknown) => {
      if (cancelled.isCancellationRequested) throw problem;
      this.log.info(`not all of it is part of this package (${String(problem)}); asking the package index`);
      say("downloading what is missing…");
      await install("install", ...wheels, ...needed);
    });
    say("installing the server…");
    await install("install", "--no-index", "--no-deps", join(brought, wheel));
    await writeFile(join(this.home, DONE), `${wheel}\n`);
    await this.removeOld();
  }

  private async removeOld(): Promise<void> {
    const storage = this.context.globalStorageUri.fsPath;
    for (const name of await readdir(storage)) {
      const folder = join(storage, name);
      if (name.startsWith("server-") && folder !== this.home)
        await rm(folder, { recursive: true, force: true });
    }
  }

  /** Run a program to its end; what it writes goes to the log. Fails with its last words. */
  private run(program: string, args: string[], cancelled: vscode.CancellationToken): Promise<void> {
    this.log.info([program, ...args].join(" "));
    return new Promise((resolve, reject) => {
      if (cancelled.isCancellationRequested) return reject(new Error("it was cancelled"));
      const child = spawn(program, args, {
        cwd: this.context.globalStorageUri.fsPath, // not the opened folder: nothing of it is imported
        stdio: ["ignore", "pipe", "pipe"],
      });
      const stop = cancelled.onCancellationRequested(() => child.kill());
      let last = "";
      const receive = (data: Buffer) => {
        last = data.toString().trim() || last;
        this.log.info(data.toString().trimEnd());
      };
      child.stdout.on("data", receive);
      child.stderr.on("data", receive);
      child.on("error", reject);
      child.on("close", (code) => {
        stop.dispose();
        if (code === 0) resolve();
        else reject(new Error(last || `${program} ended with ${code}`));
      });
    });
  }

  private tell(progress: string): void {
    this.progress = progress;
    this.reported.fire(progress);
  }

  private report(problem: unknown): void {
    this.log.error(`the server could not be set up: ${String(problem)}`);
    void vscode.window
      .showErrorMessage("agls: the server could not be set up. The log says why.", "Show the Log")
      .then((chosen) => chosen && this.log.show());
  }
}
