// States of the chat, as the messages that the extension sends to its page.

const done = { status: "completed" };
let number = 0;
const item = (kind, more) => ({ itemId: `i${++number}`, kind, ...done, ...more });
const user = (text, more = {}) => item("userMessage", { content: [{ type: "text", text }], ...more });
const says = (text, more = {}) => item("message", { text, ...more });
const call = (name, input, more = {}) =>
  item("toolCall", { name, title: `${name} ${Object.values(input)[0] ?? ""}`, input, effects: "none", ...more });
const PATCH = '--- a/src/signing/signer.py\n+++ b/src/signing/signer.py\n@@ -10,6 +10,8 @@\n def sign(data, key):\n-    digest = md5(data)\n+    """Sign with the key; raises ValueError for an empty one."""\n+    if not key:\n+        raise ValueError("the key is empty")\n+    digest = sha256(data)\n     return encode(digest)\n';
const change = { uri: "file:///home/me/project/src/signing/signer.py", change: "modified", patch: PATCH };
const edit = (more = {}) => call("edit_file", { path: "src/signing/signer.py" }, { effects: "applied", changes: [change], ...more });
const ran = (command, exitCode, output, more = {}) =>
  call("shell", { command, description: "Run the tests" }, {
    output: output.replace(/\u001b\[[0-9;]*m/g, ""),
    terminal: { command, cwd: "/home/me/project", exitCode, coloured: output },
    ...more,
  });

const WORDS = [
  ["read_file", "Read", "Reading", "read", "path"],
  ["list_dir", "Listed", "Listing", "read", "path"],
  ["grep", "Searched", "Searching", "search", "pattern"],
  ["edit_file", "Edited", "Editing", "edit", "path"],
  ["shell", "Ran", "Running", "command", "command"],
  ["web_fetch", "Fetched", "Fetching", "web", "url"],
  ["delegate", "Handed work to helpers", "Working with helpers", "helper"],
].map(([name, did, doing, kind, about]) => ({ name, done: did, doing, kind, about }));
const MODELS = [{ name: "claude-sonnet-4-5", provider: "api.anthropic.com", contextWindow: 200_000 }];
const ready = { type: "server", state: "ready", problem: "" };
const models = { type: "models", models: MODELS, problem: "", isMistake: false, options: { mode: "ask" }, calls: WORDS };
const noModel = { ...models, models: [], problem: "No model is configured, and no model server answers on this machine." };
const chips = {
  type: "chips",
  chips: [{ id: "a", label: "signer.py", detail: "src/signing/signer.py", kind: "file", offered: true }],
};
const session = (items, more = {}) => ({
  type: "session",
  view: { sessionId: "s", older: false, steers: {}, transcript: { state: "idle", items, runs: {}, lastItems: {}, ...more } },
});
const PROVIDERS = ["openai", "anthropic", "gemini", "openrouter"].map((name) => ({ name, host: `api.${name}.com`, hasKey: name === "anthropic" }));
const offered = (models) => ({
  type: "providers",
  offered: { providers: PROVIDERS, looked: true, local: models.length ? [{ kind: "ollama", baseUrl: "http://127.0.0.1:11434/v1", models }] : [] },
});

const looked = [
  call("read_file", { path: "src/signing/signer.py" }),
  call("grep", { pattern: "md5" }),
  call("read_file", { path: "tests/test_signer.py" }),
  call("read_file", { path: "pyproject.toml" }),
];
const talk = [
  user("Make the signer use SHA-256 and refuse empty keys"),
  item("thought", { text: "The signer is in src/signing. I should read it and its tests." }),
  says("I look at the signer and its tests first."),
  ...looked,
  edit(),
  ran("pytest tests/test_signer.py -q", 0, "\u001b[32m....\u001b[0m\n4 passed in 0.31s\n"),
  says("The signer uses **SHA-256** now, and refuses an empty key:\n\n```python\nif not key:\n    raise ValueError(\"the key is empty\")\n```\n\n- `sign` raises `ValueError`\n- the tests pass"),
];
const ENDED = { stopReason: "endTurn", usage: { inputTokens: 8400, outputTokens: 900 }, cost: 0.0312 };
const runs = { r1: ENDED };
const failing = (kind, title, message) => ({
  runs: { r1: { stopReason: "error", error: { kind, title, message } } },
  lastItems: { r1: "u" },
});
const asks = (subject, shown, more) => ({
  q1: {
    requestId: "q1",
    kind: "permission",
    itemId: "c",
    subject,
    options: [
      { optionId: "once", label: "Allow once", decision: "allow", scope: "once" },
      { optionId: "session", label: "Allow for this session", decision: "allow", scope: "session", rule: "shell(npm test)" },
      { optionId: "project", label: "Allow for this project", decision: "allow", scope: "project", rule: "shell(npm test)" },
      { optionId: "reject", label: "Reject", decision: "reject", scope: "once" },
    ],
    shown: { text: shown, whole: true },
    ...more,
  },
});
const TWO_RULES = "“Allow all edits in this session” adds the rule:\n│ edit\n“Allow for this project” adds the rule:\n│ edit(src/signing/signer.py)";
const command = "npm test -- --reporter=dot && git diff --stat";
const entries = [
  ["Read the signer and its tests", "done"],
  ["Use SHA-256", "done"],
  ["Refuse empty keys", "inProgress"],
  ["Run the tests", "pending"],
].map(([text, state], n) => ({ id: n + 1, text, state }));
const MARKS = { done: "x", inProgress: ">", pending: " " }; // as the server writes them
const plan = item("plan", { title: "Plan: 2 of 4 done", text: entries.map(({ id, text, state }) => `- [${MARKS[state]}] ${id}. ${text}`).join("\n"), entries });
const running = { status: "running" };
const LONG = Array.from({ length: 60 }, (_, n) => `echo "step ${n}" && ./scripts/run --number ${n}`).join("\n");

const GROUPS = ["Conversation", "Model and context", "Changes"];
const HELP = `${GROUPS.map((group) => `### ${group}\n\n${["fork", "undo", "rewind", "usage"].map((name) => `- \`/${name}\`: Do this with the **session**, and say what came of it.`).join("\n")}`).join("\n\n")}\n\n\`/help NAME\` says how one is written.`;

const ROWS = ["SHA-256|256|yes|the usual choice, and the fastest on this machine", "BLAKE2b|up to 512|yes|fast where there is no instruction for SHA", "MD5|128|no|only for checks of what nobody wants to forge"];
const TABLE = ["Digest|Bits|Safe|What it is good for", "---|--:|:-:|---", ...ROWS].map((row) => `| ${row.replaceAll("|", " | ")} |`).join("\n");
const PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Each state: its name, and the messages that bring it about. */
export const STATES = {
  "01-server-missing": [{ type: "server", state: "missing", problem: "agls's server is not set up yet." }],
  "02-setting-up": [
    { type: "server", state: "missing", problem: "" },
    { type: "progress", text: "Installing what it needs…" },
  ],
  "03-server-failed": [{ type: "server", state: "failed", problem: "The server did not start: /home/me/.local/share/code-server/User/globalStorage/agls.agls/server/bin/python ended at once." }],
  "04-no-local-model": [ready, noModel, offered([])],
  "05-local-models": [ready, noModel, offered(["ollama/qwen3-coder:30b", "ollama/gpt-oss:20b"])],
  "06-welcome": [ready, models, chips],
  "07-conversation": [ready, models, chips, session(talk, { runs, usage: { used: 42_000, size: 200_000 } })],
  "08-thinking": [
    ready,
    models,
    session([...talk.slice(0, 1), item("thought", { text: "The signer is small.\nIts digest must be replaced by SHA-256.", ...running })], { state: "running", runId: "r", begun: Date.now() - 12_000 }),
  ],
  "09-command-runs": [
    ready,
    models,
    session([...talk.slice(0, 8), ran("pytest -q", null, "collected 48 items\n\u001b[32m..........\u001b[0m\u001b[31mF\u001b[0m....", running)], { state: "running", runId: "r", begun: Date.now() - 3000 }),
  ],
  "10-asks-command": [
    ready,
    models,
    session([...talk.slice(0, 3), call("shell", { command, description: "Run the tests and show what changed" }, { itemId: "c", status: "pending" })], {
      state: "requiresAction",
      runId: "r",
      requests: asks({ type: "command", command, cwd: "/home/me/project" }, `│ ${command}\nin /home/me/project\nAllowing it for longer than once adds the rule:\n│ shell(npm test)`, { title: `Run ${command}`, reason: "It runs a command." }),
    }),
  ],
  "11-asks-edit": [
    ready,
    models,
    session([...talk.slice(0, 7), call("edit_file", { path: "src/signing/signer.py" }, { itemId: "c", status: "pending" })], {
      state: "requiresAction",
      runId: "r",
      requests: asks({ type: "edit", changes: [change] }, `modified: ${new URL(change.uri).pathname}\n${PATCH.trimEnd().split("\n").slice(2).map((line) => `│ ${line}`).join("\n")}\n${TWO_RULES}`, { title: "Edit src/signing/signer.py", reason: "It changes the workspace." }),
    }),
  ],
  "12-asks-long": [
    ready,
    models,
    session([...talk.slice(0, 3), call("shell", { command: LONG }, { itemId: "c", status: "pending" })], {
      state: "requiresAction",
      runId: "r",
      requests: asks({ type: "command", command: LONG, cwd: "/home/me/project" }, `${LONG.split("\n").map((line) => `│ ${line}`).join("\n")}\nin /home/me/project`, { title: "Run 60 lines" }),
    }),
  ],
  "13-asks-form": [
    ready,
    models,
    session(talk.slice(0, 3), {
      state: "requiresAction",
      runId: "r",
      requests: {
        q: {
          requestId: "q",
          kind: "form",
          title: "Which digest?",
          schema: { type: "object", properties: { which: { type: "string", title: "Digest", enum: ["SHA-256", "SHA-512", "BLAKE2"] } }, required: ["which"] },
        },
      },
    }),
  ],
  "14-plan-tasks-queue": [
    ready,
    models,
    chips,
    session([...talk.slice(0, 8), plan, item("task", { title: "npm run watch", ...running })], {
      state: "running",
      runId: "r",
      begun: Date.now() - 64_000,
      queue: ["Then update the changelog", "And the README, with the new names of the functions, an example for each of them, and what changed since the last release"].map((text, n) => ({ itemId: `w${n}`, runId: `w${n}`, content: [{ type: "text", text }] })),
    }),
    { type: "changes", changes: 3, files: 2 },
  ],
  "15-error-key": [ready, models, session([user("Make it faster", { itemId: "u" })], failing("auth", "The key was refused", "api.anthropic.com says 401: invalid x-api-key. The key of ANTHROPIC_API_KEY was sent."))],
  "16-limit": [ready, models, session([user("Make it faster", { itemId: "u" })], { runs: { r1: { stopReason: "maxTurns", detail: "50 turns were used of 50" } }, lastItems: { r1: "u" } })],
  "17-interrupted": [ready, models, session([user("Make it faster", { itemId: "u" })], { runs: { r1: { stopReason: "interrupted", detail: "the server ended while it worked" } }, lastItems: { r1: "u" } })],
  "18-stopped": [ready, models, session([user("Make it faster"), says("I begin with", { itemId: "u", status: "cancelled" })], { runs: { r1: { stopReason: "cancelled" } }, lastItems: { r1: "u" } })],
  "21-outcome-of-a-command": [ready, models, chips, session(talk, { runs }), { type: "outcome", title: "Help", text: HELP }],
  "22-live-output": [
    ready,
    models,
    session([user("Run the tests"), call("shell", { command: "pytest -q" }, { ...running, output: "....F\n1 failed\n", coloured: "\u001b[32m....\u001b[0m\u001b[31mF\u001b[0m\n\u001b[1;31m1 failed\u001b[0m\n" })], { state: "running", runId: "r" }),
  ],
  "26-wide-table": [
    ready,
    models,
    session([
      user("Which digests are there?"),
      ...["Project instructions", "Skills", "Memory"].map((title) => item("notice", { title, text: `What the model is told: **${title}**.` })),
      says(`What the standard library has:\n\n${TABLE}\n\nUse **SHA-256**. A long line of code is scrolled, too:\n\n\`\`\`sh\n${command} && ${command}\n\`\`\``),
    ], { runs }),
  ],
  "27-worktree": [
    ready,
    models,
    session(talk, { runs, options: { worktree: "/home/me/.local/state/agls/worktrees/fix-parser" } }),
    { type: "outcome", title: "Work in a worktree", text: "The session `ses_1` works in `/home/me/.local/state/agls/worktrees/fix-parser`, on the branch `agls/fix-parser`; this one stays where it is.", folder: "/home/me/.local/state/agls/worktrees/fix-parser" },
  ],
  "28-mcp-servers": [
    ready,
    models,
    session(talk.slice(0, 3), {
      servers: [
        { name: "github", status: "failed", needsLogin: true, message: "It wants a login." },
        { name: "postgres", status: "failed", message: "The program npx ended at once (exit code 1): package @acme/postgres was not found in the registry." },
        { name: "browser", status: "starting" },
      ],
    }),
  ],
  "29-all-kinds-of-chips": [
    ready,
    models,
    {
      type: "chips",
      chips: [
        ["signer.py:10-14", "selection", { offered: true }],
        ["src/signing/", "folder"],
        ["screenshot-of-a-long-name.png", "image", { preview: PIXEL }],
        ["2 problems", "diagnostic"],
        ["bash: the last command", "terminal"],
        ["3 failed tests", "tests"],
      ].map(([label, kind, more], n) => ({ id: `c${n}`, label, detail: label, kind, ...more })),
    },
  ],
  "19-completions": [
    ready,
    models,
    { type: "compose", text: "look at @sig" },
    {
      type: "completions",
      ticket: 1,
      rows: [
        { label: "signer.py", kind: "file", insertText: "@src/signing/signer.py", start: 8, end: 12, detail: "src/signing" },
        { label: "signing/", kind: "folder", insertText: "@src/signing/", start: 8, end: 12, detail: "src" },
        { label: "sign", kind: "symbol", insertText: "@sign", start: 8, end: 12, detail: "function in signer.py" },
        { label: "signals", kind: "source", insertText: "@signals", start: 8, end: 12, detail: "what the editor reports" },
      ],
    },
  ],
  "20-command-failed": [
    ready,
    models,
    session([...talk.slice(0, 3), ran("pytest -q", 1, "\u001b[31mFAILED\u001b[0m tests/test_signer.py::test_empty - ValueError\n1 failed, 3 passed", { status: "failed" }), call("read_file", { path: "missing.py" }, { status: "failed", output: "There is no file missing.py." }), call("mcp__github__list_issues", { repo: "me/project" }, { output: "[]" }), call("web_fetch", { url: "https://docs.example.com/sha" }, { output: "…" }), says("One test fails.")], { runs }),
  ],
  "23-edits-a-prompt": [ready, models, session(talk, { runs }), { type: "edited", itemId: talk[0].itemId, text: "Make the signer use SHA-512" }],
  "24-tries-again": [
    ready,
    models,
    session([user("Make it faster")], {
      state: "running",
      runId: "r",
      begun: Date.now() - 3000,
      retrying: { attempt: 1, delayMs: 20_000, until: Date.now() + 17_000, discardPartial: false, cause: "claude-sonnet-4-5 (api.anthropic.com) answered HTTP 429: this organization sent too many requests in a minute." },
    }),
  ],
  "25-helpers-work": [
    ready,
    models,
    session([user("Let two look"), call("delegate", { tasks: ["Find every use of md5 in src", "Read the tests of the signer, and list what they leave out"].map((prompt) => ({ prompt })) }, { itemId: "d", ...running })], {
      state: "running",
      runId: "r",
      begun: Date.now() - 5000,
      helpers: {
        d: {
          h1: { name: "helper", task: "task-1", state: "running", calls: [call("grep", { pattern: "md5" }), call("shell", { command: "git grep -n md5" }, running)] },
          h2: { name: "helper", task: "task-2", state: "endTurn", calls: [call("read_file", { path: "tests/test_signer.py" })] },
        },
      },
    }),
  ],
};
