/** The chat view: shows the conversation, and follows what the user does there. */

import * as vscode from "vscode";
import type { Attachments } from "../context/attachments";
import { Completion } from "../context/completion";
import type { Change, ProviderModelsResult } from "../protocol.gen";
import type { Actions } from "../session/actions";
import type { Conversation } from "../session/conversation";
import type { Models } from "../session/models";
import type { Questions } from "../session/questions";
import type { Rewind } from "../session/rewind";
import { hostOf } from "../server/hosts";
import { messageOf } from "../failures";
import type { Environment } from "../server/environment";
import type { Keys } from "../server/keys";
import type { Server } from "../server/server";
import { optionsOfUser } from "../settings";
import { unlinked } from "../session/permission_text";
import { textOf } from "../store/patch";
import type { TextDocuments } from "../text_documents";
import { wordsOf } from "../store/transcript";
import { visible } from "../webview/visible";
import { insert, writeInTerminal } from "./code_blocks";
import type { Draft } from "./draft";
import { EditedPrompt } from "./edited_prompt";
import { CHAT_COMMANDS, type FromChat, type How, type ToChat } from "./messages";
import { pageOf } from "./page";
import { isBelow, placeOf } from "./places";

export interface Parts {
  server: Server;
  environment: Environment;
  keys: Keys;
  models: Models;
  conversation: Conversation;
  questions: Questions;
  actions: Actions;
  texts: TextDocuments;
  attachments: Attachments;
  rewind: Rewind;
  draft: Draft;
  /** Tell the user that something could not be done. */
  failed: (problem: unknown) => void;
}

/** A page of the chat; it hears what is posted once it has said that it is there. */
interface Page {
  webview: vscode.Webview;
  ready: boolean;
}

type Handlers = { [T in FromChat["type"]]: (message: Extract<FromChat, { type: T }>) => unknown };

export class Chat implements vscode.WebviewViewProvider {
  static readonly view = "agls.chat";
  changes = { changes: 0, files: 0 };
  private progress = "";
  /** The folder that the last command made: no page says which one is opened. */
  private folder: string | undefined;
  private view: vscode.WebviewView | undefined;
  private tab: vscode.WebviewPanel | undefined;
  /** Where the chat is shown: in the side bar, in a tab of the editor, or in both. */
  private readonly pages = new Set<Page>();
  private waiting: ToChat[] = [];
  private readonly completion: Completion;
  private readonly edited: EditedPrompt;

  constructor(
    private readonly extension: vscode.Uri,
    private readonly parts: Parts,
  ) {
    const { server, conversation, attachments, models } = parts;
    this.completion = new Completion(server, conversation);
    this.edited = new EditedPrompt(conversation, attachments, parts.rewind, () => this.postEdited());
    models.onChange(() => this.postModels());
    server.onState(() => this.postServer());
    conversation.onEvents((events) => this.post({ type: "events", events }));
    conversation.onReplaced(() => this.post({ type: "session", view: conversation.view() }));
    conversation.onReplaced(() => this.postElsewhere());
    conversation.onSteers(() => this.post({ type: "steers", steers: conversation.steers }));
    conversation.onRepaired((item) => this.post({ type: "item", item }));
    parts.actions.showInChat = (outcome) => {
      this.folder = outcome.folder;
      if (this.visible) this.post({ type: "outcome", ...outcome });
      return this.visible;
    };
    attachments.onChange((chips) => this.post({ type: "chips", chips }));
  }

  get visible(): boolean {
    return (this.view?.visible ?? false) || (this.tab?.visible ?? false);
  }

  /** The user sees the card that says how far the set-up is. */
  get showsSetup(): boolean {
    return this.visible && this.parts.conversation.transcript.items.size === 0;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    const page = this.open(view.webview);
    view.onDidDispose(() => {
      this.view = undefined;
      this.pages.delete(page);
    });
  }

  /** Show the chat in a tab of the editor, too: there is one at most. */
  showTab(): void {
    if (this.tab) return this.tab.reveal();
    const tab = vscode.window.createWebviewPanel(Chat.view, "agls", vscode.ViewColumn.Active, {
      retainContextWhenHidden: true,
    });
    tab.iconPath = vscode.Uri.joinPath(this.extension, "media", "agls.svg");
    this.tab = tab;
    const page = this.open(tab.webview);
    tab.onDidDispose(() => {
      this.tab = undefined;
      this.pages.delete(page);
    });
  }

  /** Show the chat, with the cursor where the user goes on: in the question that waits, else in the prompt. */
  async reveal(): Promise<void> {
    if (this.tab?.visible) this.tab.reveal();
    else await vscode.commands.executeCommand("agls.chat.focus");
    this.post({ type: "focus" });
  }

  private open(webview: vscode.Webview): Page {
    const page = { webview, ready: false };
    this.pages.add(page);
    webview.options = {
      enableScripts: true,
      localResourceRoots: [vscode.Uri.joinPath(this.extension, "dist")],
    };
    webview.onDidReceiveMessage((message: FromChat) => this.receive(message, page));
    webview.html = pageOf(webview, this.extension);
    return page;
  }

