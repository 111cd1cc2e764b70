/** What a tool was called with. */

import { textOf } from "../store/patch";
import { readable, visible } from "./visible";

/** The arguments of a call: long texts as they read, all else as JSON. */
export function Input({ input }: { input: Record<string, unknown> }) {
  const isLong = ([, value]: [string, unknown]) => textOf(value).includes("\n");
  const texts = Object.entries(input).filter(isLong);
  const rest = Object.fromEntries(Object.entries(input).filter((member) => !isLong(member)));
  return (
    <>
      {texts.map(([name, text]) => (
        <>
          <div class="faint">{visible(name)}</div>
          <Given text={readable(textOf(text))} />
        </>
      ))}
      {Object.keys(rest).length > 0 && <Given text={visible(JSON.stringify(rest, null, 2))} />}
    </>
  );
}

/** Where it is long it is scrolled, by keys too. */
function Given({ text }: { text: string }) {
  return (
    <pre class="input" tabIndex={0} aria-label="Argument">
      {text}
    </pre>
  );
}
