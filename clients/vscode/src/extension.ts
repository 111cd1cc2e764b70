/** Puts the extension together: every part is made here, and knows only what it is given. `main.ts` loads it. */

import { join } from "node:path";
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { type Api, apiOf } from "./api";
import { AddContext } from "./chat/add_context";
import { Chats } from "./chat/chats";
import { Drafts } from "./chat/drafts";
import { Participant } from "./chat/participant";
import { register } from "./commands";
import { CodeQueries } from "./context/code_queries";
import { CodeCommands } from "./context/commands";
import { editNotebook, shownNotebook } from "./context/notebooks";
import { wrong } from "./context/offers";
import { CursorEdits } from "./edit/cursor_edits";
import { messageOf } from "./failures";
import { reportFocus } from "./focus";
import type {
  AskLanguageModelParams,
  AskUserParams,
  CodeQueryParams,
  DiagnosticsAnswer,
  DiagnosticsParams,
  EditDeltaParams,
  Event,
  EventParams,
  NotSaved,
  PermissionParams,
  SaveDocumentsAnswer,
  SaveDocumentsParams,
  SecretParams,
} from "./protocol.gen";
import { Compare } from "./review/compare";
import { Marks } from "./review/marks";
import { RemovedLines } from "./review/removed_lines";
import { Review } from "./review/review";
import { Files } from "./review/tree";
import { Environment } from "./server/environment";
import { Keys } from "./server/keys";
import { Server } from "./server/server";
import { Status } from "./server/status";
import { ActionsView } from "./session/actions_view";
import { kindOf } from "./session/conversation";
import { LanguageModels } from "./session/language_models";
import { Models } from "./session/models";
import { Notify } from "./session/notify";
import { Options } from "./session/options";
import { Questions } from "./session/questions";
import { Sessions } from "./session/sessions";
import { unlinked } from "./session/permission_text";
import { setContext } from "./settings";
import { isObject, type Json } from "./store/patch";
import { TextDocuments } from "./text_documents";

const WELCOMED = "agls.welcomed"; // of this user: the chat was opened once by itself

export type Parts = ReturnType<typeof assemble>;

/** Makes every part, and connects those that belong together. */
function assemble(context: vscode.ExtensionContext) {
  const log = vscode.window.createOutputChannel("agls", { log: true });
  const environment = new Environment(context, log);
  const keys = new Keys(context);
  const questions = new Questions(
    (asked) => notify.asked(asked),
    () => {
      chats.postQuestions();
    },
    inputOf,
  );
  const server = new Server(environment, log, prepare);
  const review = new Review(server, context.workspaceState, log);
  const texts = new TextDocuments();
  const models = new Models(server, failed);
  const languageModels = new LanguageModels(server, () => void models.refresh().catch(failed));
  const { fsPath } = context.storageUri ?? context.globalStorageUri;
  const drafts = new Drafts(join(fsPath, "drafts"), failed);
  const shared = { server, environment, keys, models, questions, review, texts, drafts, failed };
  const chats = new Chats(context.extensionUri, shared, context.workspaceState);
  const actionsView = new ActionsView(server, chats, context.globalState);
  const addContext = new AddContext(chats);
  const notify = new Notify(
    (sessionId) => chats.of(sessionId),
    () => questions,
  );
  const sessions = new Sessions(server, chats, failed);
  const participant = new Participant(server, models, context.workspaceState);
  const options = new Options(chats, models, keys);
  const code = new CodeCommands(chats);
  const edits = new CursorEdits(server, chats);
  const marks = new Marks(review);
  const removedLines = new RemovedLines(review, marks.bar);
  const compare = new Compare(review);
  const status = new Status(server, chats, questions, models);

  function failed(problem: unknown): void {
    log.error(problem instanceof Error ? problem.message : String(problem));
    const message = messageOf(problem);
    if (chats.visible) chats.front.postFailure(message, kindOf(problem));
    else void vscode.window.showErrorMessage(`agls: ${unlinked(message)}`);
  }

  async function inputOf({ sessionId, itemId }: PermissionParams): Promise<Json | undefined> {
    if (itemId === undefined) return undefined;
    const { item } = await server.request("agent/item", { sessionId, itemId });
    const input = (item as Json | undefined)?.["input"];
    return isObject(input) ? input : undefined;
  }

  function ended(event: Event): void {
    notify.ended(event);
    if (event.data["stopReason"] === "endTurn") setContext("hasRun", true); // a step of the walkthrough
  }

  const queries = new CodeQueries();

  function prepare(client: LanguageClient): void {
    client.onNotification("agent/event", ({ events }: EventParams) => {
      chats.take(events);
      participant.take(events);
      review.take(events);
      if (events.some(({ type }) => type === "requestResolved")) void compare.closeProposed();
      for (const event of events) if (event.type === "runEnded" && !event.parentItemId) ended(event);
    });
    client.onNotification("agent/editDelta", (more: EditDeltaParams) => edits.take(more));
    client.onRequest("agent/requestPermission", (asked: PermissionParams, token: vscode.CancellationToken) =>
      questions.ask(asked, token),
    );
    client.onRequest("agent/askUser", (asked: AskUserParams, token: vscode.CancellationToken) =>
      questions.ask(asked, token),
    );
    client.onRequest("agent/saveDocuments", save);
    client.onRequest("agent/diagnostics", (asked: DiagnosticsParams) => diagnostics(asked, client));
    client.onRequest("agent/codeQuery", (asked: CodeQueryParams) => queries.answer(asked));
    client.onRequest("agent/notebook", shownNotebook);
    client.onRequest("agent/editNotebook", editNotebook);
    client.onRequest(
      "agent/languageModel/ask",
      (asked: AskLanguageModelParams, token: vscode.CancellationToken) => languageModels.answer(asked, token),
    );
    client.onRequest("agent/secret", (asked: SecretParams) => keys.find(asked));
  }

  server.onState((state) => {
    if (state !== "ready") questions.forget();
    for (const { conversation } of chats.all)
      if (state === "ready") void conversation.reconnect().catch(failed);
      else conversation.lost();
  });

  const talk = { server, environment, keys, questions, review, chats, drafts, texts };
  const verbs = {
    addContext,
    actionsView,
    models,
    languageModels,
    participant,
    sessions,
    options,
    code,
    edits,
    marks,
    removedLines,
    compare,
    status,
  };
  return { ...talk, ...verbs, log, failed };
}

