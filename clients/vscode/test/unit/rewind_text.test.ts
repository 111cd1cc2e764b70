/** The question before something goes back: it names what does, what does not, and that it can be undone. */

import { expect, test } from "vitest";
import { AGAIN, questionOf, RESTORE } from "../../src/session/rewind_text";

const nameOf = (uri: string) => uri.replace("file:///", "");
const file = (name: string) => ({
  uri: `file:///${name}`,
  change: "modified",
  insertions: 2,
  deletions: 1,
});
const none = { files: [], conflicts: [], droppedItemIds: ["a"], lastItemId: "" };

test("conversation and files are named, and each can go back alone", () => {
  const conflicts = [{ uri: "file:///own.py", reason: "It was changed by you since." }];
  const known = { words: "Write the notes\nin two files", ranCommands: true, nameOf, purpose: RESTORE };
  const { detail, choices } = questionOf({ ...none, files: [file("a.py")], conflicts }, known);
  expect(detail.split("\n\n")).toEqual([
    "Conversation: “Write the notes…” and everything after it are removed.",
    "Files to restore: a.py (+2 −1).",
    "Files that stay as they are: own.py (it was changed by you since).",
    "What commands did to other files is not known, and stays.",
    "You can undo this until you send the next prompt.",
  ]);
  expect(Object.values(choices)).toEqual(["both", "conversation", "files"]);
});

test("where no file would change, only the conversation can go back", () => {
  const { detail, choices } = questionOf(none, { words: "Hi", ranCommands: false, nameOf, purpose: RESTORE });
  expect(detail).toContain("Files: none would change.");
  expect(choices).toEqual({ "Restore Conversation": "conversation" });
});

test("of many files the first are named, the others counted", () => {
  const files = Array.from({ length: 30 }, (_, n) => file(`f${n}.py`));
  const { detail } = questionOf(
    { ...none, files },
    { words: "", ranCommands: false, nameOf, purpose: RESTORE },
  );
  expect(detail).toContain("f11.py (+2 −1), 18 more.");
  expect(detail).toContain("“(no text)”");
});

test("a prompt that is sent again takes its files back or keeps them, for good", () => {
  const known = { words: "Hi", ranCommands: false, nameOf, purpose: AGAIN };
  const { detail, choices } = questionOf({ ...none, files: [file("a.py")] }, known);
  expect(detail).toContain("This cannot be undone.");
  expect(choices).toEqual({ "Restore Files and Send": "both", "Keep Files and Send": "conversation" });
});
