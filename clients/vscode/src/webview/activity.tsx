/** What it does now: the last line of its thoughts or the call that goes on, and for how long. */

import { useEffect, useState } from "preact/hooks";
import { LIVE } from "../store/ends";
import { duration, rowOf, thoughtOf } from "../store/rows";
import { Icon } from "./icon";
import type { Model } from "./model";
import { visible } from "./visible";

const SECOND = 1000; // milliseconds

export function Activity({ model }: { model: Model }) {
  const { transcript: known } = model;
  const [, tick] = useState(0);
  const works = known.state === "running";
  useEffect(() => {
    if (!works) return undefined;
    const timer = setInterval(() => tick((count) => count + 1), SECOND);
    return () => clearInterval(timer);
  }, [works]);
  if (!works) return null;
  if (known.retrying) return <Retrying {...known.retrying} />;
  const passed = known.begun === undefined ? 0 : Date.now() - known.begun;
  return (
    <div class="activity" aria-hidden="true">
      <Icon name="loading" spins />
      <span class="now">{visible(nowOf(model))}</span>
      {passed >= SECOND && <span class="faint">{seconds(passed)}</span>}
    </div>
  );
}

/** The model could not be asked, and will be once more: why, and when. */
function Retrying({ until, cause }: { until: number; cause: string }) {
  const left = Math.ceil((until - Date.now()) / SECOND);
  return (
    <div class="activity retrying">
      <Icon name="watch" />
      <span class="why">
        <b aria-live="off">{left > 0 ? `Trying again in ${left} s` : "Trying again"}</b> · {visible(cause)}
      </span>
    </div>
  );
}

function seconds(passed: number): string {
  return passed < 10 * SECOND ? `${Math.floor(passed / SECOND)} s` : duration(passed);
}

function nowOf({ transcript: known, reading }: Model): string {
  const items = [...known.items.values()];
  const last = items.at(-1);
  const call = items.findLast((item) => item.kind === "toolCall" && LIVE.has(item.status));
  if (call) {
    const { verb, about } = rowOf(call, reading.words);
    return `${verb} ${about}`;
  }
  if (last?.kind === "message" && LIVE.has(last.status)) return "Writing";
  return thoughtOf(last) || "Thinking";
}
