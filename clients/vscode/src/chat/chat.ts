/** One chat: a session and the page that shows it, and what the user does there. */

import * as vscode from "vscode";
import { Attachments } from "../context/attachments";
import { Completion } from "../context/completion";
import type { Change, Content, ProviderModelsResult } from "../protocol.gen";
import { byFile } from "../review/hunks";
import type { Review } from "../review/review";
import { Actions } from "../session/actions";
import { Conversation, type Remembered } from "../session/conversation";
import type { Models } from "../session/models";
import type { Elsewhere, Questions } from "../session/questions";
import { Rewind } from "../session/rewind";
import { hostOf } from "../server/hosts";
import { messageOf } from "../failures";
import type { Environment } from "../server/environment";
import type { Keys } from "../server/keys";
import type { Server } from "../server/server";
import { optionsOfUser } from "../settings";
import { textOf } from "../store/patch";
import type { TextDocuments } from "../text_documents";
import { wordsOf } from "../store/transcript";
import { insert, writeInTerminal } from "./code_blocks";
import type { Drafts } from "./drafts";
import { EditedPrompt } from "./edited_prompt";
import { CHAT_COMMANDS, type FromChat, type How, type ToChat } from "./messages";
import { follow, openFile, showOutput } from "./opening";
import { pageOf } from "./page";

const LONGEST = 40; // characters of a session's title on a tab

/** What all chats work with. */
export interface Shared {
  server: Server;
  environment: Environment;
  keys: Keys;
  models: Models;
  questions: Questions;
  review: Review;
  texts: TextDocuments;
  drafts: Drafts;
  /** Tell the user that something could not be done. */
  failed: (problem: unknown) => void;
}

/** Where a chat is shown: a view of the side bar, or a tab of the editor. */
type Page = vscode.WebviewView | vscode.WebviewPanel;

/** Messages that a page sends by itself. */
const UNASKED: readonly string[] = ["ready", "draft", "providers"];

type Handlers = { [T in FromChat["type"]]: (message: Extract<FromChat, { type: T }>) => unknown };

export class Chat implements vscode.Disposable {
  readonly conversation: Conversation;
  readonly attachments = new Attachments();
  readonly rewind: Rewind;
  readonly actions: Actions;
  /** Bring its page before the user. */
  reveal: () => Promise<void> = () => Promise.resolve();
  /** The user works in it. */
  onEntered: () => void = () => undefined;
  /** The folder that the last command made: no page says which one is opened. */
  private folder: string | undefined;
  private page: Page | undefined;
  /** The page hears what is posted. */
  private isReady = false;
  private waiting: ToChat[] = [];
  private elsewhere: Elsewhere[] = [];
  /** Whose draft stands in the prompt. */
  private draft: string;
  private readonly completion: Completion;
  private readonly edited: EditedPrompt;
  private readonly watching: vscode.Disposable;

  /** `id` is the name of its draft, as long as it is in no session. */
  constructor(
    private readonly shared: Shared,
    private readonly id: string,
    remembered: Remembered,
  ) {
    const { server, models, review, environment, texts } = shared;
    const { attachments } = this;
    const conversation = (this.conversation = new Conversation(server, remembered));
    this.rewind = new Rewind(server, conversation);
    this.actions = new Actions(conversation, texts);
    this.draft = conversation.expected || id;
    this.completion = new Completion(server, conversation);
    this.edited = new EditedPrompt(conversation, attachments, this.rewind, () => this.postEdited());
    this.watching = vscode.Disposable.from(
      conversation,
      attachments,
      models.onChange(() => this.postModels()),
      server.onState(() => this.postServer()),
      environment.onProgress(() => this.postProgress()),
      review.onChange(() => this.postChanges()),
      conversation.onEvents((events) => this.post({ type: "events", events })),
      conversation.onReplaced(() => {
        this.postSession();
        review.later();
        void this.changeDraft().catch(shared.failed);
      }),
      conversation.onSteers(() => this.post({ type: "steers", steers: conversation.steers })),
      conversation.onRepaired((item) => this.post({ type: "item", item })),
      attachments.onChange((chips) => this.post({ type: "chips", chips })),
    );
    this.actions.showInChat = (outcome) => {
      this.folder = outcome.folder;
      if (this.visible) this.post({ type: "outcome", ...outcome });
      return this.visible;
    };
  }

  get visible(): boolean {
    return this.page?.visible ?? false;
  }

  /** What its tab is called: its session, and whether that waits for the user. */
  get title(): string {
    const { info, state, items } = this.conversation.transcript;
    const prompt = [...items.values()].find(({ kind }) => kind === "userMessage");
    const title = textOf(info["title"]) || wordsOf((prompt?.["content"] ?? []) as Content[]).trim() || "agls";
    const short = title.length > LONGEST ? `${title.slice(0, LONGEST)}…` : title;
    return state === "requiresAction" || this.elsewhere.length > 0 ? `● ${short}` : short;
  }

  /** The user sees the card that says how far the set-up is. */
  get showsSetup(): boolean {
    return this.visible && this.conversation.transcript.items.size === 0;
  }

