/** Keys of providers in the editor's secret storage, each for one host; the server asks with `agent/secret`. */

import * as vscode from "vscode";
import type { SecretAnswer, SecretParams } from "../protocol.gen";
import { hostOf } from "./hosts";

const KEPT = "agls.hosts"; // for which hosts: the storage itself cannot be listed
const OTHER = "Another host…";
// `name`: what the server calls it, before the slash of a model's name.
const PROVIDERS = [
  { label: "OpenAI", description: "api.openai.com", name: "openai" },
  { label: "Anthropic", description: "api.anthropic.com", name: "anthropic" },
  { label: "Gemini", description: "generativelanguage.googleapis.com", name: "gemini" },
  { label: "OpenRouter", description: "openrouter.ai", name: "openrouter" },
  { label: "DeepSeek", description: "api.deepseek.com", name: "deepseek" },
  { label: "Mistral", description: "api.mistral.ai", name: "mistral" },
  { label: "xAI", description: "api.x.ai", name: "xai" },
  { label: "Groq", description: "api.groq.com", name: "groq" },
];

/** A key that is kept now: for which host, and of which provider, "" for one that the server does not know. */
export interface Stored {
  host: string;
  provider: string;
}

export class Keys {
  constructor(private readonly context: vscode.ExtensionContext) {}

  /** Answer the server: the key for this host, and nothing for any other. */
  async find({ host }: SecretParams): Promise<SecretAnswer> {
    const value = await this.context.secrets.get(nameOf(host));
    return value ? { value } : {};
  }

  /** Ask for a key of this host, or of one that the user names, and keep it; `undefined` when they gave up. */
  async set(given = ""): Promise<Stored | undefined> {
    const host = given || (await this.ask());
    if (!host) return undefined;
    const value = await vscode.window.showInputBox({
      prompt: `The key for ${host}: kept in the editor's secret storage, sent to that host only`,
      password: true,
      ignoreFocusOut: true,
    });
    if (!value?.trim()) return undefined;
    await this.store(host, value);
    void vscode.window.showInformationMessage(
      `The key for ${host} is stored. It is used from the next prompt on.`,
    );
    return { host, provider: PROVIDERS.find(({ description }) => description === host)?.name ?? "" };
  }

  /** Keep this key for this host. */
  async store(host: string, value: string): Promise<void> {
    await this.context.secrets.store(nameOf(host), value.trim());
    await this.remember([...new Set([...this.hosts, host])]);
  }

  /** Forget a key that the user chooses. Returns whether it was done. */
  async remove(): Promise<boolean> {
    const { hosts } = this;
    const placeHolder = hosts.length > 0 ? "Forget the key for which host?" : "No key is kept";
    const host = await vscode.window.showQuickPick([...hosts], { placeHolder });
    if (!host) return false;
    await this.context.secrets.delete(nameOf(host));
    await this.remember(hosts.filter((other) => other !== host));
    return true;
  }

  private get hosts(): readonly string[] {
    return this.context.globalState.get<string[]>(KEPT, []);
  }

  private async ask(): Promise<string> {
    const known = new Set(PROVIDERS.map(({ description }) => description));
    const kept = this.hosts
      .filter((host) => !known.has(host))
      .map((label) => ({ label, description: label }));
    const rows = [...PROVIDERS, ...kept, { label: OTHER, description: "" }];
    const chosen = await vscode.window.showQuickPick(rows, { placeHolder: "The key of which provider?" });
    if (!chosen || chosen.description) return chosen?.description ?? "";
    const given = await vscode.window.showInputBox({
      prompt: "The host, or the address, as base_url of [models.NAME] in config.toml has it",
      ignoreFocusOut: true,
      validateInput: (text) => (hostOf(text) ? undefined : "A host's name, like api.example.com"),
    });
    return hostOf(given ?? "");
  }

  private async remember(hosts: readonly string[]): Promise<void> {
    await this.context.globalState.update(KEPT, hosts);
  }
}

function nameOf(host: string): string {
  return `agls.key:${host}`;
}
