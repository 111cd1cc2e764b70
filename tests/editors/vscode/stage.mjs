// What the tests in VS Code play: a small project, and what the scripted model says and does to it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";
import { fileURLToPath } from "node:url";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

export const GREET = [
  '"""Greets people."""',
  "",
  "",
  "def greet(name):",
  '    return "Helo " + name',
  "",
  "",
  "def part(name):",
  '    return "Good by " + name',
  "",
].join("\n");

const HELLO = ['    return "Helo " + name', '    return f"Hello {name}!"'];
const BYE = ['    return "Good by " + name', '    return f"Good bye {name}!"'];
const between = ["", "", "def part(name):"].join("\n");

const ANSWER = [
  "I look at both functions. ",
  "The greetings are **misspelt**:\n\n",
  "```python\n",
  'greet("Ada")  # Helo Ada\n',
  "```\n\n",
  "First I see what is there.",
];

const ALL_OF_IT = `# A heading

Text with \`code\`, a [link](greet.py), **bold** and ~~struck~~ words.

> A quotation.

| Name | Number |
|------|-------:|
| one  |      1 |

\`\`\`python
@cache  # a comment
def area(radius: float) -> str:
    return f"{3.14 * radius ** 2}" if radius else None
\`\`\`
`;

const PLAN = `# A farewell in greet.py

Nothing in greet.py says good night yet.

1. Add \`good_night(name)\` beside the other greetings.
2. Run the tests.

| File | What changes |
|------|--------------|
| \`greet.py\` | one new function |
`;

const NOTEBOOK = {
  cells: [
    {
      cell_type: "code",
      execution_count: 1,
      metadata: {},
      outputs: [{ name: "stdout", output_type: "stream", text: ["1\n"] }],
      source: ["print(1)"],
    },
  ],
  metadata: { language_info: { name: "python" } },
  nbformat: 4,
  nbformat_minor: 2,
};

export const SCRIPT = {
  delay: 0.05,
  prompts: [
    {
      match: "Change the notebook",
      turns: [
        { calls: [{ name: "read_file", arguments: { path: "plot.ipynb" } }] },
        { calls: [{ name: "edit_notebook", arguments: { path: "plot.ipynb", cell: 0, source: "print(2)" } }] },
        {
          calls: [
            {
              name: "edit_notebook",
              arguments: { path: "plot.ipynb", cell: 1, action: "insert", source: "print(3)" },
            },
          ],
        },
        { text: "It prints more now." },
      ],
    },
    {
      match: "Correct the greetings",
      turns: [
        {
          thinking: "Two strings look wrong.",
          text: ANSWER,
          calls: [{ name: "shell", arguments: { command: "printf '\\033[32mgreet.py\\033[0m\\n'; env ls" } }],
        },
        { text: "I read the file.", calls: [{ name: "read_file", arguments: { path: "greet.py" } }] },
        {
          text: "Both strings, in one edit.",
          calls: [
            {
              name: "edit_file",
              arguments: {
                path: "greet.py",
                old_text: `${HELLO[0]}\n${between}\n${BYE[0]}`,
                new_text: `${HELLO[1]}\n${between}\n${BYE[1]}`,
              },
            },
          ],
        },
        { text: "Both greetings are correct now." },
      ],
    },
    { match: "Correct it and look", turns: [
      { calls: [{ name: "read_file", arguments: { path: "greet.py" } }] },
      { calls: [{ name: "edit_file", arguments: { path: "greet.py", old_text: HELLO[0], new_text: HELLO[1] } }] },
      { calls: [{ name: "shell", arguments: { command: "env cat greet.py" } }] },
      { text: "I looked at it." },
    ] },
    { match: "Think for ever", turns: [{ text: "This takes a while", hang: true }] },
    {
      match: "Write the notes",
      turns: [
        { calls: [{ name: "write_file", arguments: { path: "notes.md", content: "# Notes\n\nGreetings are tested.\n" } }] },
        { text: "The notes are written." },
      ],
    },
    { match: "Plan a farewell", turns: [
      ...[1, 2].map(() => ({
        calls: [{ name: "present_plan", arguments: { plan: PLAN, steps: ["Add the farewell", "Run the tests"] } }],
      })),
      { text: "The plan is approved." },
    ] },
    { match: "Explain this code", turns: [{ text: "It greets." }] },
    { match: "Run two lines", turns: [
      { calls: [{ name: "shell", arguments: { command: "touch one" } }] },
      { text: "It ran." },
    ] },
    // It works until there is a file named "go": the user has time to say more, and to look at something else.
    { match: "Run it later", turns: [
      { text: "First I think.", calls: [{ name: "shell", arguments: { command: "until [ -e go ]; do sleep 0.1; done; touch gone" } }] },
    ] },
    { match: "Be quick", turns: [
      { calls: [{ name: "shell", arguments: { command: "touch later" } }] },
      { text: "It ran later." },
    ] },
    { match: "Delegate it", turns: [
      { calls: [{ name: "delegate", arguments: { tasks: [{ prompt: "Look around" }] } }] },
      { text: "It was delegated." },
    ] },
    { match: "Look around", turns: [
      { calls: [{ name: "shell", arguments: { command: "touch helped" } }] },
      { text: "I looked." },
    ] },
    // Every kind of thing that the chat can show; at its end it asks something that may be allowed for longer.
    { match: "Show all of it", turns: [
      { thinking: "Hm.", text: ALL_OF_IT, calls: [{ name: "shell", arguments: { command: "printf 'one\\ntwo\\n'; touch made.txt" } }] },
      { calls: ["missing.py", "greet.py"].map((name) => ({ name: "read_file", arguments: { path: name } })) },
      { calls: [{ name: "edit_file", arguments: { path: "greet.py", old_text: HELLO[0], new_text: HELLO[1] } }] },
      { calls: [{ name: "delegate", arguments: { tasks: [{ prompt: "Read around" }] } }] },
      { calls: [{ name: "shell", arguments: { command: "env ls" } }] },
      { text: "That is all." },
    ] },
    { match: "Read around", turns: [
      { calls: [{ name: "read_file", arguments: { path: "README.md" } }] },
      { text: "I looked." },
    ] },
    { match: "What do you see", turns: [{ text: "I have looked." }] },
    { match: "Ask me", turns: [
      { calls: [{ name: "ask_user", arguments: { question: "Which language?", choices: ["English", "German"], free_text: false } }] },
      { text: "Understood." },
    ] },
  ],
};

