/** A change of one file, as a diff that can be read here and opened in the editor. */

import type { Change } from "../protocol.gen";
import { baseName } from "../store/patch";
import { visible } from "./visible";
import { Button } from "./button";
import { rowsOf, statOf } from "./patch";

const MOST = 400; // rows; the rest is in the diff editor
const SIGNS = { add: "+", del: "-", same: " ", hunk: "" };

export function DiffView({ change, itemId, index }: { change: Change; itemId: string; index: number }) {
  const name = decodeURIComponent(baseName(change.uri));
  const shown = change.cells ?? change.patch; // of a notebook its cells, not the lines of its file
  const { added, removed } = statOf(shown);
  return (
    <div class="change">
      <div class="file">
        <Button class="link" title={change.uri} message={{ type: "open", uri: change.uri }}>
          {visible(name)}
        </Button>
        <span class="faint">{change.change === "modified" ? "" : change.change}</span>
        <span class="added">+{added}</span>
        <span class="removed">−{removed}</span>
        <Button class="end" message={{ type: "diff", itemId, index }}>
          Open diff
        </Button>
      </div>
      <PatchView patch={shown} />
    </div>
  );
}

/** `most` rows are shown; what is to be allowed is shown whole. */
export function PatchView({ patch, most = MOST }: { patch: string; most?: number }) {
  const rows = rowsOf(patch);
  return (
    <pre class="diff" tabIndex={0} aria-label="Diff">
      {rows.slice(0, most).map((row) => (
        <div class={row.kind}>
          <span class="number" aria-hidden="true">
            {row.new ?? row.old ?? ""}
          </span>
          <span class="sign">{SIGNS[row.kind]}</span>
          <span class="line">{visible(row.text) || " "}</span>
        </div>
      ))}
      {rows.length > most && <div class="faint">… {rows.length - most} more lines</div>}
    </pre>
  );
}
