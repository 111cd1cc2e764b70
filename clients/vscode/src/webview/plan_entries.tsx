/** The entries of a plan, each with how far it is. */

import type { PlanItemEntry } from "../protocol.gen";
import { Icon } from "./icon";
import { visible } from "./visible";

const STATES: Record<string, [icon: string, label: string]> = {
  pending: ["circle-large", "not begun"],
  inProgress: ["circle-filled", "in progress"],
  done: ["pass-filled", "done"],
  cancelled: ["circle-slash", "cancelled"],
};

interface PlanEntriesProps {
  entries: readonly PlanItemEntry[];
  label: string;
}

export function PlanEntries({ entries, label }: PlanEntriesProps) {
  return (
    <ol class="plan-entries" aria-label={label}>
      {entries.map(({ id, text, state }) => {
        const [icon, label] = STATES[state] ?? ["circle-large", state];
        return (
          <li key={id} class={state}>
            <Icon name={icon} /> <span>{visible(text)}</span> <span class="unseen">{label}</span>
          </li>
        );
      })}
    </ol>
  );
}
