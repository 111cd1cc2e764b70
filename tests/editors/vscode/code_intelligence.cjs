// What VS Code's own language extension knows reaches the model: its built-in TypeScript server, as users have it.

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { until } = require("./until.cjs");

const BY = "[From the editor's language servers.]";
const file = (name) => vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, name);
let api;

/** What the calls of the last prompt were answered with, without who answered, which has to be the editor. */
async function outputs(prompt) {
  const before = api.items.length;
  await api.prompt(prompt);
  await until("it runs", () => api.state !== "idle");
  for (;;) {
    const found = await until("the run asks or ends", () => api.questions[0] ?? (api.state === "idle" && "ended"));
    if (found === "ended") break;
    api.answer(found, { outcome: "selected", optionId: "once" });
    await until("the question is closed", () => !api.questions.includes(found));
  }
  const calls = api.items.slice(before).filter(({ kind }) => kind === "toolCall");
  return calls.map(({ output }) => output);
}

const credited = (text) => {
  assert.ok(text.endsWith(`\n${BY}`), text);
  return text.slice(0, -BY.length - 1);
};

const EXPECTED = [
  ["definition", "shop.ts\n10:export function total(items: number[]): number {"],
  ["references", 'main.ts\n1:import { Shop, total } from "./shop";\n3:export const all: number = total([3]) + new Shop().price();\n' +
      "shop.ts\n6:    return total([1, 2]);\n10:export function total(items: number[]): number {"],
  ["hover", /function total\(items: number\[\]\): number[^]*Add them up\./],
  ["implementations", "shop.ts\n5:  price(): number {"],
  ["document_symbols", /^shop\.ts\n1-3: interface Priced\n2: {3}method price\n4-8: class Shop\n5-7: {3}method price\n10-12: function total/],
  ["workspace_symbols", /shop\.ts\n(10|10-12): function total/],
  ["call_hierarchy", "shop.ts\n5: method price\nCalled by:\nmain.ts\n" +
      "3:export const all: number = total([3]) + new Shop().price();  (in main.ts)\nCalls:\nshop.ts\n10: function total"],
  ["incoming_calls", /shop\.ts\n6: {4}return total\(\[1, 2\]\); {2}\(in price\)/],
  ["outgoing_calls", "shop.ts\n10: function total"],
  ["diagnostics", "main.ts\n4: error: Type 'string' is not assignable to type 'number'. (ts)"],
];

const tests = {
  async "the built-in TypeScript server knows the files"() {
    api = await vscode.extensions.getExtension("agls.agls").activate();
    await until("the server is ready", () => api.server.state === "ready");
    for (const name of ["shop.ts", "main.ts"]) await vscode.window.showTextDocument(file(name), { preview: false });
    await until("it has looked at them", () => vscode.languages.getDiagnostics(file("main.ts")).length > 0);
  },

  async "all ten questions about code are answered by the editor"() {
    const answers = await outputs("Look at the code");
    assert.equal(answers.length, EXPECTED.length);
    if (process.env.VERBOSE) console.log(`[test] ${JSON.stringify(answers, null, 1)}`);
    for (const [index, [operation, expected]] of EXPECTED.entries()) {
      const text = credited(answers[index]);
      if (typeof expected === "string") assert.equal(text, expected, operation);
      else assert.match(text, expected, operation);
    }
  },

  async "a name is found without its file, and unsaved text counts"() {
    const editor = await vscode.window.showTextDocument(file("shop.ts"));
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "export const unsaved = 1;\n\n"));
    const [found, missing] = await outputs("Find by name");
    assert.match(credited(found), /^shop\.ts\n(12|12-14): function total/);
    assert.match(credited(missing), /^shop\.ts\n1:export const unsaved = 1;/);
  },

  async "a renaming changes open documents as one step of undo, and is what the editor would do"() {
    const document = await vscode.workspace.openTextDocument(file("shop.ts"));
    const before = document.getText();
    const [renamed] = await outputs("Rename it");
    assert.match(renamed, /^Renamed total to summed in 4 places:\n/);
    for (const name of ["shop.ts", "main.ts"]) {
      const { getText } = await vscode.workspace.openTextDocument(file(name));
      assert.ok(!/\btotal\b/.test(getText()), name);
      assert.match(getText(), /\bsummed\b/);
    }
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("undo");
    assert.equal(document.getText(), before);
  },
};

exports.run = async function run() {
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
      console.log(`[test] ok: ${name}`);
    } catch (problem) {
      console.log(`[test] FAILED: ${name}: ${problem.stack ?? problem}`);
      throw problem;
    }
  }
};
