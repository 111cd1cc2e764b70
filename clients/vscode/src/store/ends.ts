/** How a run or a call ended, in words for people. Pure. */

const RUNS: Record<string, string> = {
  endTurn: "done",
  cancelled: "stopped",
  interrupted: "interrupted",
  error: "failed",
  maxTokens: "the answer was too long",
  maxTurns: "turn limit reached",
  budget: "budget used up",
  contextFull: "context full",
  refusal: "the model refused",
  timeout: "time limit reached",
  guard: "it made no progress",
  killed: "stopped",
};
const CALLS: Record<string, string> = {
  pending: "not begun",
  running: "running",
  completed: "done",
  failed: "failed",
  rejected: "not allowed",
  cancelled: "stopped",
};

/** How an item stands that goes on. */
export const LIVE = new Set(["running", "pending"]);

export function endOf(stopReason: string): string {
  return RUNS[stopReason] ?? stopReason;
}

/** The same as a sentence for who does not look at the chat. */
export function sentenceOf(stopReason: string): string {
  if (stopReason === "endTurn") return "agls is done.";
  return stopReason === "cancelled" ? "agls was stopped." : `agls stopped: ${endOf(stopReason)}.`;
}

export function statusOf(status: string): string {
  return CALLS[status] ?? status;
}
