// @vitest-environment jsdom
/** The card of the first run, and what an ended run offers. */

import { expect, test } from "vitest";
import { page, root, show } from "./chat_page";
import { App } from "../../src/webview/app";
import { Ending } from "../../src/webview/ending";
import { Model } from "../../src/webview/model";

test("a mistake in the configuration is said in the card, with the way to it, in place of choices", () => {
  const model = new Model(() => undefined);
  const problem = "/home/me/config.toml:2: models.mine.dialect: this must be 'chat' or 'ollama'";
  model.take({ type: "server", state: "ready", problem: "" });
  model.take({ type: "models", models: [], problem, isMistake: true, options: {}, calls: [] });
  show(<App model={model} />);
  const step = root().querySelector("[aria-label='Model']");
  expect(step?.querySelector("[role='alert']")?.textContent).toBe(problem);
  expect(step?.querySelector("select")).toBeNull();
  step?.querySelector("button")?.click();
  expect(page.sent.at(-1)).toEqual({ type: "command", command: "agls.config.open" });
});

test("a refused key leads to the keys, to another model, and to the file that may have it", () => {
  const error = {
    kind: "auth",
    title: "The key was refused",
    message: "Check the key of 'mine'.",
    provider: "models.example.com",
    retryable: false,
  };
  show(<Ending newest ended={{ stopReason: "error", filesChanged: [], error }} />);
  const labels = [...root().querySelectorAll("button")].map((button) => button.textContent);
  expect(labels).toEqual(["Try again", "Set key…", "Choose model…", "Edit config.toml"]);
  root().querySelectorAll("button")[1]?.click();
  expect(page.sent.at(-1)).toEqual({ type: "key", host: "models.example.com" });
});

test("a run that found no place in the context offers a larger model and a new session", () => {
  show(<Ending newest ended={{ stopReason: "contextFull", filesChanged: [] }} />);
  const labels = [...root().querySelectorAll("button")].map((button) => button.textContent);
  expect(labels).toEqual(["Continue", "Choose model…", "New session"]);
});
