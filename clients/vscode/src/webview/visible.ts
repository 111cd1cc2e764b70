/** Texts of others for the page: what readers would overlook in them is spelled out. */

import { HIDDEN } from "./hidden.gen";

const ALL = new RegExp(HIDDEN, "gu");
const OF_WRITING = /^[\p{Zs}\u00ad\u200c\u200d]$/u; // spaces of any width, soft hyphens, what joins letters and emoji

/** Return the text with every hidden character spelled out: of commands, names and questions. */
export function visible(text: string): string {
  return text.replace(ALL, spelled);
}

/** Return the same for prose and output, where the characters that ordinary writing needs stay as they are. */
export function readable(text: string): string {
  return text.replace(ALL, (found) => (OF_WRITING.test(found) ? found : spelled(found)));
}

function spelled(character: string): string {
  return `⟨U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
