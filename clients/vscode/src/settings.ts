/** What the user set, for settings in which an opened folder has no say. */

import * as vscode from "vscode";

/** The settings that choose a program or widen what the agent may do: `restrictedConfigurations` has all of them. */
export interface UserSettings {
  "server.command": string[];
  "server.python": string;
  configFile: string;
  mode: string;
  model: string;
  effort: string;
  saveBeforeCommand: string;
  inlineCompletion: boolean;
}

/** The user's own value, else the default; never a folder's. */
export function ofUser<Name extends keyof UserSettings>(name: Name): UserSettings[Name] {
  const found = vscode.workspace.getConfiguration("agls").inspect<UserSettings[Name]>(name);
  return (found?.globalValue ?? found?.defaultValue) as UserSettings[Name];
}

/** Set what the conditions of `package.json` (`when`) ask for. */
export function setContext(name: string, value: boolean): void {
  void vscode.commands.executeCommand("setContext", `agls.${name}`, value);
}

/** Modes in which something with an effect runs unasked. */
const WIDENING = ["acceptEdits", "allowAll"];

/** The options of new sessions that the user set. In Restricted Mode, a mode that widens is picked for each session. */
export function optionsOfUser(): Record<string, string> {
  const refused = vscode.workspace.isTrusted ? [] : WIDENING;
  const named = (["mode", "model", "effort"] as const).map((name) => [name, ofUser(name)] as const);
  return Object.fromEntries(named.filter(([, value]) => value && !refused.includes(value)));
}

/** What of the user's settings takes the place of `config.toml`'s, as the server reads it when it begins. */
export function settingsOfUser(): Record<string, unknown> {
  const model = ofUser("model");
  const save = vscode.workspace.getConfiguration("agls").inspect<string>("saveBeforeCommand")?.globalValue;
  return {
    ...(model ? { model } : {}),
    ...(save === undefined ? {} : { shell: { save_before_commands: save } }),
  };
}
