/** The server's process: chosen, started, started again when it ends, and asked. */

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { Methods } from "../protocol.gen";
import { Backoff } from "./backoff";
import { type Choice, choose } from "./choice";
import type { Environment } from "./environment";
import { ofUser, setContext } from "../settings";
import { onPath } from "./programs";

/** `missing`: there is no program yet. `failed`: it ended or did not start; `problem` says why. */
export type ServerState = "missing" | "starting" | "ready" | "failed";

const GRACE = 5000; // milliseconds in which a server that shall end does so by itself
const NEVER = new vscode.CancellationTokenSource().token;
const NOT_READY = "agls's server is not ready yet.";

export class Server implements vscode.Disposable {
  state: ServerState = "starting";
  problem = "";
  choice: Choice | undefined;
  private client: LanguageClient | undefined;
  private wanted = true;
  private starting: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly backoff = new Backoff();
  private readonly changed = new vscode.EventEmitter<ServerState>();
  readonly onState = this.changed.event;

  /** `prepare` is given each new client before it is started, to listen. */
  constructor(
    private readonly environment: Environment,
    private readonly log: vscode.LogOutputChannel,
    private readonly prepare: (client: LanguageClient) => void,
  ) {}

  /** Start it, once however often it is asked for. Does not fail: the state says what came of it. */
  start(): Promise<void> {
    this.starting ??= this.launch().finally(() => (this.starting = undefined));
    return this.starting;
  }

  async restart(): Promise<void> {
    this.backoff.forget();
    clearTimeout(this.timer);
    await this.starting;
    await this.end();
    await this.start();
  }

  async request<M extends keyof Methods>(
    method: M,
    params: Methods[M]["params"],
    token: vscode.CancellationToken = NEVER,
  ): Promise<Methods[M]["result"]> {
    return this.ready().sendRequest<Methods[M]["result"]>(method, params, token);
  }

  /** One of the server's commands, with its one argument. */
  async command<R>(command: string, argument: Record<string, unknown>): Promise<R> {
    return this.ready().sendRequest<R>("workspace/executeCommand", { command, arguments: [argument] });
  }

  /** Send a notification, which may be lost. */
  notify<M extends keyof Methods>(method: M, params: Methods[M]["params"]): void {
    if (this.client && this.state === "ready")
      void this.client.sendNotification(method, params).catch(() => undefined);
  }

  async dispose(): Promise<void> {
    this.wanted = false;
    clearTimeout(this.timer);
    await this.end();
    this.changed.dispose();
  }

  private ready(): LanguageClient {
    if (!this.client || this.state !== "ready") throw new Error(this.problem || NOT_READY);
    return this.client;
  }

  private async launch(): Promise<void> {
    const managed = await this.environment.program();
    const setting = ofUser("server.command");
    this.choice = choose({ setting, managed, onPath: await onPath("agls") });
    if (!this.choice) return this.become("missing", "agls's server is not set up yet.");
    this.become("starting", "");
    const { command, args, from } = this.choice;
    this.log.info(`starting ${command} ${args.join(" ")} (from ${from})`);
    let lost = (): void => undefined;
    const ended = new Promise<never>((_, reject) => (lost = () => reject(new Error("it ended at once"))));
    ended.catch(() => undefined); // it is looked at only while the server starts
    const client = await this.create(this.choice, lost);
    if (!this.wanted) return; // the window was closed meanwhile
    this.client = client;
    this.prepare(client);
    try {
      // The client's own promise may stay open when the program ends in the middle of the greeting.
      await Promise.race([client.start(), ended]);
    } catch (problem) {
      this.log.error(String(problem));
      if (client === this.client) this.fail(`the server did not start: ${wordsOf(problem)}`);
    }
  }

  /** The library is loaded here, and not with the extension: it takes longer than all else of an activation. */
  private async create(choice: Choice, lost: () => void): Promise<LanguageClient> {
    const { clientOf, whenItChanges } = await import("./client");
    const client = clientOf(choice, this.log, lost);
    whenItChanges(client, (isRunning) => {
      if (client !== this.client) return;
      if (isRunning) this.become("ready", "");
      else if (this.wanted && !this.starting) this.fail("the server ended");
    });
    return client;
  }

  private fail(what: string): void {
    const pause = this.backoff.ended(Date.now());
    this.client = undefined;
    this.become("failed", `${what.charAt(0).toUpperCase()}${what.slice(1)}.`);
    if (pause === undefined || !this.wanted) return;
    this.log.warn(`${what}; starting it again in ${pause} ms`);
    this.timer = setTimeout(() => void this.start(), pause);
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await client?.dispose(GRACE).catch(() => undefined); // it may be gone already
  }

  private become(state: ServerState, problem: string): void {
    this.state = state;
    this.problem = problem;
    setContext("ready", state === "ready");
    this.changed.fire(state);
  }
}

function wordsOf(problem: unknown): string {
  return (problem instanceof Error ? problem.message : String(problem)).replace(/\.$/, "");
}