export function begin(context: vscode.ExtensionContext): Api {
  const parts = assemble(context);
  const { log, texts, server, chats, drafts, models, review, marks, compare, status } = parts;
  const { code, edits } = parts;
  context.subscriptions.push(
    ...[
      log,
      texts,
      server,
      drafts,
      chats,
      models,
      review,
      edits,
      marks,
      parts.removedLines,
      parts.languageModels,
      compare,
      status,
      parts.actionsView,
      parts.participant,
    ],
    new Files(review),
    reportFocus(server),
    vscode.languages.registerCodeActionsProvider([{ scheme: "file" }, { scheme: "untitled" }], code, {
      providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
    }),
    vscode.languages.registerCodeActionsProvider("*", edits, {
      providedCodeActionKinds: [vscode.CodeActionKind.RefactorRewrite],
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.restart()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      const chosen = [
        "agls.server.command",
        "agls.configFile",
        "agls.saveBeforeCommand",
        "agls.inlineCompletion",
      ];
      if (models.problem) chosen.push("agls.model"); // the server begins with it where it has no other
      if (chosen.some((name) => change.affectsConfiguration(name))) void server.restart();
      else if (change.affectsConfiguration("agls")) for (const chat of chats.all) chat.postModels();
    }),
    ...register(parts),
  );
  void server.start().then(() => welcome(parts, context.globalState));
  return apiOf(parts);
}

/** Save these versions of documents as the user would, formatters and all; what was typed since is not saved. */
async function save({ documents }: SaveDocumentsParams): Promise<SaveDocumentsAnswer> {
  const saved: string[] = [];
  const failed: NotSaved[] = [];
  for (const { uri, version } of documents) {
    const found = vscode.workspace.textDocuments.find(
      (document) => document.uri.toString() === vscode.Uri.parse(uri).toString(),
    );
    if (!found || found.isUntitled) failed.push({ uri, message: "it is not open as a file" });
    else if (found.version !== version) failed.push({ uri, message: "it was changed meanwhile" });
    else if (await found.save()) saved.push(uri);
    else failed.push({ uri, message: "the editor could not save it" });
  }
  return { saved, failed };
}

/** Wait until what is shown for a file changes. */
async function changed(uri: string, most: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      listening.dispose();
      resolve();
    };
    const timer = setTimeout(end, most);
    const listening = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      if (uris.some((one) => one.toString() === uri)) end();
    });
  });
}

/** What the editor shows as wrong in the opened folders. */
async function diagnostics(
  { uri, waitMs }: DiagnosticsParams,
  { code2ProtocolConverter }: LanguageClient,
): Promise<DiagnosticsAnswer> {
  const wanted = uri === undefined ? undefined : vscode.Uri.parse(uri).toString();
  if (wanted !== undefined && waitMs) await changed(wanted, waitMs);
  const shown = vscode.languages
    .getDiagnostics()
    .filter(([where]) => vscode.workspace.getWorkspaceFolder(where))
    .filter(([where, all]) => wrong(all).length > 0 && (wanted ?? where.toString()) === where.toString());
  const files = shown.map(([where, all]) => ({
    uri: where.toString(),
    diagnostics: code2ProtocolConverter.asDiagnosticsSync(wrong(all)),
  }));
  return { files };
}

/** The first time: the chat's card says what is missing. Nothing is installed before the user agreed there. */
async function welcome({ server, chats }: Parts, memory: vscode.Memento): Promise<void> {
  if (server.state !== "missing" || memory.get<boolean>(WELCOMED)) return;
  await memory.update(WELCOMED, true);
  if (chats.visible) return;
  const writing = vscode.window.activeTextEditor;
  await chats.side.focus();
  if (writing) await vscode.window.showTextDocument(writing.document, writing.viewColumn);
}
