/** Which models there are, what keeps a run from beginning, and the ways to have a model. */

import { access } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import * as vscode from "vscode";
import type { Model } from "../chat/messages";
import type {
  CallWords,
  ProviderListResult,
  ProviderModelsParams,
  ProviderModelsResult,
  ProviderUseParams,
} from "../protocol.gen";
import type { Server } from "../server/server";
import { setContext } from "../settings";

const NEW_FILE = `# The models of agls. The server reads this file again before the next run.
#
# model = "mine"
#
# [models.mine]
# base_url = "https://api.example.com/v1"
# model = "its name there"
#
# Its key: the command "agls: Set Provider Key…" of the editor, or api_key_env = "A_VARIABLE" here.
`;

const PAUSE = 5000; // milliseconds after which it is asked again whether there is a model, as long as there is none

export class Models implements vscode.Disposable {
  models: Model[] = [];
  /** Why no run could begin, "" when one could. */
  problem = "";
  /** The configuration with the mistake that the problem is about, "" where it is about none. */
  problemFile = "";
  /** The words for calls of tools. */
  calls: CallWords[] = [];
  /** The server was asked, since it was started. */
  known = false;
  private configFile = "";
  private again: NodeJS.Timeout | undefined;
  private watcher: vscode.FileSystemWatcher | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onChange = this.changed.event;
  private readonly watching: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly failed: (problem: unknown) => void,
  ) {
    this.watching = vscode.Disposable.from(
      server.onState((state) => {
        this.known = false;
        clearTimeout(this.again);
        if (state === "ready") this.look();
      }),
      vscode.window.onDidChangeWindowState(({ focused }) => focused && this.problem && this.look()),
    );
  }

  async refresh(): Promise<void> {
    try {
      const status = await this.server.request("agent/status", {});
      const { models, problem = "", problemFile = "", configFile = "", calls = [] } = status;
      Object.assign(this, { models, problem, problemFile, calls });
      setContext("hasModel", problem === "");
      this.follow(configFile && vscode.Uri.parse(configFile).fsPath);
      clearTimeout(this.again);
      // A model server may be started meanwhile, or the file be written where the editor is slow to see it.
      if (this.problem && vscode.window.state.focused) this.again = setTimeout(() => this.look(), PAUSE);
    } finally {
      this.known = true;
      this.changed.fire();
    }
  }

  /** Work with a model that no file names, by the name its provider has for it: `anthropic/…`. */
  async use(name: string): Promise<void> {
    const settings = vscode.workspace.getConfiguration("agls");
    await settings.update("model", name, vscode.ConfigurationTarget.Global);
  }

  /** Where models can be had: providers, and model servers of this machine. */
  offered(): Promise<ProviderListResult> {
    return this.server.request("agent/provider/list", {});
  }

  /** The models of a provider, or of another server; asked now. */
  listed(source: ProviderModelsParams): Promise<ProviderModelsResult> {
    return this.server.request("agent/provider/models", source);
  }

  /** Write a model into the user's settings, as the one that is used where no other is chosen. */
  async choose(chosen: ProviderUseParams): Promise<void> {
    await this.server.request("agent/provider/use", chosen);
    await this.refresh();
  }

  /** Open the line with the mistake, else the user's `config.toml`; where there is none yet, one to write and save. */
  async openConfig(): Promise<void> {
    if (this.problemFile) return this.openMistake(vscode.Uri.parse(this.problemFile));
    const path = this.configFile || join(homedir(), ".config", "agls", "config.toml");
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    const uri = vscode.Uri.file(path);
    const document = await vscode.workspace.openTextDocument(
      isThere ? uri : uri.with({ scheme: "untitled" }),
    );
    const editor = await vscode.window.showTextDocument(document);
    if (!isThere && document.getText() === "")
      await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), NEW_FILE));
  }

  private async openMistake(file: vscode.Uri): Promise<void> {
    const [, line = "1"] = /^:(\d+):/.exec(this.problem.replace(file.fsPath, "")) ?? [];
    const at = new vscode.Position(Number(line) - 1, 0);
    await vscode.window.showTextDocument(file, { selection: new vscode.Range(at, at) });
  }

  dispose(): void {
    clearTimeout(this.again);
    this.watching.dispose();
    this.watcher?.dispose();
    this.changed.dispose();
  }

  private look(): void {
    void this.refresh().catch(this.failed);
  }

  /** The server reads the file again by itself; what is shown of it is asked for when it has changed. */
  private follow(path: string): void {
    if (path === this.configFile) return;
    this.configFile = path;
    this.watcher?.dispose();
    if (!path) return;
    const pattern = new vscode.RelativePattern(vscode.Uri.file(dirname(path)), basename(path));
    this.watcher = vscode.workspace.createFileSystemWatcher(pattern);
    for (const event of [this.watcher.onDidChange, this.watcher.onDidCreate, this.watcher.onDidDelete])
      event(() => this.look());
  }
}
