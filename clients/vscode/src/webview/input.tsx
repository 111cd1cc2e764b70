/** The arguments of a call: long texts as they read, all else as JSON. */

import { textOf } from "../store/patch";
import { readable, visible } from "./visible";

export function Input({ input }: { input: Record<string, unknown> }) {
  const isLong = ([, value]: [string, unknown]) => textOf(value).includes("\n");
  const texts = Object.entries(input).filter(isLong);
  const rest = Object.fromEntries(Object.entries(input).filter((member) => !isLong(member)));
  return (
    <>
      {texts.map(([name, text]) => (
        <>
          <div class="faint">{visible(name)}</div>
          <Text label={visible(name)} text={readable(textOf(text))} />
        </>
      ))}
      {Object.keys(rest).length > 0 && (
        <Text label="Arguments" text={visible(JSON.stringify(rest, null, 2))} />
      )}
    </>
  );
}

/** A long one is scrolled, by keys too. */
function Text({ label, text }: { label: string; text: string }) {
  return (
    <pre class="input" tabIndex={0} aria-label={label}>
      {text}
    </pre>
  );
}