  /** Show the chat with this prompt in the composer, for the user to send. */
  async compose(text: string): Promise<void> {
    await this.reveal();
    this.post({ type: "compose", text });
  }

  postChanges(changes: number, files: number): void {
    this.changes = { changes, files };
    this.post({ type: "changes", changes, files });
  }

  postModels(): void {
    const { models, problem, problemFile, calls } = this.parts.models;
    const isMistake = problemFile !== "";
    this.post({ type: "models", models, problem, isMistake, options: optionsOfUser(), calls });
  }

  postFailure(text: string, kind: string): void {
    this.post({ type: "failed", text, kind });
  }

  /** A helper of the session, or a session that is not shown, asks: that has to be seen, too. */
  postElsewhere(): void {
    const { conversation, questions } = this.parts;
    const waiting = questions.size;
    const tooltip = waiting === 1 ? "1 question waits for you" : `${waiting} questions wait for you`;
    if (this.view) this.view.badge = waiting > 0 ? { value: waiting, tooltip } : undefined;
    this.post({ type: "elsewhere", questions: questions.elsewhere(conversation.sessionId) });
  }

  private postEdited(): void {
    const { itemId, text } = this.edited;
    this.post({ type: "edited", itemId, text });
  }

  private postServer(): void {
    const { state, problem } = this.parts.server;
    this.post({ type: "server", state, problem });
  }

  private post(message: ToChat): void {
    const ready = [...this.pages].filter((page) => page.ready);
    // Where the user writes and looks is one page: the tab, while it is seen.
    const tab = ready.find(({ webview }) => this.tab?.visible && webview === this.tab.webview);
    const one = message.type === "compose" || message.type === "focus";
    const pages = one && tab ? [tab] : ready;
    for (const { webview } of pages) void webview.postMessage(message);
    if (pages.length > 0) return;
    if (message.type === "compose" || message.type === "focus") this.waiting.push(message);
  }

  /** How far the set-up of the server is, "" when it is over. */
  postProgress(text: string): void {
    this.progress = text;
    this.post({ type: "progress", text });
  }

  private async receive(message: FromChat, page: Page): Promise<void> {
    try {
      if (message.type === "ready") await this.welcome(page);
      await (this.handlers[message.type] as (message: FromChat) => unknown)(message);
    } catch (problem) {
      this.parts.failed(problem);
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
    stopSetup: () => this.parts.environment.stop(),
    continue: () => this.parts.conversation.goOn(),
    answer: async ({ requestId, answer }) => {
      if (this.parts.questions.answer(requestId, answer)) return;
      await this.parts.server.request("agent/respond", { requestId, response: answer });
    },
    older: async () => {
      const { conversation } = this.parts;
      const items = await conversation.readOlder();
      const { runs, lastItems } = conversation.transcript;
      this.post({ type: "older", items, older: conversation.hasOlder, runs, lastItems });
    },
    complete: async ({ ticket, text, cursor }) => {
      const rows = await this.completion.of(text, cursor);
      if (rows) this.post({ type: "completions", ticket, rows });
    },
    image: ({ name, data, mimeType }) => this.parts.attachments.addImage(name, data, mimeType),
    dropped: async ({ uris }) => {
      for (const uri of uris) await this.parts.attachments.addPath(vscode.Uri.parse(uri, true));
    },
    drop: ({ id }) => this.parts.attachments.drop(id),
    rewind: ({ itemId }) => vscode.commands.executeCommand("agls.rewind", itemId),
    edit: ({ itemId }) => this.edited.begin(itemId),
    endEdit: () => this.edited.end(),
    draft: ({ text }) => this.parts.draft.keep(text),
    key: ({ host }) => vscode.commands.executeCommand("agls.key.set", host),
    fork: ({ itemId }) => vscode.commands.executeCommand("agls.fork", itemId),
    unqueue: ({ itemId }) => this.parts.conversation.unqueue(itemId),
    requeue: ({ itemId, text }) => this.parts.conversation.requeue(itemId, text),
    moveQueued: ({ itemId, to }) => this.parts.conversation.moveQueued(itemId, to),
    stopTask: ({ itemId }) => this.parts.conversation.stopTask(itemId),
    stopHelper: ({ sessionId }) => this.parts.conversation.stopHelper(sessionId),
    mcp: ({ action, server, input }) => this.parts.conversation.actOnMcp(action, server, input),
    compareAsked: ({ requestId }) => this.compareAsked(requestId),
    providers: async () => this.post({ type: "providers", offered: await this.parts.models.offered() }),
    listModels: (asked) => this.listModels(asked),
    useModel: ({ model, provider = "", baseUrl = "" }) =>
      this.parts.models.choose({ model, provider, baseUrl }),
    background: ({ itemId }) => this.parts.conversation.toBackground(itemId),
    diff: ({ itemId, index }) => {
      const change = ((this.parts.conversation.transcript.items.get(itemId)?.["changes"] ?? []) as Change[])[
        index
      ];
      if (change) return vscode.commands.executeCommand("agls.showChange", change);
      return undefined;
    },
    open: ({ uri, line }) => this.openFile(vscode.Uri.parse(uri, true), line),
    link: ({ href }) => this.follow(href),
    output: ({ itemId }) => this.showOutput(itemId),
    openOutcome: ({ title, text }) => this.parts.texts.show(`${title}.md`, `${text}\n`),
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
      const offered = baseUrl ? undefined : await this.parts.models.offered();
      const known = offered?.providers.find(({ name }) => name === provider);
      const host = known?.host ?? hostOf(baseUrl ?? "");
      if (key.trim() && host) await this.parts.keys.store(host, key);
      listed = await this.parts.models.listed({ provider: provider ?? "", baseUrl: baseUrl ?? "" });
    } catch (problem) {
      listed = { models: [], problem: messageOf(problem) }; // it stands where the user can correct it
    } finally {
      this.post({ type: "listed", listed, listing: false });
    }
  }

