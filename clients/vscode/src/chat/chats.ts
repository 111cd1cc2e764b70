/** All chats of the window: that of the side bar, and those in tabs of the editor, each with a session of its own. */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { Event } from "../protocol.gen";
import { WINDOW } from "./drafts";
import { Chat, type Shared } from "./chat";

const LAST = "agls.session"; // of the side bar, in this workspace
const VIEW = "agls.chat"; // as in package.json: the view, and the tabs

/** What a tab remembers, as its page keeps it. */
interface Kept {
  id?: string;
  sessionId?: string;
}

export class Chats
  implements vscode.WebviewViewProvider, vscode.WebviewPanelSerializer<Kept>, vscode.Disposable
{
  readonly side: Chat;
  private readonly tabs = new Set<Chat>();
  /** Where the user was last. */
  private last: Chat;
  private view: vscode.WebviewView | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  /** Something happened in a session that is shown, or another chat is in front. */
  readonly onChange = this.changed.event;
  private readonly other = new vscode.EventEmitter<void>();
  /** Other things can be done with the session in front. */
  readonly onCommands = this.other.event;
  private readonly registered: vscode.Disposable;

  constructor(
    private readonly extension: vscode.Uri,
    private readonly shared: Shared,
    memory: vscode.Memento,
  ) {
    const remember = (sessionId: string) => memory.update(LAST, sessionId || undefined);
    this.side = new Chat(shared, WINDOW, { sessionId: memory.get<string>(LAST, ""), remember });
    this.side.reveal = async () => {
      await vscode.commands.executeCommand(`${VIEW}.focus`);
    };
    this.last = this.side;
    this.listen(this.side);
    this.registered = vscode.Disposable.from(
      vscode.window.registerWebviewViewProvider(VIEW, this),
      vscode.window.registerWebviewPanelSerializer(VIEW, this),
    );
  }

  get all(): Chat[] {
    return [this.side, ...this.tabs];
  }

  /** The chat that commands are for: where the user was last, as long as that or no other is seen. */
  get front(): Chat {
    return this.last.visible ? this.last : (this.all.find(({ visible }) => visible) ?? this.last);
  }

  get visible(): boolean {
    return this.front.visible;
  }

  /** The chat in which a session is shown, or what a helper of it does; the side bar for all others. */
  of(sessionId: string): Chat {
    return (
      this.showing(sessionId) ??
      this.all.find(({ conversation }) => conversation.hasHelper(sessionId)) ??
      this.side
    );
  }

  showing(sessionId: string): Chat | undefined {
    return this.all.find(({ conversation }) => conversation.sessionId === sessionId);
  }

  /** The chat with a question that waits, else the one in front. */
  get asking(): Chat {
    const { questions } = this.shared;
    const asks = (chat: Chat) => questions.sessions.some((sessionId) => this.of(sessionId) === chat);
    return asks(this.front) ? this.front : (this.all.find(asks) ?? this.front);
  }

  take(events: readonly Event[]): void {
    for (const { conversation } of this.all) conversation.take(events);
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    view.onDidDispose(() => (this.view = undefined));
    this.side.show(view, this.extension);
    this.postQuestions();
  }

  /** A new tab; with a session that the side bar shows, it moves from there. */
  async openTab(sessionId = ""): Promise<void> {
    const shown = sessionId ? this.showing(sessionId) : undefined;
    if (shown && shown !== this.side) return shown.reveal();
    if (shown) await shown.handOver();
    const panel = vscode.window.createWebviewPanel(VIEW, "agls", vscode.ViewColumn.Active, {
      retainContextWhenHidden: true,
    });
    const chat = this.addTab(panel, {});
    if (sessionId) await chat.conversation.open(sessionId);
    await chat.focus();
  }

  /** A tab that was open when the window was left. */
  deserializeWebviewPanel(panel: vscode.WebviewPanel, kept: Kept | undefined): Promise<void> {
    const { conversation } = this.addTab(panel, kept ?? {});
    if (this.shared.server.state === "ready") void conversation.reconnect().catch(this.shared.failed);
    return Promise.resolve();
  }

  /** Show a session: where it is already, else in the chat in front. */
  async open(sessionId: string): Promise<void> {
    const shown = this.showing(sessionId);
    if (shown) await shown.focus();
    else await this.front.conversation.open(sessionId);
  }

  /** Commands are for this chat now. */
  enter(chat: Chat): void {
    if (chat === this.last) return;
    this.last = chat;
    this.changed.fire();
    this.other.fire();
  }

  /** Questions are shown with the session that they are for; the badge counts all. */
  postQuestions(): void {
    const { questions } = this.shared;
    for (const chat of this.all) {
      const isForIt = (sessionId: string) =>
        sessionId !== chat.conversation.sessionId && this.of(sessionId) === chat;
      chat.postElsewhere(questions.elsewhere(isForIt));
    }
    const { size } = questions;
    const tooltip = size === 1 ? "1 question waits for you" : `${size} questions wait for you`;
    if (this.view) this.view.badge = size > 0 ? { value: size, tooltip } : undefined;
    this.changed.fire();
  }

  dispose(): void {
    this.registered.dispose();
    for (const chat of this.all) chat.dispose();
    this.changed.dispose();
    this.other.dispose();
  }

  private addTab(panel: vscode.WebviewPanel, { id = randomUUID(), sessionId = "" }: Kept): Chat {
    const chat = new Chat(this.shared, id, { sessionId, remember: () => Promise.resolve() });
    this.tabs.add(chat);
    this.last = chat;
    chat.reveal = () => Promise.resolve(panel.reveal());
    panel.iconPath = vscode.Uri.joinPath(this.extension, "media", "agls.svg");
    const name = () => (panel.title = chat.title);
    const naming = this.onChange(name);
    this.listen(chat);
    panel.onDidChangeViewState(() => panel.active && this.enter(chat));
    panel.onDidDispose(() => {
      naming.dispose();
      this.tabs.delete(chat);
      if (this.last === chat) this.last = this.side;
      chat.dispose();
      this.postQuestions(); // one of its session is asked in the side bar now
    });
    chat.show(panel, this.extension);
    name();
    return chat;
  }

  private listen(chat: Chat): void {
    chat.onEntered = () => this.enter(chat);
    chat.conversation.onEvents((events) => {
      this.changed.fire();
      if (events.some(({ type }) => type === "commands")) this.other.fire();
    });
    chat.conversation.onReplaced(() => {
      this.postQuestions();
      this.other.fire();
    });
  }
}
