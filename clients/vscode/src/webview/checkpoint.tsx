/** The line before each prompt, from which one goes back to it; and the one that says what went back. */

import type { HistoryRewoundData } from "../protocol.gen";
import { counted } from "../store/rows";
import { Button } from "./button";
import { Icon } from "./icon";

interface Props {
  itemId: string;
  idle: boolean;
  /** The prompt below is written anew: it is replaced with all that follows it. */
  edited: boolean;
}

export function Checkpoint({ itemId, idle, edited }: Props) {
  const title = idle ? "Go back to before this prompt…" : "Stop the work first: then you can go back";
  return (
    <div class={edited ? "checkpoint edited" : "checkpoint"} role="group" aria-label="Checkpoint">
      <Icon name="bookmark" />
      <Button class="link" title={title} disabled={!idle} message={{ type: "rewind", itemId }}>
        Restore
      </Button>
    </div>
  );
}

export function Restored({ restored }: { restored: HistoryRewoundData }) {
  const files = new Set(restored.changes.map(({ uri }) => uri)).size;
  const parts = [
    ...(restored.conversation ? ["The conversation went back to here."] : []),
    ...(files > 0 ? [`${counted(files, "file")} ${files === 1 ? "was" : "were"} restored.`] : []),
  ];
  return (
    <section class="item restored" role="status" aria-label="Restored">
      <Icon name="discard" /> {parts.join(" ") || "No file had to go back."}{" "}
      <Button class="link" message={{ type: "command", command: "agls.rewind.undo" }}>
        Undo
      </Button>
    </section>
  );
}
