/** A button that sends the extension one message. */

import type { ButtonHTMLAttributes } from "preact";
import type { FromChat } from "../chat/messages";
import { host } from "./model";

type Props = { message: FromChat } & Omit<ButtonHTMLAttributes, "type" | "onClick">;

export function Button({ message, ...attributes }: Props) {
  return <button type="button" {...attributes} onClick={() => host.postMessage(message)} />;
}
