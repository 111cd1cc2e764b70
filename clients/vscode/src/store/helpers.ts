/** Who works for a call of the session, in a session of their own, and what they did there. */

import type { Event } from "../protocol.gen";
import { isObject, textOf } from "./patch";
import type { AnyItem } from "./transcript";

/** A call of a helper, with what its row reads: long texts of its arguments are left out. */
export type HelperCall = AnyItem;

const LONGEST = 500; // characters of an argument that a row may name

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
  const call = brief(item);
  const known = helper.calls.some(({ itemId }) => itemId === call.itemId);
  const calls = known
    ? helper.calls.map((other) => (other.itemId === call.itemId ? call : other))
    : [...helper.calls, call];
  return { ...helper, calls };
}

function brief({ itemId, kind, status, name, title, input, terminal }: AnyItem): HelperCall {
  const isShort = ([, value]: [string, unknown]) => typeof value === "string" && value.length <= LONGEST;
  const named = Object.fromEntries(Object.entries(isObject(input) ? input : {}).filter(isShort));
  const ran = isObject(terminal) ? { terminal: { command: terminal["command"] } } : {};
  return { itemId, kind, status, name, title, input: named, ...ran };
}