  show(page: Page, extension: vscode.Uri): void {
    this.page = page;
    this.isReady = false;
    const { webview } = page;
    page.onDidDispose(() => {
      if (this.page === page) this.page = undefined;
    });
    webview.options = { enableScripts: true, localResourceRoots: [vscode.Uri.joinPath(extension, "dist")] };
    webview.onDidReceiveMessage((message: FromChat) => this.receive(message));
    webview.html = pageOf(webview, extension);
  }

  dispose(): void {
    this.watching.dispose();
  }

  /** Show the chat, with the cursor where the user goes on: in the question that waits, else in the prompt. */
  async focus(): Promise<void> {
    this.onEntered();
    await this.reveal();
    this.post({ type: "focus" });
  }

  /** Its session is shown elsewhere from now on, with its draft. */
  async handOver(): Promise<void> {
    this.draft = this.id;
    await this.conversation.begin();
    this.post({ type: "draft", text: await this.shared.drafts.read(this.id), replaces: true });
  }

  /** Show the chat with this prompt in the composer, for the user to send. */
  async compose(text: string): Promise<void> {
    await this.focus();
    this.post({ type: "compose", text });
  }

  postFailure(text: string, kind: string): void {
    this.post({ type: "failed", text, kind });
  }

  /** What helpers of the session ask; in the side bar sessions that are not shown, too. */
  postElsewhere(questions: Elsewhere[]): void {
    this.elsewhere = questions;
    this.post({ type: "elsewhere", questions });
  }

  private postSession(): void {
    const { conversation, id } = this;
    this.post({ type: "session", view: conversation.view(), kept: { id, sessionId: conversation.place } });
  }

  private postChanges(): void {
    const { hunks } = this.shared.review;
    this.post({ type: "changes", changes: hunks.length, files: byFile(hunks).size });
  }

  postModels(): void {
    const { models, problem, problemFile, calls } = this.shared.models;
    const isMistake = problemFile !== "";
    this.post({ type: "models", models, problem, isMistake, options: optionsOfUser(), calls });
  }

  private postEdited(): void {
    const { itemId, text } = this.edited;
    this.post({ type: "edited", itemId, text });
  }

  private postServer(): void {
    const { state, problem } = this.shared.server;
    this.post({ type: "server", state, problem });
  }

  /** How far the set-up of the server is, "" when it is over. */
  private postProgress(): void {
    this.post({ type: "progress", text: this.shared.environment.progress });
  }

  private post(message: ToChat): void {
    if (this.page && this.isReady) void this.page.webview.postMessage(message);
    else if (message.type === "compose" || message.type === "focus") this.waiting.push(message);
  }

  /** The draft of the session that is shown now. A session that begins goes on with what is written. */
  private async changeDraft(): Promise<void> {
    const { drafts } = this.shared;
    const [before, now] = [this.draft, this.conversation.place || this.id];
    if (before === now) return;
    this.draft = now;
    const isEmpty = this.conversation.transcript.items.size === 0;
    if (isEmpty && before === this.id) return drafts.move(before, now);
    const text = await drafts.read(now);
    if (isEmpty && !text) drafts.move(before, now);
    else if (this.draft === now) this.post({ type: "draft", text, replaces: true });
  }

  private async receive(message: FromChat): Promise<void> {
    if (!UNASKED.includes(message.type)) this.onEntered();
    try {
      await (this.handlers[message.type] as (message: FromChat) => unknown)(message);
    } catch (problem) {
      this.shared.failed(problem);
    }
  }

