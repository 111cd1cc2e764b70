/** The recorded runs of the protocol fold to the same state here as in the server's reference fold. */

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Event } from "../../src/protocol.gen";
import { Transcript } from "../../src/store/transcript";

const FOLDER = join(__dirname, "../../../../protocol/agls_protocol/golden");
const names = readdirSync(FOLDER).flatMap((file) => (file.endsWith(".jsonl") ? [file.slice(0, -6)] : []));

interface Line {
  message?: { method?: string; params?: { events?: Event[] }; result?: { events?: Event[] } };
  type?: string;
  v?: number;
}

function eventsOf(name: string): Event[] {
  const lines = readFileSync(join(FOLDER, `${name}.jsonl`), "utf8")
    .trimEnd()
    .split("\n");
  return lines.flatMap((text) => {
    const line = JSON.parse(text) as Line;
    if (line.type !== undefined) return "data" in line ? [line as unknown as Event] : [];
    const message = line.message ?? {};
    if (message.method === "agent/event") return message.params?.events ?? [];
    return message.result?.events ?? [];
  });
}

function view(transcript: Transcript): unknown {
  const { seq, state, items, requests, runs, info, options, queue } = transcript;
  return { seq, state, items: [...items.values()], requests, runs, info, options, queue };
}

describe("golden transcripts", () => {
  test("there are some, and they hold events", () => {
    expect(names.length).toBeGreaterThan(8);
    for (const name of names) expect(eventsOf(name).length, name).toBeGreaterThan(5);
  });

  test.each(names)("%s folds to the view beside it", (name) => {
    const transcript = new Transcript();
    for (const event of eventsOf(name)) transcript.take(event);
    expect(view(transcript)).toEqual(JSON.parse(readFileSync(join(FOLDER, `${name}.view.json`), "utf8")));
    expect([...transcript.incomplete]).toEqual([]);
  });

  test.each(names)("%s folds to the same without anything that is only shown", (name) => {
    const [all, facts] = [new Transcript(), new Transcript()];
    for (const event of eventsOf(name)) {
      all.take(event);
      if (event.seq !== undefined) facts.take(event);
    }
    const done = (t: Transcript) => [...t.items.values()].filter((item) => item.status !== "running");
    expect(
      done(facts)
        .map((item) => item.itemId)
        .sort(),
    ).toEqual(
      done(all)
        .map((item) => item.itemId)
        .sort(),
    );
    for (const item of done(facts)) expect(item).toEqual(all.items.get(item.itemId));
  });

  test.each(names)("%s folds to the same when every delta arrives twice", (name) => {
    const [once, twice] = [new Transcript(), new Transcript()];
    for (const event of eventsOf(name)) {
      once.take(event);
      twice.take(event);
      if (event.type === "itemDelta") twice.take(event);
    }
    expect(view(twice)).toEqual(view(once));
  });
});
