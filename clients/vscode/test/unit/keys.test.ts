/** Keys are kept in the editor's secret storage, each for one host. */

import { beforeEach, expect, test, vi } from "vitest";

const answers: unknown[] = [];
const next = () => Promise.resolve(answers.shift());
vi.mock("vscode", () => ({
  window: { showQuickPick: next, showInputBox: next, showInformationMessage: next },
}));
const { Keys } = await import("../../src/server/keys");

const secrets = new Map<string, string>();
const state = new Map<string, unknown>();
const context = {
  secrets: {
    get: (name: string) => Promise.resolve(secrets.get(name)),
    store: (name: string, value: string) => Promise.resolve(void secrets.set(name, value)),
    delete: (name: string) => Promise.resolve(void secrets.delete(name)),
  },
  globalState: {
    get: (name: string, otherwise: unknown) => state.get(name) ?? otherwise,
    update: (name: string, value: unknown) => Promise.resolve(void state.set(name, value)),
  },
};
const keys = new Keys(context as unknown as ConstructorParameters<typeof Keys>[0]);

beforeEach(() => {
  secrets.clear();
  state.clear();
  answers.length = 0;
});

test("a provider's key is given for its host and for no other", async () => {
  answers.push({ label: "Anthropic", description: "api.anthropic.com" }, " sk-1 ");
  expect(await keys.set()).toEqual({ host: "api.anthropic.com", provider: "anthropic" });
  expect(await keys.find({ host: "api.anthropic.com" })).toEqual({ value: "sk-1" });
  for (const host of ["api.openai.com", "anthropic.com", "api.anthropic.com.example", ""])
    expect(await keys.find({ host })).toEqual({});
  expect(JSON.stringify([...state])).not.toContain("sk-1");
});

test("another host is named as people have it: by its address", async () => {
  answers.push({ label: "Another host…", description: "" }, "https://models.example.com:8443/v1", "sk-2");
  expect(await keys.set()).toEqual({ host: "models.example.com", provider: "" });
  expect(await keys.find({ host: "models.example.com" })).toEqual({ value: "sk-2" });
});

test("the host that refused a key is asked for its key, and no list stands before it", async () => {
  answers.push("sk-4");
  expect(await keys.set("models.example.com")).toEqual({ host: "models.example.com", provider: "" });
  expect(await keys.find({ host: "models.example.com" })).toEqual({ value: "sk-4" });
});

test("a key is forgotten; who gives up changes nothing", async () => {
  answers.push({ label: "OpenAI", description: "api.openai.com" }, "sk-3", undefined);
  await keys.set();
  for (const given of [[undefined], [{ label: "OpenAI", description: "api.openai.com" }, undefined]]) {
    answers.splice(0, answers.length, ...given);
    expect(await keys.set()).toBeUndefined();
  }
  answers.splice(0, answers.length, undefined);
  expect(await keys.remove()).toBe(false);
  expect(await keys.find({ host: "api.openai.com" })).toEqual({ value: "sk-3" });
  answers.splice(0, answers.length, "api.openai.com");
  expect(await keys.remove()).toBe(true);
  expect(await keys.find({ host: "api.openai.com" })).toEqual({});
  expect(secrets.size).toBe(0);
});
