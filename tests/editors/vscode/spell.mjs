// Spells the hidden characters of texts out, as the chat's page does: a JSON list on standard input, another on standard output.
//   node spell.mjs FILE      (the page's list, src/webview/hidden.gen.ts, as a module of JavaScript)

import fs from "node:fs";
import { pathToFileURL } from "node:url";

const { HIDDEN } = await import(pathToFileURL(process.argv[2]).href);
const spelled = (found) => `⟨U+${found.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
const texts = JSON.parse(fs.readFileSync(0, "utf8"));
console.log(JSON.stringify(texts.map((text) => text.replace(new RegExp(HIDDEN, "gu"), spelled))));
