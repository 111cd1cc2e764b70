/** A button that tells the extension one thing. */

import type { ButtonHTMLAttributes } from "preact";
import type { FromChat } from "../chat/messages";
import { host } from "./model";

type Props = { says: FromChat } & Omit<ButtonHTMLAttributes, "type" | "onClick">;

export function Button({ says, ...attributes }: Props) {
  return <button type="button" {...attributes} onClick={() => host.postMessage(says)} />;
}