  /** The change that is asked about, in the editor: the file as it is beside what it would become. */
  private async compareAsked(requestId: string): Promise<void> {
    const { conversation, questions } = this.parts;
    const asked = conversation.transcript.requests[requestId] ?? questions.find(requestId);
    const changes = (asked?.subject?.["changes"] ?? []) as Change[];
    for (const change of changes) await vscode.commands.executeCommand("agls.showProposed", change);
  }

  /** Stop all work; what waited to be sent is in the composer again. */
  async stop(): Promise<void> {
    const { conversation, attachments } = this.parts;
    const waited = await conversation.stop();
    for (const content of waited) attachments.restore(content);
    const text = waited.map(wordsOf).filter(Boolean).join("\n\n");
    if (text) this.post({ type: "compose", text });
  }

  private async send(text: string, how: How): Promise<void> {
    const { actions, attachments, conversation } = this.parts;
    if (text.trim() === "/resume") return void vscode.commands.executeCommand("agls.sessions"); // to choose from
    if (!(await this.edited.makeRoom())) return this.post({ type: "compose", text });
    const done = await attachments.with((attached) => conversation.say(text, attached, how));
    this.edited.end();
    if (done) await actions.show(done);
  }

  /** A page is there; the first one has what was written before the window was left. */
  private async welcome(page: Page): Promise<void> {
    const isFirst = ![...this.pages].some(({ ready }) => ready);
    page.ready = true;
    const text = isFirst ? await this.parts.draft.read() : "";
    if (text) void page.webview.postMessage({ type: "draft", text } satisfies ToChat);
  }

  private begin(): void {
    this.postServer();
    this.post({ type: "progress", text: this.progress });
    this.post({ type: "session", view: this.parts.conversation.view() });
    this.postElsewhere();
    this.post({ type: "chips", chips: this.parts.attachments.chips });
    this.post({ type: "changes", ...this.changes });
    this.postModels();
    if (this.edited.itemId) this.postEdited();
    for (const message of this.waiting.splice(0)) this.post(message);
  }

  /** A link of the model's: an address is opened after the editor asked; a path of the folder in the editor. */
  private async follow(href: string): Promise<void> {
    if (/^(https?|mailto):/i.test(href)) {
      await vscode.env.openExternal(vscode.Uri.parse(href));
      return;
    }
    const [, path = "", line] = /^(.*?)(?:[:#]L?(\d+))?$/.exec(decodeURIComponent(href)) ?? [];
    if (!path || /^[a-z]+:/i.test(path)) return;
    const uri = await placeOf(path, this.parts.conversation.worksIn);
    if (uri) await this.openFile(uri, line ? Number(line) - 1 : undefined);
  }

  private async openFile(uri: vscode.Uri, line?: number): Promise<void> {
    const isOpened = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
    if (!(isOpened || isBelow(uri, this.parts.conversation.worksIn) || (await isWanted(uri)))) return;
    const selection = line === undefined ? {} : { selection: new vscode.Range(line, 0, line, 0) };
    await vscode.window.showTextDocument(uri, { preview: true, ...selection });
  }

  private async showOutput(itemId: string): Promise<void> {
    const { conversation, server } = this.parts;
    const item = conversation.transcript.items.get(itemId);
    const range = { start: 0, end: 16 * 1024 * 1024 };
    const whole = await server
      .request("agent/item", { sessionId: conversation.sessionId, itemId, field: "output", range })
      .catch(() => undefined);
    const name = textOf(item?.["title"], "Output").slice(0, 60);
    await this.parts.texts.show(`${name}.log`, whole?.text ?? textOf(item?.["output"]));
  }
}

/** Nothing outside of the opened folders and the session's own comes up by a click alone. */
async function isWanted({ scheme, fsPath }: vscode.Uri): Promise<boolean> {
  if (scheme !== "file") return false;
  const outside = `${unlinked(visible(fsPath))} is outside of the opened folder.`;
  return (await vscode.window.showInformationMessage(outside, "Open")) === "Open";
}
