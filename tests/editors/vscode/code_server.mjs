// A real VS Code (code-server) with a profile of its own on a free port of this machine.
// Environment: CODE_SERVER, the launcher that scripts/editors/code-server prints.

import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");
// What this machine's user has set: where they keep their things, which model they use.
const OF_THE_USER = /^(XDG|AGLS|OPENAI|ANTHROPIC|GEMINI|GOOGLE|OLLAMA|OPENROUTER)_/;
const PATIENCE = 180_000; // milliseconds until it must answer, on however slow a machine

// Nothing that comes and goes by itself, and no request that leaves the machine.
const QUIET = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.enableExperiments": false,
  "workbench.reduceMotion": "on",
  "chat.disableAIFeatures": true,
  "telemetry.telemetryLevel": "off",
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "update.mode": "none",
  "git.enabled": false,
  "editor.minimap.enabled": false,
  "editor.acceptSuggestionOnEnter": "off",
  "editor.quickSuggestions": { other: "off", comments: "off", strings: "off" },
  "files.autoSave": "off",
};

const TRUST = {
  trusted: { "security.workspace.trust.enabled": false },
  restricted: { "security.workspace.trust.startupPrompt": "never", "security.workspace.trust.banner": "never" },
};

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/**
 * Starts it. `beside` is the folder of an extension that is installed. `install` is what a user types first, in a shell where `code` is this editor. An editor that is not
 * `quiet` has an empty profile: only `settings`. One that is not `trusted` opens the folder in Restricted Mode. Gives where it is, its log, and how to end it with all it started.
 */
export async function startCodeServer(options) {
  const { workspace, install, settings = {}, env = {}, quiet = true, trusted = true, hostTests = false, beside } = options;
  const launcher = process.env.CODE_SERVER;
  if (!launcher) throw new Error("set CODE_SERVER to what scripts/editors/code-server prints");
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "cs-")); // short: a socket's path has 107 characters at most
  // What is a machine's own (where the server is) counts only as the machine's setting in a remote window like this.
  const configure = (more) => {
    for (const scope of ["User", "Machine"]) {
      const folder = path.join(home, "data", scope);
      fs.mkdirSync(folder, { recursive: true });
      const all = { ...(quiet ? { ...QUIET, ...TRUST[trusted ? "trusted" : "restricted"] } : {}), ...settings, ...more };
      fs.writeFileSync(path.join(folder, "settings.json"), JSON.stringify(all));
    }
  };
  configure({});
  if (beside) fs.cpSync(beside, path.join(home, "extensions", path.basename(beside)), { recursive: true });
  const environment = {
    ...process.env,
    HOME: home,
    EXTENSIONS_GALLERY: '{"serviceUrl":""}',
    ...env,
  };
  for (const name of ["VSCODE_IPC_HOOK_CLI", "PORT"]) delete environment[name]; // they would change where it goes
  for (const name of Object.keys(environment)) if (OF_THE_USER.test(name) && !(name in env)) delete environment[name];
  const profile = ["--user-data-dir", path.join(home, "data"), "--extensions-dir", path.join(home, "extensions")];
  const base = [...profile, "--config", path.join(home, "config.yaml")];
  if (install) {
    const code = `code() { "$CODE_SERVER" ${base.map((word) => `'${word}'`).join(" ")} "$@"; }`;
    execFileSync("bash", ["-euc", `${code}\n${install}`], { cwd: ROOT, env: environment, stdio: "pipe" });
  }

  const port = await freePort();
  const logFile = path.join(home, "log.txt");
  const log = fs.openSync(logFile, "w");
  const flags = ["auth=none", "disable-telemetry", "disable-update-check", "disable-getting-started-override"];
  if (quiet && trusted) flags.push("disable-workspace-trust");
  const test = hostTests ? ["--vscode-option", "enable-smoke-test-driver"] : []; // else it takes no test files
  const child = spawn(launcher, [...base, "--bind-addr", `127.0.0.1:${port}`, ...flags.map((flag) => `--${flag}`), ...test], {
    env: environment,
    detached: true,
    stdio: ["ignore", log, log],
  });
  const kill = () => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // it is gone
    }
  };
  process.once("exit", kill);
  const server = {
    origin: `http://127.0.0.1:${port}`,
    port,
    home,
    workspace,
    /** Other settings than at the beginning, while it runs. */
    configure,
    log: () => fs.readFileSync(logFile, "utf8"),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const gone = new Promise((resolve) => child.once("exit", resolve));
        const late = setTimeout(kill, 10_000);
        process.kill(-child.pid, "SIGTERM");
        await gone;
        clearTimeout(late);
      }
      kill();
      process.off("exit", kill);
      fs.rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
  server.url = `${server.origin}/?folder=${encodeURIComponent(workspace)}`;
  for (const end = Date.now() + PATIENCE; Date.now() < end; ) {
    if (child.exitCode !== null) throw new Error(`code-server ended:\n${server.log()}`);
    const alive = await fetch(`${server.origin}/healthz`).then((answer) => answer.ok, () => false);
    if (alive) return server;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await server.stop();
  throw new Error("code-server does not answer");
}
