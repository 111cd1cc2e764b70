/** The output of programs, with its colours and nothing else of what a terminal would do. */

import { AnsiUp } from "ansi_up";
import DOMPurify from "dompurify";
import { readable } from "./visible";

const LONGEST = 64_000; // characters that are shown; the whole is opened in an editor

export function outputHtml(text: string): string {
  const shown =
    text.length > LONGEST ? `… ${text.length - LONGEST} characters above …\n${text.slice(-LONGEST)}` : text;
  const up = new AnsiUp();
  up.use_classes = true;
  up.escape_html = true;
  up.url_allowlist = {};
  const lines = shown.replaceAll("\r\n", "\n").split("\n").map(overwritten).join("\n");
  return DOMPurify.sanitize(readable(up.ansi_to_html(lines)), {
    ALLOWED_TAGS: ["span"],
    ALLOWED_ATTR: ["class"],
  });
}

/** A line that was written over (a progress bar) as it stands at the end. */
function overwritten(line: string): string {
  return line.replace(/\r+$/, "").split("\r").at(-1) ?? "";
}
