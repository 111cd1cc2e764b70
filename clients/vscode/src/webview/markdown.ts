/** What a model wrote, as HTML that can do nothing: no markup of its own, no images, no scripts, no strange links. */

import DOMPurify from "dompurify";

import MarkdownIt from "markdown-it";
import { hljs } from "./languages";
import { readable } from "./visible";

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: false, highlight });
markdown.disable("image");
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false }); // greet.py is a file, not a host in Paraguay
const SHELLS = /^(sh|bash|zsh|fish|shell|console|shellsession|powershell|pwsh|ps1|bat|cmd)$/i;
const button = (kind: string, text: string, label: string) =>
  `<button type="button" class="${kind}" aria-label="${label}">${text}</button>`;
const fence = markdown.renderer.rules.fence;
const indented = markdown.renderer.rules.code_block;
// What is scrolled can be scrolled with keys.
const scrolled = (code: string) => code.replace("<pre", '<pre tabindex="0" role="group" aria-label="Code"');
markdown.renderer.rules.fence = (tokens, index, options, env, self) => {
  const code = fence ? fence(tokens, index, options, env, self) : "";
  const { info = "", content = "" } = tokens[index] ?? {};
  const isCommand = SHELLS.test(info.trim()) && !content.trim().includes("\n");
  const does = [
    button("copy", "Copy", "Copy this code"),
    button("insert", "Insert", "Insert this code at the cursor of the editor"),
    ...(isCommand
      ? [button("terminal", "Terminal", "Write this command into the terminal, for you to run")]
      : []),
  ];
  return `<div class="code"><div class="does">${does.join("")}</div>${scrolled(code)}</div>`;
};
markdown.renderer.rules.code_block = (...given) => scrolled(indented ? indented(...given) : "");
// A table that is wider than the chat is scrolled by itself: the page stays as wide as it is.
markdown.renderer.rules["table_open"] = () =>
  '<div class="table" role="group" aria-label="Table" tabindex="0"><table>\n';
markdown.renderer.rules["table_close"] = () => "</table></div>\n";
for (const cell of ["th_open", "td_open"]) {
  markdown.renderer.rules[cell] = (tokens, index, options, _env, self) => {
    const token = tokens[index];
    const [, side] = /text-align:(right|center)/.exec(token?.attrGet("style") ?? "") ?? [];
    if (token) token.attrs = side ? [["class", side]] : null; // the page's policy takes no style of an element
    return self.renderToken(tokens, index, options);
  };
}

const ALLOWED = {
  ALLOWED_TAGS: (
    "a b strong em i s del code pre p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote " +
    "table thead tbody tr th td span div button"
  ).split(" "),
  ALLOWED_ATTR: ["href", "class", "start", "type", "role", "aria-label", "tabindex"],
  ALLOW_DATA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i,
};

export function toHtml(text: string): string {
  return DOMPurify.sanitize(markdown.render(readable(text)), ALLOWED);
}

function highlight(code: string, language: string): string {
  if (!hljs.getLanguage(language)) return "";
  return hljs.highlight(code, { language, ignoreIllegals: true }).value;
}
