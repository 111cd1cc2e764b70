/** Who works for a call of the session, in a session of their own, and what they did there. */

import type { Event } from "../protocol.gen";
import { isObject, textOf } from "./patch";
import type { AnyItem } from "./transcript";

export interface HelperCall {
  itemId: string;
  title: string;
  status: string;
}

export interface Helper {
  name: string;
  /** What its piece of the work is called. */
  task: string;
  /** `running`, or why its last run ended. */
  state: string;
  /** In the order in which they began. */
  calls: readonly HelperCall[];
}

/** The helpers of each call, by their session. */
export type Helpers = Readonly<Record<string, Readonly<Record<string, Helper>>>>;

/** The types of events that say what a helper did. */
export const SUMMARIZED = ["sessionInfo", "runStarted", "runEnded", "itemStarted", "itemCompleted"];

/** The helper after one more event of its session; the same object when nothing is new. */
export function after(helper: Helper, { type, data }: Event): Helper {
  switch (type) {
    case "sessionInfo":
      return { ...helper, task: textOf(data["title"]) };
    case "runStarted":
      return { ...helper, state: "running" };
    case "runEnded":
      return { ...helper, state: String(data["stopReason"]) };
    case "itemStarted":
    case "itemCompleted":
      return called(helper, data["item"] as AnyItem);
    default:
      return helper;
  }
}

function called(helper: Helper, item: AnyItem): Helper {
  if (item.kind !== "toolCall") return helper;
  const { itemId, status } = item;
  const call = { itemId, status, title: titleOf(item) };
  const known = helper.calls.some((other) => other.itemId === itemId);
  const calls = known
    ? helper.calls.map((other) => (other.itemId === itemId ? call : other))
    : [...helper.calls, call];
  return { ...helper, calls };
}

/** What was done: the command that ran, which may be another one than was asked for. */
function titleOf(item: AnyItem): string {
  const name = textOf(item["name"]);
  const terminal = item["terminal"];
  const ran = isObject(terminal) ? textOf(terminal["command"]) : "";
  return ran ? `${name} ${ran}` : textOf(item["title"], name);
}
