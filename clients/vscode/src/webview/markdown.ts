/** What a model wrote, as HTML that can do nothing: no markup of its own, no images, no scripts, no strange links. */

import DOMPurify from "dompurify";
import hljs from "highlight.js/lib/common";
import MarkdownIt from "markdown-it";

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: false, highlight });
markdown.disable("image");
const fence = markdown.renderer.rules.fence;
markdown.renderer.rules.fence = (tokens, index, options, env, self) => {
  const code = fence ? fence(tokens, index, options, env, self) : "";
  return `<div class="code"><button type="button" class="copy" aria-label="Copy this code">Copy</button>${code}</div>`;
};
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
  ALLOWED_ATTR: ["href", "class", "start", "type", "aria-label"],
  ALLOW_DATA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i,
};

export function toHtml(text: string): string {
  return DOMPurify.sanitize(markdown.render(visible(text)), ALLOWED);
}

function highlight(code: string, language: string): string {
  if (!hljs.getLanguage(language)) return "";
  return hljs.highlight(code, { language, ignoreIllegals: true }).value;
}

// Characters that are not seen or turn the direction of what is read.
const UNSEEN = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Text in which characters that hide or reorder others can be seen. */
export function visible(text: string): string {
  return text.replace(
    UNSEEN,
    (found) => `⟨U+${found.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
}
