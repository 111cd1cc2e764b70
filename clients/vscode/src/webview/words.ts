/** The words of the server for calls, and what is known of their times: every row reads them. */

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Words } from "../store/rows";

export interface Reading {
  words: Words;
  /** How long a call took, in milliseconds, where that was seen. */
  took: Readonly<Record<string, number>>;
}

const NOTHING: Reading = { words: new Map(), took: {} };
const context = createContext<Reading>(NOTHING);

export const ReadingProvider = context.Provider;

export function useReading(): Reading {
  return useContext(context);
}