  private readonly handlers: Handlers = {
    ready: () => this.begin(),
    send: ({ text, how }) =>
      this.send(text, how).catch((problem: unknown) => {
        this.post({ type: "compose", text }); // what was written is not lost
        throw problem;
      }),
    stop: () => this.stop(),
    stopSetup: () => this.shared.environment.stop(),
    continue: () => this.conversation.goOn(),
    answer: async ({ requestId, answer }) => {
      if (this.shared.questions.answer(requestId, answer)) return;
      await this.shared.server.request("agent/respond", { requestId, response: answer });
    },
    older: async () => {
      const { conversation } = this;
      const items = await conversation.readOlder();
      const { runs, lastItems } = conversation.transcript;
      this.post({ type: "older", items, older: conversation.hasOlder, runs, lastItems });
    },
    complete: async ({ ticket, text, cursor }) => {
      const rows = await this.completion.of(text, cursor);
      if (rows) this.post({ type: "completions", ticket, rows });
    },
    image: ({ name, data, mimeType }) => this.attachments.addImage(name, data, mimeType),
    dropped: async ({ uris }) => {
      for (const uri of uris) await this.attachments.addPath(vscode.Uri.parse(uri, true));
    },
    drop: ({ id }) => this.attachments.drop(id),
    rewind: ({ itemId }) => vscode.commands.executeCommand("agls.rewind", itemId),
    edit: ({ itemId }) => this.edited.begin(itemId),
    endEdit: () => this.edited.end(),
    draft: ({ text }) => this.shared.drafts.keep(this.draft, text),
    entered: () => undefined,
    key: ({ host }) => vscode.commands.executeCommand("agls.key.set", host),
    fork: ({ itemId }) => vscode.commands.executeCommand("agls.fork", itemId),
    unqueue: ({ itemId }) => this.conversation.unqueue(itemId),
    requeue: ({ itemId, text }) => this.conversation.requeue(itemId, text),
    moveQueued: ({ itemId, to }) => this.conversation.moveQueued(itemId, to),
    stopTask: ({ itemId }) => this.conversation.stopTask(itemId),
    stopHelper: ({ sessionId }) => this.conversation.stopHelper(sessionId),
    mcp: ({ action, server, input }) => this.conversation.actOnMcp(action, server, input),
    compareAsked: ({ requestId }) => this.compareAsked(requestId),
    providers: async () => this.post({ type: "providers", offered: await this.shared.models.offered() }),
    listModels: (asked) => this.listModels(asked),
    useModel: ({ model, provider = "", baseUrl = "" }) =>
      this.shared.models.choose({ model, provider, baseUrl }),
    background: ({ itemId }) => this.conversation.toBackground(itemId),
    diff: ({ itemId, index }) => {
      const change = ((this.conversation.transcript.items.get(itemId)?.["changes"] ?? []) as Change[])[index];
      if (change) return vscode.commands.executeCommand("agls.showChange", change);
      return undefined;
    },
    open: ({ uri, line }) => openFile(vscode.Uri.parse(uri, true), this.conversation.worksIn, line),
    link: ({ href }) => follow(href, this.conversation.worksIn),
    output: ({ itemId }) => showOutput(itemId, this.conversation, this.shared.server, this.shared.texts),
    openOutcome: ({ title, text }) => this.shared.texts.show(`${title}.md`, `${text}\n`),
    openFolder: () => {
      if (!this.folder) return undefined;
      const folder = vscode.Uri.file(this.folder);
      return vscode.commands.executeCommand("vscode.openFolder", folder, { forceNewWindow: true });
    },
    copy: ({ text }) => vscode.env.clipboard.writeText(text),
    insert: ({ text }) => insert(text),
    terminal: ({ text }) => writeInTerminal(text),
    command: ({ command }) => {
      if (CHAT_COMMANDS.includes(command)) return vscode.commands.executeCommand(command);
      return undefined;
    },
  };

  /** Ask a provider for its models, with the key that the user gave, which is kept for its host only. */
  private async listModels({
    provider,
    baseUrl,
    key,
  }: Extract<FromChat, { type: "listModels" }>): Promise<void> {
    this.post({ type: "listed", listed: undefined, listing: true });
    let listed: ProviderModelsResult | undefined;
    try {
      const offered = baseUrl ? undefined : await this.shared.models.offered();
      const known = offered?.providers.find(({ name }) => name === provider);
      const host = known?.host ?? hostOf(baseUrl ?? "");
      if (key.trim() && host) await this.shared.keys.store(host, key);
      listed = await this.shared.models.listed({ provider: provider ?? "", baseUrl: baseUrl ?? "" });
    } catch (problem) {
      listed = { models: [], problem: messageOf(problem) }; // it stands where the user can correct it
    } finally {
      this.post({ type: "listed", listed, listing: false });
    }
  }

  /** The change that is asked about, in the editor: the file as it is beside what it would become. */
  private async compareAsked(requestId: string): Promise<void> {
    const { conversation } = this;
    const { questions } = this.shared;
    const asked = conversation.transcript.requests[requestId] ?? questions.find(requestId);
    const changes = (asked?.subject?.["changes"] ?? []) as Change[];
    for (const change of changes) await vscode.commands.executeCommand("agls.showProposed", change);
  }

  /** Stop all work; what waited to be sent is in the composer again. */
  async stop(): Promise<void> {
    const { conversation, attachments } = this;
    const waited = await conversation.stop();
    for (const content of waited) attachments.restore(content);
    const text = waited.map(wordsOf).filter(Boolean).join("\n\n");
    if (text) this.post({ type: "compose", text });
  }

  private async send(text: string, how: How): Promise<void> {
    const { actions, attachments, conversation } = this;
    if (text.trim() === "/resume") return void vscode.commands.executeCommand("agls.sessions"); // to choose from
    if (!(await this.edited.makeRoom())) return this.post({ type: "compose", text });
    const done = await attachments.with((attached) => conversation.say(text, attached, how));
    this.edited.end();
    if (done) await actions.show(done);
  }

  /** The page is there: it is told all that it shows, and has what was written before it was left. */
  private async begin(): Promise<void> {
    this.isReady = true;
    const text = await this.shared.drafts.read(this.draft);
    if (text) this.post({ type: "draft", text, replaces: false });
    this.postServer();
    this.postProgress();
    this.postSession();
    this.postElsewhere(this.elsewhere);
    this.post({ type: "chips", chips: this.attachments.chips });
    this.postChanges();
    this.postModels();
    if (this.edited.itemId) this.postEdited();
    for (const message of this.waiting.splice(0)) this.post(message);
  }
}
