/** A part of the editor between two lines, with words, code and buttons: a thread of VS Code's comments, of which there is one at most. */

import * as vscode from "vscode";

export interface Shown {
  uri: vscode.Uri;
  /** It stands below these lines. */
  range: vscode.Range;
  /** Which of the buttons in `package.json` there are: `commentThread` in their conditions. */
  kind: string;
  title: string;
  /** What the body is. */
  heading: string;
  /** Markdown; nothing of a model's stands in it but in fences. */
  body: string;
}

export class Zone implements vscode.Disposable {
  private readonly controller: vscode.CommentController;
  private thread: vscode.CommentThread | undefined;

  /** `id` is `commentController` in the conditions of the buttons. */
  constructor(id: string) {
    this.controller = vscode.comments.createCommentController(id, "agls");
  }

  show({ uri, range, kind, title, heading, body }: Shown): void {
    if (this.thread && this.thread.uri.toString() !== uri.toString()) this.hide();
    const thread = (this.thread ??= this.controller.createCommentThread(uri, range, []));
    thread.range = range;
    threadText(thread, { kind, title, heading, body });
  }

  hide(): void {
    this.thread?.dispose();
    this.thread = undefined;
  }

  dispose(): void {
    this.controller.dispose();
  }
}

/** Write into a thread, and show all of it. */
export function threadText(
  thread: vscode.CommentThread,
  { kind, title, heading, body }: Omit<Shown, "uri" | "range">,
): void {
  thread.canReply = false;
  thread.contextValue = kind;
  thread.label = title;
  thread.state = vscode.CommentThreadState.Resolved; // nobody is asked to answer: the list of comments stays closed
  thread.comments = [
    { author: { name: heading }, body: new vscode.MarkdownString(body), mode: vscode.CommentMode.Preview },
  ];
  thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
}

/** Code as Markdown shows it to the letter: in a fence that is longer than any in it. */
export function fenced(code: string, language: string): string {
  const ticks = Math.max(2, ...(code.match(/`+/g) ?? []).map((run) => run.length)) + 1;
  return `${"`".repeat(ticks)}${language}\n${code.replace(/\n$/, "")}\n${"`".repeat(ticks)}`;
}

const MOST = 2000; // lines that are shown

/** Lines that are not there any more, with a minus before each. */
export function removed(lines: readonly string[], most = MOST): string {
  if (lines.length === 0) return "";
  const more = lines.length > most ? [`… ${lines.length - most} more`] : [];
  return fenced([...lines.slice(0, most).map((line) => `- ${line}`), ...more].join("\n"), "diff");
}
