/** The open questions of the agent: asked by the server, answered in the chat or in a notification. */

import type { CancellationToken } from "vscode";
import type { AskUserAnswer, AskUserParams, PermissionAnswer, PermissionParams } from "../protocol.gen";

type Answer = PermissionAnswer | AskUserAnswer;
type Asked = (PermissionParams | AskUserParams) & { kind?: string };

export class Questions {
  private readonly open = new Map<string, (answer: Answer) => void>();

  constructor(private readonly announce: (asked: Asked) => void) {}

  /** The server asks; gives the user's answer. A question that is withdrawn is dismissed. */
  ask(asked: Asked, withdrawn: CancellationToken): Promise<Answer> {
    return new Promise((resolve) => {
      const settle = (answer: Answer) => {
        this.open.delete(asked.requestId);
        resolve(answer);
      };
      this.open.set(asked.requestId, settle);
      withdrawn.onCancellationRequested(() =>
        settle({ outcome: "options" in asked ? "dismissed" : "cancel" }),
      );
      this.announce(asked);
    });
  }

  /** Answer a question; gives whether it was still open here. */
  answer(requestId: string, answer: Answer): boolean {
    const settle = this.open.get(requestId);
    settle?.(answer);
    return settle !== undefined;
  }

  isOpen(requestId: string): boolean {
    return this.open.has(requestId);
  }
}
