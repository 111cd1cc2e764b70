/** An earlier prompt that the user writes anew: nothing goes back before the new words are sent. */

import type { Attachments } from "../context/attachments";
import type { Content } from "../protocol.gen";
import type { Conversation } from "../session/conversation";
import type { Rewind } from "../session/rewind";
import { wordsOf } from "../store/transcript";

export class EditedPrompt {
  /** The prompt that is written anew, "" for none. */
  itemId = "";
  private sessionId = "";

  constructor(
    private readonly conversation: Conversation,
    private readonly attachments: Attachments,
    private readonly rewind: Rewind,
    private readonly changed: () => void,
  ) {
    conversation.onReplaced(() => {
      if (this.sessionId !== conversation.sessionId) this.end(); // another session is in front of the user
    });
  }

  /** Its words as they were sent. */
  get text(): string {
    return wordsOf(this.content);
  }

  /** Begin: what was attached to it is attached again, and what is chosen now waits meanwhile. */
  begin(itemId: string): void {
    this.end();
    this.itemId = itemId;
    this.sessionId = this.conversation.sessionId;
    this.attachments.setAside(this.content.filter((block) => isAttached(block, this.text)));
    this.changed();
  }

  end(): void {
    if (!this.itemId) return;
    this.itemId = "";
    this.attachments.bringBack();
    this.changed();
  }

  /** Take out the prompt and what followed it, as far as the user agrees. Returns whether the new words can be sent. */
  async makeRoom(): Promise<boolean> {
    return !this.itemId || this.rewind.toSendAgain(this.itemId);
  }

  private get content(): Content[] {
    return (this.conversation.transcript.items.get(this.itemId)?.["content"] ?? []) as Content[];
  }
}

/** Attached by the user: what the server made of the words, it makes of them again. */
function isAttached(block: Content, text: string): boolean {
  if (block.type === "text") return false;
  if (block.type === "image") return true;
  if (block.type === "resource" && !block.uri.startsWith("file:")) return false;
  return block.type === "resource" || !text.includes(`@${block.name}`);
}
