// What the tests in VS Code play: a small project, and what the scripted model says and does to it.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";

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

export const SCRIPT = {
  delay: 0.05,
  prompts: [
    {
      match: "Correct the greetings",
      turns: [
        {
          thinking: "Two strings look wrong.",
          text: ANSWER,
          calls: [{ name: "shell", arguments: { command: "printf '\\033[32mgreet.py\\033[0m\\n'; ls" } }],
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
    { match: "Think for ever", turns: [{ text: "This takes a while", hang: true }] },
    {
      match: "Write the notes",
      turns: [
        { calls: [{ name: "write_file", arguments: { path: "notes.md", content: "# Notes\n\nGreetings are tested.\n" } }] },
        { text: "The notes are written." },
      ],
    },
    { match: "Explain this code", turns: [{ text: "It greets." }] },
    { match: "Run two lines", turns: [
      { calls: [{ name: "shell", arguments: { command: "echo one" } }] },
      { text: "It ran." },
    ] },
    // It asks when there is a file named "go": the user has time to look at something else.
    { match: "Run it later", turns: [
      { text: "First I think.", calls: [{ name: "shell", arguments: { command: "until [ -e go ]; do sleep 0.1; done" } }] },
      { calls: [{ name: "shell", arguments: { command: "echo later" } }] },
      { text: "It ran later." },
    ] },
    { match: "Delegate it", turns: [
      { calls: [{ name: "delegate", arguments: { tasks: [{ prompt: "Look around" }] } }] },
      { text: "It was delegated." },
    ] },
    { match: "Look around", turns: [
      { calls: [{ name: "shell", arguments: { command: "echo helped" } }] },
      { text: "I looked." },
    ] },
    { match: "What do you see", turns: [{ text: "I have looked." }] },
    { match: "Ask me", turns: [
      { calls: [{ name: "ask_user", arguments: { question: "Which language?", choices: ["English", "German"], free_text: false } }] },
      { text: "Understood." },
    ] },
  ],
};

/** A folder with the project, the script and a configuration; `env` makes the server use them. */
export function makeStage() {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "stage-")));
  const workspace = path.join(folder, "greetings");
  fs.mkdirSync(workspace);
  fs.writeFileSync(path.join(workspace, "greet.py"), GREET);
  fs.writeFileSync(path.join(workspace, "README.md"), "# Greetings\n");
  // A folder that wants to choose the program: the server of every test proves that it has no say.
  fs.mkdirSync(path.join(workspace, ".vscode"));
  const wanted = { "aglet.server.command": ["/bin/false"], "aglet.server.python": "/bin/false" };
  fs.writeFileSync(path.join(workspace, ".vscode", "settings.json"), JSON.stringify(wanted));
  const script = path.join(folder, "script.json");
  fs.writeFileSync(script, JSON.stringify(SCRIPT));
  const config = path.join(folder, "config.toml");
  const model = ['model = "play"', "[models.play]", 'dialect = "scripted"', `script = ${JSON.stringify(script)}`];
  fs.writeFileSync(config, [...model, "context_window = 32000", "[models.other]", ...model.slice(2), ""].join("\n"));
  const env = { AGLET_CONFIG: config, AGLET_STATE_DIR: path.join(folder, "state"), HOME: folder };
  return { folder, workspace, env, remove: () => fs.rmSync(folder, { recursive: true, force: true }) };
}
