// @vitest-environment jsdom
/** Files that are dropped into the prompt. */

import { expect, test } from "vitest";
import { root, show } from "./chat_page";
import { App } from "../../src/webview/app";
import { Model } from "../../src/webview/model";

test("a file from outside that is no image is not ignored in silence", () => {
  const model = new Model(() => undefined);
  show(<App model={model} />);
  const dropped = (name: string, type: string) => {
    const files = [new File(["x"], name, { type })];
    const event = new Event("drop", { bubbles: true, cancelable: true });
    Object.assign(event, { dataTransfer: { files, getData: () => "" } });
    root().querySelector(".composer")?.dispatchEvent(event);
    show(<App model={model} />);
    return root().querySelector(".failed")?.textContent ?? "";
  };
  expect(dropped("a.png", "image/png")).toBe("");
  expect(dropped("notes.txt", "text/plain")).toContain("notes.txt is no image.");
});
