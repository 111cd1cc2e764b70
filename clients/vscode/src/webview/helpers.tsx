/** What the helpers of a call do, and what they did. */

import { endOf, statusOf } from "../store/ends";
import type { Helper, HelperCall, Helpers } from "../store/helpers";
import { counted, rowOf, type Words } from "../store/rows";
import { Mark } from "./mark";
import { visible } from "./visible";
import { useReading } from "./words";

interface Props {
  helpers: Helpers[string];
  /** The call they work for goes on. */
  live: boolean;
}

export function HelperList({ helpers, live }: Props) {
  const { words } = useReading();
  return (
    <ul class="helpers" aria-label="Helpers">
      {Object.entries(helpers).map(([sessionId, helper]) => (
        <li key={sessionId}>
          <details>
            <summary>
              <b>{visible([helper.name, helper.task].filter(Boolean).join(" · "))}</b>
              <span class="title">{visible(live ? doing(helper, words) : "")}</span>
              <span class="faint">{stateOf(helper, live)}</span>
            </summary>
            <ul class="calls" aria-label="What it did">
              {helper.calls.map((call) => (
                <li key={call.itemId}>
                  <Mark status={call.status} /> {visible(inWords(call, words))}{" "}
                  <span class="unseen">{statusOf(call.status)}</span>
                </li>
              ))}
            </ul>
          </details>
        </li>
      ))}
    </ul>
  );
}

/** What a helper does now, "" when it has ended or only thinks. */
export function doing({ state, calls }: Helper, words: Words): string {
  const last = calls.at(-1);
  return state === "running" && last ? inWords(last, words) : "";
}

function inWords(call: HelperCall, words: Words): string {
  const { verb, about, file } = rowOf(call, words);
  return [verb, file || about].filter(Boolean).join(" ");
}

function stateOf({ state, calls }: Helper, live: boolean): string {
  const label = visible(endOf(state));
  if (live) return label;
  return `${counted(calls.length, "call")}, ${state === "running" ? "cut off" : label}`;
}
