/** The commands of the extension, each one line to the part that does it. */

import * as vscode from "vscode";
import type { Extent } from "./chat/add_context";
import type { Chat } from "./chat/chat";
import { writeCommitMessage } from "./context/commit_message";
import type { Parts } from "./extension";
import type { Action, Change } from "./protocol.gen";
import { at, type Hunk } from "./review/hunks";

/** Commands are called with whatever their caller has. */
type Verb = (...given: never[]) => unknown;

/** Commands of a session that stand above the side bar's chat, too. */
const SIDE = ["chat.new", "sessions", "actions", "rewind", "budget"];

export function register(parts: Parts): vscode.Disposable[] {
  const { server, chats, sessions, options, code, status, log, keys, failed } = parts;
  const verbs: Record<string, Verb> = {
    "chat.open": () => chats.asking.focus(),
    "chat.new": () => begin(chats.front),
    "chat.tab": () => chats.openTab(),
    "chat.move": () => move(parts),
    "context.add": () => parts.addContext.pick(),
    "context.terminal": () => parts.addContext.terminal("all").then(() => chats.front.focus()),
    "context.terminalSelection": () => parts.addContext.terminal("selected").then(() => chats.front.focus()),
    "context.test": (given: unknown) => {
      parts.addContext.testResult(given);
      return chats.front.focus();
    },
    sessions: () => sessions.pick(),
    stop: () => chats.front.stop(),
    fork: (itemId: string) => sessions.fork(chats.front.conversation.sessionId, itemId),
    rewind: async (itemId?: unknown) => {
      const { front } = chats;
      if (await front.rewind.to(typeof itemId === "string" ? itemId : undefined)) await front.focus();
    },
    "rewind.undo": () => chats.front.rewind.undo(),
    "run.undo": () => undoRun(parts),
    model: () => options.model(),
    mode: () => options.mode(),
    effort: () => options.effort(),
    budget: () => options.budget(),
    actions: () => chats.front.actions.menu(),
    "actions.view": () => parts.actionsView.show(),
    "actions.hide": () => parts.actionsView.hide(),
    action: (action: Action) => parts.actionsView.run(action),
    ask: () => code.ask(),
    explain: () => code.explain(),
    "problem.explain": (uri?: vscode.Uri, diagnostic?: vscode.Diagnostic) =>
      code.explainProblem(uri, diagnostic),
    "terminal.explain": () => explainTerminal(parts, "all"),
    "terminal.explainSelection": () => explainTerminal(parts, "selected"),
    "test.fix": async (given: unknown) => {
      parts.addContext.testResult(given);
      await code.sayWithAttached("Fix what makes this test fail. Change the test only if it is wrong.");
    },
    "changes.review": () => code.say("/review"),
    "changes.message": () => writeCommitMessage(server),
    edit: () => parts.edits.ask(),
    "edit.keep": () => parts.edits.keep(),
    "edit.undo": () => parts.edits.undo(),
    "edit.refine": () => parts.edits.refine(),
    "edit.stop": () => parts.edits.stop(),
    addToChat: (uri?: vscode.Uri, all?: vscode.Uri[]) => code.add(uri, Array.isArray(all) ? all : undefined),
    fix: (uri?: vscode.Uri, diagnostic?: vscode.Diagnostic) => code.fix(uri, diagnostic),
    "server.menu": () => status.menu(),
    "server.restart": () => server.restart(),
    "server.logs": () => log.show(),
    "server.install": () => install(parts),
    "server.doctor": () => doctor(parts),
    "config.open": () => parts.models.openConfig(),
    "key.set": (host?: unknown) => options.key(typeof host === "string" ? host : ""),
    "key.remove": async () => (await keys.remove()) && (await parts.models.refresh()),
    ...reviewVerbs(parts),
  };
  // The buttons of the side bar are for the session there, wherever the user was last.
  const ofSide = SIDE.map((name): [string, Verb] => [
    `side.${name}`,
    (...given) => {
      chats.enter(chats.side);
      return verbs[name]?.(...given);
    },
  ]);
  return [...Object.entries(verbs), ...ofSide].map(([name, follow]) =>
    vscode.commands.registerCommand(`agls.${name}`, async (...given: unknown[]) => {
      try {
        await (follow as (...given: unknown[]) => unknown)(...given);
      } catch (problem) {
        failed(problem);
      }
    }),
  );
}

