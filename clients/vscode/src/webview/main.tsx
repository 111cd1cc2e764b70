/** The chat's page: receives messages of the extension, draws, and answers to clicks in what was rendered from Markdown. */

import { render } from "preact";
import type { ToChat } from "../chat/messages";
import { App } from "./app";
import { keepFocus, whenFocused } from "./focus";
import { host, Model } from "./model";
import "@vscode/codicons/dist/codicon.css";
import "./base.css";
import "./setup.css";
import "./transcript.css";
import "./bottom.css";
import "./colours.css";

/** The cursor goes where the user goes on: to the question that waits, else to the prompt. */
function placeCursor(): void {
  root.querySelector<HTMLElement>(".card .asked, .card input, .composer textarea")?.focus();
}

/** What can be done with a block of code. */
const DOES = ["copy", "insert", "terminal"] as const;

const root = document.getElementById("chat") as HTMLElement;
const model = new Model(() => render(<App model={model} />, root));

window.addEventListener("message", (event: MessageEvent<ToChat>) => {
  model.take(event.data);
  if (event.data.type === "focus") requestAnimationFrame(() => whenFocused(placeCursor));
});
document.addEventListener("click", (event) => {
  const target = event.target as HTMLElement;
  const link = target.closest("a");
  if (link) {
    event.preventDefault();
    host.postMessage({ type: "link", href: link.getAttribute("href") ?? "" });
  }
  const does = target.closest<HTMLElement>(".code > .does > button");
  const kind = DOES.find((name) => does?.classList.contains(name));
  if (kind)
    host.postMessage({ type: kind, text: does?.closest(".code")?.querySelector("code")?.textContent ?? "" });
});
// The editor does not say in a condition of a key that this page has the focus.
document.addEventListener("keydown", ({ altKey, ctrlKey, key }) => {
  if (altKey && !ctrlKey && key === "]" && model.changes.changes > 0)
    host.postMessage({ type: "command", command: "agls.review.next" });
});
window.addEventListener("focus", () => host.postMessage({ type: "entered" }));
keepFocus(root, placeCursor);
render(<App model={model} />, root);
host.postMessage({ type: "ready" });
