/** The output of programs, with its colours and nothing else of what a terminal would do. */

import { type Colour, type Run, runsOf } from "../store/colours";
import { readable } from "./visible";

const LONGEST = 64_000; // characters that are shown; the whole is opened in an editor
const BLACK = 0; // what programs call black is the usual colour of a text: black would be lost on dark themes
const NAMES = ["Black", "Red", "Green", "Yellow", "Blue", "Magenta", "Cyan", "White"];

export function OutputText({ text }: { text: string }) {
  const cut = text.length > LONGEST ? text.indexOf("\n", text.length - LONGEST) + 1 : 0; // each line has its own colours
  const shown = cut > 0 ? text.slice(cut) : text.slice(-LONGEST);
  return (
    <>
      {shown.length < text.length && `… ${text.length - shown.length} characters above …\n`}
      {runsOf(shown.replaceAll("\r\n", "\n").split("\n").map(overwritten).join("\n")).map(piece)}
    </>
  );
}

/** A line that was written over (a progress bar) as it stands at the end. */
function overwritten(line: string): string {
  return line.replace(/\r+$/, "").split("\r").at(-1) ?? "";
}

function piece({ text, style }: Run) {
  const words = readable(text);
  const { fg, bg, inverse, ...set } = style;
  const back = inverse ? (fg ?? "var(--vscode-foreground)") : bg;
  const said = inverse ? bg : fg;
  const front = said === BLACK ? undefined : said;
  // Properties of the element and no attribute `style` in a text: the page's policy allows no other.
  const colours: Record<string, string> = {
    ...(front === undefined ? {} : { "--front": cssOf(front) }),
    ...(back === undefined ? {} : { "--back": cssOf(back) }),
  };
  const classes = [...Object.keys(set), ...Object.keys(colours).map((name) => name.slice(2))];
  return classes.length === 0 ? (
    words
  ) : (
    <span class={classes.join(" ")} style={colours}>
      {words}
    </span>
  );
}

function cssOf(colour: Colour): string {
  if (typeof colour === "string") return colour;
  return `var(--vscode-terminal-ansi${colour >= 8 ? "Bright" : ""}${NAMES[colour % 8]})`;
}
