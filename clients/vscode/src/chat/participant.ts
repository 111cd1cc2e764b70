/**
 * `@agls` in the editor's own chat. Each of its conversations is a session; what is asked is answered in our chat. A
 * prompt that was edited there takes the session back to before it.
 */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { resource } from "../context/offers";
import type { Content, Event, RunAnswer } from "../protocol.gen";
import type { Server } from "../server/server";
import type { Models } from "../session/models";
import { newSession } from "../session/new_session";
import { unlinked } from "../session/permission_text";
import { endOf } from "../store/ends";
import { textOf } from "../store/patch";
import { type Part, Reply } from "../store/reply";
import { wordsOf } from "../store/transcript";

const ID = "agls.agent"; // as in package.json
const ENDS = "agls.participant"; // of this workspace: with which item the last answer of a session ended
const MOST_ENDS = 50;
const GONE = "The server ended during the run. The session is kept: open it with `agls: Sessions…`.";

/** An answer that is being written. */
interface Writing {
  reply: Reply;
  write: (part: Part) => void;
  done: () => void;
}

export class Participant implements vscode.Disposable {
  private readonly writing = new Set<Writing>();
  private readonly parts: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly models: Models,
    private readonly memory: vscode.Memento,
  ) {
    const participant = vscode.chat.createChatParticipant(ID, (request, context, response, token) =>
      this.answer(request, context, response, token),
    );
    const watching = server.onState((state) => {
      if (state !== "ready") for (const { done } of this.writing) done();
    });
    this.parts = vscode.Disposable.from(participant, watching);
  }

  /** Events from the server, of whatever session. */
  take(events: readonly Event[]): void {
    for (const { reply, write, done } of this.writing) {
      for (const event of events) reply.take(event).forEach(write);
      if (reply.ended) done();
    }
  }

  dispose(): void {
    this.parts.dispose();
  }

  private async answer(
    request: vscode.ChatRequest,
    { history }: vscode.ChatContext,
    response: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<vscode.ChatResult> {
    let sessionId = "";
    try {
      sessionId = await this.session(history);
      const input = [
        { type: "text", text: request.prompt } as const,
        ...(await contentOf(request.references)),
      ];
      const { action, reply } = await this.run(sessionId, input, response, token);
      if (action) response.markdown(wordsOf(action.output));
      // A command may be for another session, or leave this one.
      if (typeof action?.data?.["open"] === "string") sessionId = action.data["open"];
      if (action?.data?.["leave"] === true) sessionId = "";
      const lastItemId = await this.ended(sessionId);
      return { metadata: { sessionId, lastItemId }, ...failure(reply, action !== undefined) };
    } catch (problem) {
      const message = problem instanceof Error ? problem.message : String(problem);
      response.button({ command: "agls.chat.open", title: "Open the agls Chat" });
      return { metadata: { sessionId }, errorDetails: { message } };
    }
  }

  /** The session of a conversation, made when it begins. */
  private async session(history: vscode.ChatContext["history"]): Promise<string> {
    const answers = history.filter((turn) => turn instanceof vscode.ChatResponseTurn);
    const { sessionId, lastItemId } = answers.at(-1)?.result.metadata ?? {};
    if (typeof sessionId !== "string" || !sessionId) return (await newSession(this.server)).sessionId;
    const last = await this.lastItem(sessionId);
    const isEdited = textOf(lastItemId) !== last && last === this.ends[sessionId];
    if (isEdited && lastItemId) {
      const back = { sessionId, toItemId: textOf(lastItemId), what: "conversation" };
      await this.server.request("agent/session/rewind", back);
    }
    return sessionId;
  }

  /** The last item of a session, "" for none. */
  private async lastItem(sessionId: string): Promise<string> {
    const { snapshot } = await this.server.request("agent/resume", { sessionId, replay: "tail", tail: 1 });
    return textOf(snapshot?.items.at(-1)?.["itemId"]);
  }

  private get ends(): Record<string, string> {
    return this.memory.get<Record<string, string>>(ENDS, {});
  }

  /** An answer was written: note where the session ends. Whoever goes on elsewhere than here moves that. */
  private async ended(sessionId: string): Promise<string> {
    if (!sessionId) return "";
    const last = await this.lastItem(sessionId);
    const others = Object.entries(this.ends).filter(([known]) => known !== sessionId);
    await this.memory.update(ENDS, Object.fromEntries([...others, [sessionId, last]].slice(-MOST_ENDS)));
    return last;
  }

  /** Run a prompt to its end, and write down what comes. Stopping the answer stops the run. */
  private async run(
    sessionId: string,
    input: Content[],
    response: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<{ action: RunAnswer["action"]; reply: Reply }> {
    const reply = new Reply(sessionId, new Map(this.models.calls.map((words) => [words.name, words])));
    const write = (part: Part) => writePart(response, part);
    let done = (): void => undefined;
    const ended = new Promise<void>((resolve) => (done = resolve));
    const writing: Writing = { reply, write, done };
    this.writing.add(writing);
    let stopping: vscode.Disposable | undefined;
    try {
      const params = { sessionId, input, expand: true, clientKey: randomUUID() };
      const { runId, action } = await this.server.request("agent/run", params);
      if (runId) {
        reply.begin(runId).forEach(write);
        const stop = () =>
          void this.server.request("agent/cancel", { sessionId, runId }).catch(() => undefined);
        stopping = token.onCancellationRequested(stop);
        if (token.isCancellationRequested) stop();
        if (!reply.ended) await ended;
      }
      return { action, reply };
    } finally {
      stopping?.dispose();
      this.writing.delete(writing);
    }
  }
}

function writePart(response: vscode.ChatResponseStream, part: Part): void {
  if (part.kind === "text") response.markdown(part.text);
  else if (part.kind === "progress") response.progress(unlinked(part.text));
  else if (part.kind === "edited") {
    const uri = vscode.Uri.parse(part.uri, true);
    response.markdown("\n\nEdited ");
    response.anchor(uri, vscode.workspace.asRelativePath(uri));
    response.markdown("\n\n");
  } else response.button({ command: "agls.chat.open", title: "Answer in the agls Chat" });
}

/** What is wrong with how a run ended; a command may have begun none. */
function failure({ ended }: Reply, isCommand: boolean): Pick<vscode.ChatResult, "errorDetails"> {
  if (!ended) return isCommand ? {} : { errorDetails: { message: GONE } };
  if (ended.stopReason === "endTurn" || ended.stopReason === "cancelled") return {};
  const message = ended.error?.message ?? ended.detail ?? `The run has ended: ${endOf(ended.stopReason)}.`;
  return { errorDetails: { message } };
}

/** What the user pointed at: files, places in them, and text. */
async function contentOf(references: readonly vscode.ChatPromptReference[]): Promise<Content[]> {
  const content: Content[] = [];
  for (const { id, value } of references) {
    if (value instanceof vscode.Uri) {
      content.push({
        type: "resourceLink",
        uri: value.toString(),
        name: vscode.workspace.asRelativePath(value),
      });
    } else if (value instanceof vscode.Location) {
      content.push(resource(await vscode.workspace.openTextDocument(value.uri), value.range));
    } else if (typeof value === "string")
      content.push({ type: "resource", uri: `reference:${id}`, text: value });
  }
  return content;
}
