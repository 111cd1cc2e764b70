/** The open questions of the agent: asked by the server, answered in the chat or in a notification. */

import type { CancellationToken } from "vscode";
import type {
  AskUserAnswer,
  AskUserParams,
  PermissionAnswer,
  PermissionParams,
  Question,
} from "../protocol.gen";
import type { Json } from "../store/patch";

type Answer = PermissionAnswer | AskUserAnswer;
type Asked = PermissionParams | AskUserParams;

interface Open {
  asked: Asked;
  /** The arguments of the call that is asked about, when they are known. */
  input?: Json;
  settle: (answer: Answer) => void;
}

/** A question of another session than the one that is shown, of a helper most likely. */
export interface Elsewhere extends Question {
  from: string;
  input?: Json | undefined;
}

export class Questions {
  private readonly open = new Map<string, Open>();

  constructor(
    private readonly announce: (asked: Asked) => void,
    private readonly changed: () => void,
    private readonly inputOf: (asked: PermissionParams) => Promise<Json | undefined>,
  ) {}

  get size(): number {
    return this.open.size;
  }

  /** The server asks; returns the user's answer. A question that is withdrawn is dismissed. */
  ask(asked: Asked, withdrawn: CancellationToken): Promise<Answer> {
    return new Promise((resolve) => {
      const settle = (answer: Answer) => {
        if (this.open.get(asked.requestId)?.settle === settle) this.open.delete(asked.requestId);
        resolve(answer);
        this.changed();
      };
      const open: Open = { asked, settle };
      this.open.set(asked.requestId, open);
      if ("options" in asked) void this.readInput(open, asked);
      withdrawn.onCancellationRequested(() =>
        settle({ outcome: "options" in asked ? "dismissed" : "cancel" }),
      );
      this.announce(asked);
      this.changed();
    });
  }

  /** Answer a question; returns whether it was still open here. */
  answer(requestId: string, answer: Answer): boolean {
    const open = this.open.get(requestId);
    open?.settle(answer);
    return open !== undefined;
  }

  /** The server that asked is gone, and its questions with it. */
  forget(): void {
    if (this.open.size === 0) return;
    this.open.clear();
    this.changed();
  }

  /** The question with this id, whoever asks it. */
  find(requestId: string): Question | undefined {
    const open = this.open.get(requestId);
    return open && questionOf(open.asked);
  }

  isOpen(requestId: string): boolean {
    return this.open.has(requestId);
  }

  /** The sessions that ask. */
  get sessions(): string[] {
    return [...this.open.values()].map(({ asked }) => asked.sessionId);
  }

  /** What these sessions ask; one that is shown has its own questions in its transcript. */
  elsewhere(isMeant: (sessionId: string) => boolean): Elsewhere[] {
    return [...this.open.values()]
      .filter(({ asked }) => isMeant(asked.sessionId))
      .map(({ asked, input }) => ({ ...questionOf(asked), from: asked.agentId, input }));
  }

  /** What is asked about may be edited by who knows all of it. */
  private async readInput(open: Open, asked: PermissionParams): Promise<void> {
    const input = await this.inputOf(asked).catch(() => undefined);
    if (!input) return;
    open.input = input;
    this.changed();
  }
}

function questionOf(asked: Asked): Question {
  if ("options" in asked) return asked;
  const { requestId, schema } = asked as AskUserParams;
  return { requestId, kind: "form", title: (asked as AskUserParams).message, schema };
}
