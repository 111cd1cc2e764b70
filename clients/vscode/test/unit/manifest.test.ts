/** What the extension says of itself agrees with what there is. */

import { existsSync, readFileSync } from "node:fs";
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
const { contributes } = JSON.parse(read("package.json")) as {
  contributes: {
    commands: { command: string }[];
    keybindings: { command: string }[];
    configuration: { properties: Record<string, Setting> };
    walkthroughs: { steps: Step[] }[];
  };
};
const commands = contributes.commands.map(({ command }) => command);

test("every setting stands in the README with its default", () => {
  const rows = read("README.md")
    .split("\n")
    .filter((line) => line.startsWith("| `agls."));
  const told = new Map<string, string>();
  for (const row of rows) {
    const [, names = "", value = ""] = row.split("|");
    for (const [, name] of names.matchAll(/`([^`]+)`/g)) if (name) told.set(name, value.trim());
  }
  const settings = Object.entries(contributes.configuration.properties);
  expect([...told.keys()].sort()).toEqual(settings.map(([name]) => name).sort());
  for (const [name, { default: value }] of settings) {
    const shown = typeof value === "string" && value !== "" ? value : JSON.stringify(value);
    expect(told.get(name), name).toBe(`\`${shown}\``);
  }
});

test("what says which program runs is the machine's alone", () => {
  const { properties } = contributes.configuration;
  for (const name of ["agls.server.command", "agls.server.python", "agls.configFile"])
    expect(properties[name]?.scope).toBe("machine");
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
