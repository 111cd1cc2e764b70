/** The transcript, of which only a window of items is in the page: the end first, more when it is scrolled. */

import { Fragment, type RefObject } from "preact";
import { type MutableRef, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { HistoryRewoundData, RunEndedData } from "../protocol.gen";
import type { Helpers } from "../store/helpers";
import { textOf } from "../store/patch";
import { type Folded, folded, isFolded } from "../store/rows";
import type { AnyItem } from "../store/transcript";
import { Checkpoint, Restored } from "./checkpoint";
import { Ending } from "./ending";
import { FoldedView, ItemView } from "./items";
import { host } from "./model";
import { useReading } from "./words";

type Row = AnyItem | Folded;

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
  /** The items that a question is open about. */
  asked?: ReadonlySet<string>;
  /** How runs ended that came to no end of their own, by their last item. */
  endings?: ReadonlyMap<string, RunEndedData>;
  /** What went back last, while that can be undone. */
  restored?: HistoryRewoundData | undefined;
  /** The prompt that is written anew: it is replaced with all that follows it. */
  edited?: string;
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

/** Keeps the end on the screen while what is there grows, as long as nobody scrolled up. */
function useFollow(scroller: RefObject<HTMLDivElement>, pinned: MutableRef<boolean>): void {
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
}

function has(row: Row, itemId: string): boolean {
  return row.itemId === itemId || (isFolded(row) && row.items.some((item) => item.itemId === itemId));
}

/** The first item of the session that is known, which may stand in a row with others. */
function oldestOf(row: Row | undefined): string | undefined {
  return row && isFolded(row) ? row.items[0]?.itemId : row?.itemId;
}

/** Which items are in the page: more at an edge that is near, and older ones from the extension at the first. */
function useSpan(
  { sessionId, older }: Props,
  items: readonly Row[],
  scroller: RefObject<HTMLDivElement>,
  pinned: MutableRef<boolean>,
): { shown: Span; atEnd: boolean; bring: (below: number) => void } {
  const asked = useRef("");
  const [span, setSpan] = useState<Span>(() => spanAtEnd(items.length));
  const oldest = oldestOf(items[0]);
  const first = useRef(oldest);
  const atEnd = !Number.isFinite(span.end);

  useLayoutEffect(() => {
    pinned.current = true;
    setSpan(spanAtEnd(items.length));
  }, [sessionId]);

  // Older items that were put before the first one: the window stays where it was.
  const known = first.current;
  const added = known === undefined || known === oldest ? 0 : items.findIndex((row) => has(row, known));
  if (added > 0) setSpan({ start: span.start + added, end: span.end + added });
  first.current = oldest;

  const shown = atEnd
    ? { start: Math.min(span.start, Math.max(0, items.length - 1)), end: items.length }
    : span;
  if (atEnd && pinned.current && items.length - span.start > MOST) setSpan(spanAtEnd(items.length));

  const askForOlder = () => {
    if (oldest === undefined || asked.current === oldest) return; // it was asked for, and has not come yet
    asked.current = oldest;
    host.postMessage({ type: "older" });
  };
  const bringAbove = (): boolean => {
    if (!scroller.current || scroller.current.scrollTop >= NEAR) return false;
    if (shown.start > 0) setSpan(moved(span, items.length, "top"));
    else if (older) askForOlder();
    return shown.start > 0 || older;
  };
  useEffect(() => {
    // Who waits at the top for older items cannot scroll up once more; nor can who has nothing to scroll.
    const { scrollHeight = 0, clientHeight = 0 } = scroller.current ?? {}; // 0 while the page is hidden
    if (clientHeight > 0 && (!pinned.current || scrollHeight <= clientHeight)) bringAbove();
  }, [oldest, shown.start, older]);

  const bring = (below: number) => {
    if (!bringAbove() && below < NEAR && !atEnd) setSpan(moved(span, items.length, "bottom"));
  };
  return { shown, atEnd, bring };
}

/** The items without the helpers that the row of their call tells about. */
function withoutTold(items: AnyItem[], helpers: Helpers = {}): AnyItem[] {
  const told = new Set(Object.values(helpers).flatMap((mine) => Object.keys(mine)));
  return told.size === 0 ? items : items.filter((item) => !told.has(textOf(item["childSessionId"])));
}

export function Timeline(props: Props) {
  const { older, idle, helpers, asked, endings, restored, edited } = props;
  const { words } = useReading();
  const isApart = (itemId: string) => asked?.has(itemId) === true || endings?.has(itemId) === true;
  const items: Row[] = folded(withoutTold(props.items, helpers), words, isApart);
  const scroller = useRef<HTMLDivElement>(null);
  const pinned = useRef(true);
  const top = useRef(0);
  const { shown, atEnd, bring } = useSpan(props, items, scroller, pinned);
  useHold(scroller, pinned, top, items[shown.start]?.itemId);
  useFollow(scroller, pinned);

  const onScroll = () => {
    const element = scroller.current;
    if (!element) return;
    const below = element.scrollHeight - element.scrollTop - element.clientHeight;
    // Only who scrolls up leaves the end: it also moves away by itself, when something is added.
    if (below < PINNED) pinned.current = atEnd;
    else if (element.scrollTop < top.current) pinned.current = false;
    top.current = element.scrollTop;
    bring(below);
  };

  return (
    <div
      class="timeline"
      ref={scroller}
      onScroll={onScroll}
      role="region"
      aria-label="Conversation"
      tabIndex={0}
    >
      <div class="items">
        {(older || shown.start > 0) && <div class="faint center">Scroll up for earlier messages</div>}
        {items.slice(shown.start, shown.end).map((item) => {
          if (isFolded(item)) return <FoldedView key={item.itemId} row={item} />;
          const ended = endings?.get(item.itemId);
          const newest = idle && item === items.at(-1);
          return (
            <Fragment key={item.itemId}>
              {item.kind === "userMessage" && (
                <Checkpoint itemId={item.itemId} idle={idle} edited={item.itemId === edited} />
              )}
              <ItemView
                item={item}
                helpers={helpers?.[item.itemId]}
                asked={asked?.has(item.itemId) ?? false}
              />
              {ended && <Ending ended={ended} newest={newest} />}
            </Fragment>
          );
        })}
        {restored && atEnd && <Restored restored={restored} />}
      </div>
    </div>
  );
}
