/** What the extension says of itself agrees with what there is. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CHAT_COMMANDS } from "../../src/chat/messages";

const ROOT = join(__dirname, "../..");
const read = (name: string) => readFileSync(join(ROOT, name), "utf8");

interface Setting {
  default: unknown;
  scope: string;
}
interface Step {
  id: string;
  description: string;
  media: { markdown: string };
}
const { capabilities, contributes } = JSON.parse(read("package.json")) as {
  capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
  contributes: {
    commands: { command: string }[];
    keybindings: { command: string }[];
    configuration: { properties: Record<string, Setting> };
    walkthroughs: { steps: Step[] }[];
  };
};
const commands = contributes.commands.map(({ command }) => command);
const restrictedNames = () =>
  capabilities.untrustedWorkspaces.restrictedConfigurations.map((name) => name.replace(/^agls\./, ""));

test("every setting stands in the README with its default", () => {
  const rows = read("README.md")
    .split("\n")
    .filter((line) => line.startsWith("| `agls."));
  const listed = new Map<string, string>();
  for (const row of rows) {
    const [, names = "", value = ""] = row.split("|");
    for (const [, name] of names.matchAll(/`([^`]+)`/g)) if (name) listed.set(name, value.trim());
  }
  const settings = Object.entries(contributes.configuration.properties);
  expect([...listed.keys()].sort()).toEqual(settings.map(([name]) => name).sort());
  for (const [name, { default: value }] of settings) {
    const shown = typeof value === "string" && value !== "" ? value : JSON.stringify(value);
    expect(listed.get(name), name).toBe(`\`${shown}\``);
  }
});

// A folder may say this much: what is offered with a prompt is seen there before it is sent.
const HARMLESS = [
  "agls.context.activeFile",
  "agls.context.diagnostics",
  "agls.context.openTabs",
  "agls.review.codeLens",
  "agls.review.removedLines",
  "agls.notify",
];

test("a folder can set only what is harmless; all else is the user's, in Restricted Mode too", () => {
  const { properties } = contributes.configuration;
  const restricted = capabilities.untrustedWorkspaces.restrictedConfigurations;
  const open = Object.keys(properties).filter((name) => !HARMLESS.includes(name));
  for (const name of open) expect(["machine", "application"], name).toContain(properties[name]?.scope);
  expect([...restricted].sort()).toEqual(open.sort());
});

test("settings that widen are read in one place, which takes no value of a folder", () => {
  const sources = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" });
  const names = restrictedNames();
  for (const source of sources.filter((name) => name.endsWith(".ts") && name !== "settings.ts")) {
    for (const [, name = ""] of read(join("src", source)).matchAll(/\.get(?:<[^(]*>)?\(\s*"([\w.]+)"/g))
      expect(names, `${source} reads ${name}`).not.toContain(name);
  }
});

test("keys, buttons of the chat and the walkthrough lead to commands that there are", () => {
  expect(commands).toEqual(expect.arrayContaining(contributes.keybindings.map(({ command }) => command)));
  expect(commands).toEqual(expect.arrayContaining([...CHAT_COMMANDS]));
  const steps = contributes.walkthroughs.flatMap((walkthrough) => walkthrough.steps);
  expect(steps.map(({ id }) => id)).toEqual(["server", "model", "prompt", "review"]);
  for (const { description, media } of steps) {
    for (const [, command] of description.matchAll(/\(command:([\w.]+)\)/g))
      expect(commands).toContain(command);
    expect(existsSync(join(ROOT, media.markdown))).toBe(true);
  }
});
