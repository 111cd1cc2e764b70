/** What a permission is asked for, as the server wrote it for reading, and whether all of it was on the screen. */

import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { MARGIN } from "../session/permission_text";
import { PatchView } from "./diff";

const SLACK = 2; // pixels: heights are rounded

/** The text, line by line: nothing of it is left out, decoded or rendered as anything but text. */
export function QuestionText({ text, patches }: { text: string; patches: boolean }) {
  const blocks = blocksOf(text);
  return (
    <>
      {blocks.map(({ quoted, lines }, place) => {
        if (!quoted) return <Ours lines={lines} rule={ruleAfter(blocks, place)} />;
        if (place > 0 && ruleAfter(blocks, place - 1) !== undefined) return null; // it stands in that line
        if (patches && lines.some((line) => line.startsWith("@@ ")))
          return <PatchView patch={lines.join("\n")} most={Infinity} />;
        return <pre class="command">{lines.join("\n")}</pre>;
      })}
    </>
  );
}

/** Lines of the server's own; the last one goes on with the rule that it tells of. */
function Ours({ lines, rule }: { lines: readonly string[]; rule: string | undefined }) {
  return (
    <>
      {lines.map((line, place) => (
        <p class="faint">
          {line}
          {rule !== undefined && place === lines.length - 1 && (
            <>
              {" "}
              <code class="rule">{rule}</code>
            </>
          )}
        </p>
      ))}
    </>
  );
}

/** The rule of one line behind the block at `place`, where this tells of one: it needs no box. */
function ruleAfter(blocks: readonly Block[], place: number): string | undefined {
  const [block, next] = [blocks[place], blocks[place + 1]];
  const tells = block?.quoted === false && block.lines.at(-1)?.endsWith(" adds the rule:");
  return tells && next?.lines.length === 1 ? next.lines[0] : undefined;
}

interface Block {
  quoted: boolean;
  lines: string[];
}

function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  for (const line of text.split("\n")) {
    const quoted = line.startsWith(MARGIN.trimEnd());
    const last = blocks.at(-1);
    const shown = quoted ? line.slice(MARGIN.length) : line;
    if (last?.quoted === quoted) last.lines.push(shown);
    else if (line !== "") blocks.push({ quoted, lines: [shown] });
  }
  return blocks;
}

/** A box that scrolls by itself, and whether its end was on the screen since `text` stands in it. */
export function useRead(text: string): { box: RefObject<HTMLDivElement>; read: boolean; look: () => void } {
  const box = useRef<HTMLDivElement>(null);
  const [read, setRead] = useState("");
  const look = () => {
    const element = box.current;
    if (!element) return;
    const below = element.scrollHeight - element.scrollTop - element.clientHeight;
    if (below <= SLACK) setRead(text);
  };
  useLayoutEffect(look);
  useLayoutEffect(() => {
    const resized = new ResizeObserver(look);
    if (box.current) resized.observe(box.current);
    return () => resized.disconnect();
  });
  return { box, read: read === text, look };
}

interface BoxProps {
  box: RefObject<HTMLDivElement>;
  look: () => void;
  children: ComponentChildren;
}

export function QuestionBox({ box, look, children }: BoxProps) {
  return (
    <div class="asked" ref={box} onScroll={look} tabIndex={0} role="group" aria-label="What is asked">
      {children}
    </div>
  );
}
