/** The colours of a command's output (SGR, ECMA-48) as runs of text in one style each. Pure. */

/** A colour: one of the 16 that the theme has, or red, green and blue. */
export type Colour = number | string;

export interface Style {
  fg?: Colour;
  bg?: Colour;
  bold?: true;
  faint?: true;
  italic?: true;
  underlined?: true;
  inverse?: true;
}

export interface Run {
  text: string;
  style: Style;
}

const CODE = /\x1b\[([0-9;]*)m/g;
const ON: Record<number, Style> = {
  1: { bold: true },
  2: { faint: true },
  3: { italic: true },
  4: { underlined: true },
  7: { inverse: true },
};
const OFF: Record<number, (keyof Style)[]> = {
  22: ["bold", "faint"],
  23: ["italic"],
  24: ["underlined"],
  27: ["inverse"],
  39: ["fg"],
  49: ["bg"],
};

/** The output in colours, if it is the same output; else as it is, in none. */
export function shownOutput(output: string, coloured: string | null | undefined): string {
  return coloured && coloured.replace(CODE, "") === output ? coloured : output;
}

export function runsOf(text: string): Run[] {
  const runs: Run[] = [];
  let style: Style = {};
  let at = 0;
  for (const found of text.matchAll(CODE)) {
    if (found.index > at) runs.push({ text: text.slice(at, found.index), style });
    style = after(style, (found[1] ?? "").split(";").map(Number));
    at = found.index + found[0].length;
  }
  if (at < text.length) runs.push({ text: text.slice(at), style });
  return runs;
}

function after(before: Style, numbers: number[]): Style {
  let style = before;
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at] ?? 0;
    const kind = number === 38 ? "fg" : number === 48 ? "bg" : undefined;
    if (kind) {
      const long = numbers[at + 1] === 2;
      style = { ...style, [kind]: colourOf(numbers.slice(at + 1, at + (long ? 5 : 3))) };
      at += long ? 4 : 2;
    } else style = set(style, number);
  }
  return style;
}

function set(style: Style, number: number): Style {
  if (number === 0) return {};
  const off = OFF[number];
  if (off)
    return Object.fromEntries(Object.entries(style).filter(([name]) => !off.includes(name as keyof Style)));
  const tens = Math.floor(number / 10);
  const bright = tens >= 9 ? 8 : 0;
  if ([3, 9].includes(tens)) return { ...style, fg: bright + (number % 10) };
  if ([4, 10].includes(tens) && number >= 40) return { ...style, bg: bright + (number % 10) };
  return { ...style, ...ON[number] };
}

/** `2;R;G;B`, or `5;N`: the 16 of the theme, a cube of 6 shades each, and 24 greys. */
function colourOf([kind, first = 0, green = 0, blue = 0]: number[]): Colour {
  if (kind === 2) return rgb(first, green, blue);
  if (first < 16) return first;
  if (first >= 232) return rgb(...([0, 0, 0].map(() => 8 + 10 * (first - 232)) as [number, number, number]));
  const shade = (step: number) => (step === 0 ? 0 : 55 + 40 * step);
  const index = first - 16;
  return rgb(shade(Math.floor(index / 36)), shade(Math.floor(index / 6) % 6), shade(index % 6));
}

function rgb(...parts: [number, number, number]): string {
  return `rgb(${parts.map((part) => Math.min(255, part)).join(", ")})`;
}