function reviewVerbs({ review, marks, removedLines, compare }: Parts): Record<string, Verb> {
  const file = (given?: unknown): vscode.Uri | undefined =>
    typeof given === "string" && given.includes(":")
      ? vscode.Uri.parse(given)
      : given instanceof vscode.Uri
        ? given
        : vscode.window.activeTextEditor?.document.uri;
  const ofFile = (given?: unknown): Hunk[] => {
    const uri = file(given);
    return uri ? review.of(uri) : [];
  };
  /** The change with this id, which may be judged by now; without one, that under the cursor. */
  const one = (given?: unknown): Hunk[] => {
    if (typeof given === "string") return review.hunks.filter(({ hunk }) => hunk === given);
    const line = vscode.window.activeTextEditor?.selection.active.line ?? 0;
    const found = at(ofFile(), line);
    return found ? [found] : [];
  };
  /** Judge the change in the bar, and go on to the next one. */
  const judged = async (judge: (hunk: Hunk) => Promise<void>): Promise<void> => {
    const { hunk } = marks.bar;
    if (!hunk) return;
    await judge(hunk);
    await marks.go(1);
  };
  /** Judge the change under the cursor of a comparison, if there is one, and go on to the next one. */
  const compared = async (judge: (hunks: Hunk[]) => Promise<void>): Promise<void> => {
    await judge(one());
    marks.lead();
  };
  return {
    "review.keep": (given?: unknown) => review.keep(one(given)),
    "review.undo": (given?: unknown) => review.undo(one(given)),
    "review.next": () => marks.go(1),
    "review.previous": () => marks.go(-1),
    "review.diff": (given?: unknown) => {
      const named = review.hunks.find(({ hunk }) => hunk === given);
      const uri = named ? vscode.Uri.parse(named.uri, true) : file(given);
      const inCell = uri && (named ?? review.of(uri)[0]);
      if (inCell?.cell !== undefined) return marks.show(inCell); // a notebook is compared cell by cell, in place
      return uri && compare.open(uri);
    },
    "review.removedLines": () => removedLines.toggle(),
    "review.bar": (given?: unknown) => one(given)[0] && marks.show(one(given)[0] as Hunk),
    "review.bar.next": () => marks.go(1),
    "review.bar.previous": () => marks.go(-1),
    "review.bar.keep": () => judged((hunk) => review.keep([hunk])),
    "review.bar.undo": () => judged((hunk) => review.undo([hunk])),
    "review.bar.keepFile": () => judged((hunk) => review.keep(review.beside(hunk))),
    "review.compare.keep": () => compared((hunks) => review.keep(hunks)),
    "review.compare.undo": () => compared((hunks) => review.undo(hunks)),
    "review.keepFile": (given?: unknown) => review.keep(ofFile(given)),
    "review.undoFile": (given?: unknown) => review.undo(ofFile(given)),
    "review.keepAll": () => review.keep(review.hunks),
    "review.undoAll": () => review.undo(review.hunks),
    showChange: (change: Change) => {
      const [inCell] = review.of(vscode.Uri.parse(change.uri, true)).filter(({ cell }) => cell !== undefined);
      return inCell ? marks.show(inCell) : compare.openMade(change);
    },
    showProposed: (change: Change) => compare.openProposed(change),
  };
}

async function explainTerminal({ addContext, code }: Parts, which: Extent): Promise<void> {
  await addContext.terminal(which);
  await code.sayWithAttached(
    "Explain what this terminal shows, and what I could do about it. Change nothing.",
  );
}

async function begin(chat: Chat): Promise<void> {
  await chat.conversation.begin();
  await chat.focus();
}

/** The session of the side bar gets a tab of its own; the side bar begins another one. */
async function move({ chats }: Parts): Promise<void> {
  const { sessionId } = chats.side.conversation;
  if (!sessionId) throw new Error("The side bar has no session yet that could move.");
  await chats.openTab(sessionId);
}

async function install({ server, environment, chats }: Parts): Promise<void> {
  if (chats.all.some(({ conversation }) => conversation.transcript.state !== "idle"))
    throw new Error("A run goes on. Stop it first.");
  if (await environment.make(chats.all.some(({ showsSetup }) => showsSetup))) await server.restart();
}

async function doctor({ server }: Parts): Promise<void> {
  const { choice, state, problem } = server;
  const found = state === "ready" ? await server.request("agent/status", {}) : undefined;
  const models = found?.models.map((model) => `${model.name} (${model.provider})`) ?? [];
  const lines = [
    `Server: ${choice ? `${choice.command} (from ${choice.from})` : "none"}, ${state}`,
    ...(problem ? [problem] : []),
    ...(found ? [`Version ${found.version}, protocol ${found.protocolVersion}`] : []),
    ...(found
      ? [models.length > 0 ? `Model: ${models.join(", ")}` : `No run could begin: ${found.problem ?? ""}`]
      : []),
    `Folder ${vscode.workspace.isTrusted ? "trusted" : "not trusted: its own settings and instructions are not read"}`,
  ];
  await vscode.window.showInformationMessage("agls", { modal: true, detail: lines.join("\n") });
}

/** Every file of the last run as it was before it, where nobody changed it since. */
async function undoRun({ server, chats }: Parts): Promise<void> {
  const { sessionId } = chats.front.conversation;
  if (!sessionId) throw new Error("There is no run yet.");
  const act = (name: string, input: Record<string, unknown>) =>
    server.request("agent/action/invoke", { sessionId, name, input });
  const { data } = await act("changes", {});
  const files = (data?.["files"] ?? []) as { uri: string }[];
  if (files.length === 0) throw new Error("The last run changed no file.");
  const names = files.map(({ uri }) => vscode.workspace.asRelativePath(vscode.Uri.parse(uri))).join(", ");
  const sure = "Undo all changes of the last run?";
  if (!(await vscode.window.showWarningMessage(sure, { modal: true, detail: names }, "Undo"))) return;
  for (const { uri } of files) await act("changes.revert", { uri });
}