/** What the scripted model says and does, prompt by prompt, as a server of models would: reply by reply. */
function repliesTo(match) {
  const { turns } = SCRIPT.prompts.find((prompt) => prompt.match === match);
  return turns.map(({ text, calls }) => ({ text: [text ?? ""].flat().join(""), calls: calls ?? [] }));
}

const OFFLINE = { PIP_NO_INDEX: "1", PIP_CONFIG_FILE: os.devnull }; // what is not in the package cannot be installed

/** A folder with the project, and nothing that says which model there is; `env` makes it the user's home. */
export function makeProject() {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "stage-")));
  const workspace = path.join(folder, "greetings");
  fs.mkdirSync(workspace);
  fs.writeFileSync(path.join(workspace, "greet.py"), GREET);
  fs.writeFileSync(path.join(workspace, "README.md"), "# Greetings\n");
  fs.writeFileSync(path.join(workspace, "plot.ipynb"), `${JSON.stringify(NOTEBOOK, null, 1)}\n`);
  // A folder that wants to choose the program and what it may do: every test proves that it has no say.
  fs.mkdirSync(path.join(workspace, ".vscode"));
  const program = { "agls.server.command": ["/bin/false"], "agls.server.python": "/bin/false" };
  const wanted = { ...program, "agls.mode": "allowAll", "agls.model": "other", "agls.effort": "high" };
  fs.writeFileSync(path.join(workspace, ".vscode", "settings.json"), JSON.stringify(wanted));
  const env = { ...OFFLINE, HOME: folder };
  return { folder, workspace, env, remove: () => fs.rmSync(folder, { recursive: true, force: true }) };
}

/** The model that plays the script, as a configuration in this file. */
function playing(folder, config, prompts = []) {
  const script = path.join(folder, "script.json");
  fs.writeFileSync(script, JSON.stringify({ ...SCRIPT, prompts: [...prompts, ...SCRIPT.prompts] }));
  const model = ['model = "play"', "[models.play]", 'dialect = "scripted"', `script = ${JSON.stringify(script)}`];
  fs.mkdirSync(path.dirname(config), { recursive: true });
  fs.writeFileSync(config, [...model, "context_window = 32000", "[models.other]", ...model.slice(2), "[web]", "fetch = false", ""].join("\n"));
}

/** The project with the scripted model, which plays these prompts too. */
export function makeStage(prompts = []) {
  const stage = makeProject();
  const config = path.join(stage.folder, "config.toml");
  playing(stage.folder, config, prompts);
  Object.assign(stage.env, { AGLS_CONFIG: config, AGLS_STATE_DIR: path.join(stage.folder, "state"), AGLS_LOCAL_SERVERS: "false", AGLS_SANDBOX: "off" });
  return stage;
}

/** The home of somebody new, who has the scripted model in the file that the README names. */
export function withScriptedModel() {
  const stage = makeProject();
  playing(stage.folder, path.join(stage.folder, ".config", "agls", "config.toml"));
  return stage;
}

/** The home of somebody new, who has a server of models of their own, and its address where the README says. */
export async function withLocalServer() {
  const stage = makeProject();
  const url = await serveModels(stage, repliesTo("Correct the greetings"));
  Object.assign(stage.env, { OPENAI_BASE_URL: url, OPENAI_API_KEY: "none", OPENAI_MODEL: "test-model" });
  return stage;
}

/** Start a server of models that gives these replies, one after the other, until the stage is removed; its address. */
export async function serveModels(stage, replies) {
  const script = path.join(stage.folder, "replies.json");
  fs.writeFileSync(script, JSON.stringify({ replies }));
  const python = path.join(ROOT, ".venv", "bin", "python");
  const program = ["-m", "support.model_server", "--script", script];
  const server = spawn(python, program, { cwd: path.join(ROOT, "tests"), stdio: ["ignore", "pipe", "inherit"] });
  const [url] = await once(readline.createInterface(server.stdout), "line");
  const { remove } = stage;
  stage.remove = () => (server.kill(), remove());
  return url;
}
