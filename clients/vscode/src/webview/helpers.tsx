/** What the helpers of a call do, and what they did. */

import { endOf, statusOf } from "../store/ends";
import type { Helper, Helpers } from "../store/helpers";
import { visible } from "./visible";
import { Mark } from "./mark";

interface Props {
  helpers: Helpers[string];
  /** The call they work for goes on. */
  live: boolean;
}

export function HelperList({ helpers, live }: Props) {
  return (
    <ul class="helpers" aria-label="Helpers">
      {Object.entries(helpers).map(([sessionId, helper]) => (
        <li key={sessionId}>
          <details>
            <summary>
              <b>{visible([helper.name, helper.task].filter(Boolean).join(" · "))}</b>
              <span class="title">{visible(live ? doing(helper) : "")}</span>
              <span class="faint">{stateOf(helper, live)}</span>
            </summary>
            <ul class="calls" aria-label="What it did">
              {helper.calls.map(({ itemId, title, status }) => (
                <li key={itemId}>
                  <Mark status={status} /> {visible(title)} <span class="unseen">{statusOf(status)}</span>
                </li>
              ))}
            </ul>
          </details>
        </li>
      ))}
    </ul>
  );
}

function doing({ state, calls }: Helper): string {
  return state === "running" ? (calls.at(-1)?.title ?? "") : "";
}

function stateOf({ state, calls }: Helper, live: boolean): string {
  const label = visible(endOf(state));
  if (live) return label;
  return `${calls.length} ${calls.length === 1 ? "call" : "calls"}, ${state === "running" ? "cut off" : label}`;
}
