/** The transcript, of which only a window of items is in the page: the end first, more when it is scrolled. */

import { Fragment, type RefObject } from "preact";
import { type MutableRef, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RunEndedData } from "../protocol.gen";
import type { Helpers } from "../store/helpers";
import type { AnyItem } from "../store/transcript";
import { Ending } from "./ending";
import { ItemView } from "./items";
import { host } from "./model";

const STEP = 40; // items that come into the page at once
const MOST = 160; // items in the page
const NEAR = 600; // pixels from an edge at which more is brought
const PINNED = 30; // pixels from the end that count as the end

/** Which items are in the page; `end` is `Infinity` while the end is followed. */
export interface Span {
  start: number;
  end: number;
}

export function spanAtEnd(count: number): Span {
  return { start: Math.max(0, count - 2 * STEP), end: Infinity };
}

/** The window after a scroll that came near an edge. */
export function moved(span: Span, count: number, edge: "top" | "bottom"): Span {
  const end = Math.min(span.end, count);
  if (edge === "top") {
    const start = Math.max(0, span.start - STEP);
    const last = Math.min(end, start + MOST);
    return { start, end: last >= count ? Infinity : last };
  }
  const last = end + STEP;
  return last >= count
    ? { start: Math.max(span.start, count - MOST), end: Infinity }
    : { start: Math.max(span.start, last - MOST), end: last };
}

/** An item on the screen, and where it stands there. */
interface Place {
  item: Element;
  top: number;
}

/** The first item that is seen, not the line above the items. */
function placeOf(scroller: HTMLElement): Place | undefined {
  const { top } = scroller.getBoundingClientRect();
  for (const item of scroller.querySelectorAll(".items > .item")) {
    const box = item.getBoundingClientRect();
    if (box.bottom > top) return { item, top: box.top };
  }
  return undefined;
}

interface Props {
  sessionId: string;
  items: AnyItem[];
  older: boolean;
  idle: boolean;
  helpers?: Helpers | undefined;
  /** How runs ended that came to no end of their own, by their last item. */
  endings?: ReadonlyMap<string, RunEndedData>;
}

/** Holds what is read where it stands when items come or go before it; at the end, the end is held. */
function useHold(
  scroller: RefObject<HTMLDivElement>,
  pinned: MutableRef<boolean>,
  top: MutableRef<number>,
  first: string | undefined,
): void {
  const drawn = useRef<string>();
  const read = useRef<Place>();
  if (scroller.current && !pinned.current && drawn.current !== first)
    read.current = placeOf(scroller.current);
  useLayoutEffect(() => {
    const element = scroller.current;
    drawn.current = first;
    if (!element) return;
    if (pinned.current) element.scrollTop = element.scrollHeight;
    else if (read.current?.item.isConnected)
      element.scrollTop += read.current.item.getBoundingClientRect().top - read.current.top;
    if (read.current) top.current = element.scrollTop;
    read.current = undefined;
  });
}

export function Timeline({ sessionId, items, older, idle, helpers, endings }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const pinned = useRef(true);
  const asked = useRef("");
  const top = useRef(0);
  const [span, setSpan] = useState<Span>(() => spanAtEnd(items.length));
  const first = useRef(items[0]?.itemId);

  useLayoutEffect(() => {
    pinned.current = true;
    setSpan(spanAtEnd(items.length));
  }, [sessionId]);

  // Older items that were put before the first one: the window stays where it was.
  const added = first.current === undefined ? 0 : items.findIndex((item) => item.itemId === first.current);
  if (added > 0) setSpan({ start: span.start + added, end: span.end + added });
  first.current = items[0]?.itemId;

  const shown = Number.isFinite(span.end)
    ? span
    : { start: Math.min(span.start, Math.max(0, items.length - 1)), end: items.length };
  if (!Number.isFinite(span.end) && pinned.current && items.length - span.start > MOST)
    setSpan(spanAtEnd(items.length));

  useHold(scroller, pinned, top, items[shown.start]?.itemId);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const follow = new ResizeObserver(() => {
      if (pinned.current) element.scrollTop = element.scrollHeight;
    });
    follow.observe(element);
    for (const child of element.children) follow.observe(child);
    return () => follow.disconnect();
  }, []);

  const onScroll = () => {
    const element = scroller.current;
    if (!element) return;
    const below = element.scrollHeight - element.scrollTop - element.clientHeight;
    // Only who scrolls up leaves the end: it also moves away by itself, when something is added.
    if (below < PINNED) pinned.current = !Number.isFinite(span.end);
    else if (element.scrollTop < top.current) pinned.current = false;
    top.current = element.scrollTop;
    if (element.scrollTop < NEAR && shown.start > 0) {
      setSpan(moved(span, items.length, "top"));
    } else if (element.scrollTop < NEAR && older) {
      askForOlder();
    } else if (below < NEAR && Number.isFinite(span.end)) {
      setSpan(moved(span, items.length, "bottom"));
    }
  };
  const askForOlder = () => {
    const oldest = items[0]?.itemId ?? "";
    if (asked.current === oldest) return; // it was asked for, and has not come yet
    asked.current = oldest;
    host.postMessage({ type: "older" });
  };

  return (
    <div
      class="timeline"
      ref={scroller}
      onScroll={onScroll}
      role="feed"
      aria-label="Conversation"
      tabIndex={0}
    >
      <div class="items">
        {(older || shown.start > 0) && <div class="faint center">Scroll up for what was said before</div>}
        {items.slice(shown.start, shown.end).map((item) => {
          const ended = endings?.get(item.itemId);
          const newest = idle && item === items.at(-1);
          return (
            <Fragment key={item.itemId}>
              <ItemView item={item} idle={idle} helpers={helpers?.[item.itemId]} />
              {ended && <Ending ended={ended} newest={newest} />}
            </Fragment>
          );
        })}
      </div>
    </div>
  );
}
