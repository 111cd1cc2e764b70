// Tests of the extension from inside: the real `vscode` module, the real server, the scripted model.

const assert = require("node:assert/strict");
const fs = require("node:fs");
const vscode = require("vscode");
const { until } = require("./until.cjs");

let api;
const last = (kind) => api.items.filter((item) => item.kind === kind).at(-1);
const file = (name) => vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, name);
const ended = () => until("the run ends", () => api.state === "idle");
const question = () => until("a question is open", () => api.questions[0]);

/** Let a run go on to its end, with yes to everything it asks. */
async function allowAll() {
  for (;;) {
    const found = await until("the run asks or ends", () => api.questions[0] ?? (api.state === "idle" && "ended"));
    if (found === "ended") return;
    api.answer(found, { outcome: "selected", optionId: "once" });
    await until("the question is closed", () => !api.questions.includes(found));
  }
}

/** The server's process: the child of this one that serves. */
function serving() {
  for (const pid of fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const [, parent] = /\) \S (\d+)/.exec(fs.readFileSync(`/proc/${pid}/stat`, "utf8"));
      const line = fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      if (Number(parent) === process.pid && line.includes("serve")) return Number(pid);
    } catch {
      // it has ended
    }
  }
  return undefined;
}

const tests = {
  async "the server is started, and none of its own commands collides with ours"() {
    const extension = vscode.extensions.getExtension("agls.agls");
    api = await extension.activate();
    await until("the server is ready", () => api.server.state === "ready");
    const commands = await vscode.commands.getCommands(true);
    const ours = extension.packageJSON.contributes.commands.map(({ command }) => command);
    for (const command of ours) assert.ok(commands.includes(command), command);
    for (const command of ["agls.run", "agls.approve", "agls.transcript"]) assert.ok(!commands.includes(command), command);
  },

  async "a folder chooses neither the mode, the model nor the effort of new sessions"() {
    const planted = JSON.parse(fs.readFileSync(file(".vscode/settings.json").fsPath, "utf8"));
    assert.equal(planted["agls.mode"], "allowAll");
    await api.prompt("Run two lines");
    await question();
    const { mode, model, effort } = api.options;
    assert.deepEqual({ mode, model, effort }, { mode: "ask", model: undefined, effort: undefined });
    await vscode.commands.executeCommand("agls.stop");
    await ended();
    await vscode.commands.executeCommand("agls.chat.new");
  },

  async "an edit goes through the unsaved buffer, in one step of undo"() {
    const document = await vscode.workspace.openTextDocument(file("greet.py"));
    const editor = await vscode.window.showTextDocument(document);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "# not saved\n"));
    await api.prompt("Correct the greetings");
    await until("it runs", () => api.state !== "idle");
    await allowAll();
    assert.equal(last("message").text, "Both greetings are correct now.");
    assert.match(document.getText(), /^# not saved\n[^]*Hello \{name\}![^]*Good bye \{name\}!/);
    assert.ok(document.isDirty);
    const text = document.getText();
    await vscode.commands.executeCommand("undo");
    assert.match(document.getText(), /^# not saved\n[^]*Helo [^]*Good by /);
    await vscode.commands.executeCommand("redo");
    assert.equal(document.getText(), text);
  },

  async "every change has its lenses, and is kept or undone by itself while the user goes on typing"() {
    await until("both are known", () => api.changes.length === 2 && api.changes.every((change) => change.stands));
    const uri = file("greet.py");
    const lenses = await vscode.commands.executeCommand("vscode.executeCodeLensProvider", uri);
    const titles = lenses.map((lens) => lens.command?.title ?? "").filter((title) => title.includes("Keep"));
    assert.equal(titles.length, 2);
    const editor = await vscode.window.showTextDocument(uri);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "# typed meanwhile\n"));
    const [first, second] = api.changes;
    await vscode.commands.executeCommand("agls.review.undo", first.hunk);
    assert.match(editor.document.getText(), /^# typed meanwhile\n# not saved\n[^]*Helo [^]*Good bye \{name\}!/);
    await vscode.commands.executeCommand("agls.review.keep", second.hunk);
    await until("nothing is left", () => api.changes.length === 0);
    assert.match(editor.document.getText(), /Good bye \{name\}!/);
  },

  async "a change that the user went on with is left alone"() {
    await api.prompt("Write the notes");
    await until("it runs", () => api.state !== "idle");
    await allowAll();
    const [change] = await until("it is known", () => api.changes.length === 1 && api.changes);
    const editor = await vscode.window.showTextDocument(file("notes.md"));
    await editor.edit((edit) => edit.replace(new vscode.Range(2, 0, 2, 9), "My own words"));
    const text = editor.document.getText();
    await until("it is seen", () => api.changes[0]?.stands === false);
    await vscode.commands.executeCommand("agls.review.undo", change.hunk);
    assert.equal(editor.document.getText(), text);
    await vscode.commands.executeCommand("agls.review.keepAll");
    await until("it is kept", () => api.changes.length === 0);
    await editor.document.save();
  },

  async "an open notebook is read and changed as notebook, unsaved, with its outputs and undo"() {
    const notebook = await vscode.workspace.openNotebookDocument(file("plot.ipynb"));
    await vscode.window.showNotebookDocument(notebook);
    const typed = new vscode.WorkspaceEdit();
    typed.insert(notebook.cellAt(0).document.uri, new vscode.Position(0, 0), "# not saved\n");
    await vscode.workspace.applyEdit(typed);
    const saved = fs.readFileSync(notebook.uri.fsPath, "utf8");
    await vscode.commands.executeCommand("agls.chat.new");
    await api.prompt("Change the notebook");
    await until("it runs", () => api.state !== "idle");
    await allowAll();
    const calls = api.items.filter(({ kind }) => kind === "toolCall");
    assert.match(calls[0].output, /# not saved\n\d+\tprint\(1\)\n\d+\t\[output of cell 0\]\n\d+\t1/);
    const texts = notebook.getCells().map(({ document }) => document.getText());
    assert.deepEqual(texts, ["print(2)", "print(3)"], calls.map(({ output }) => output).join("\n"));
    assert.equal(notebook.cellAt(0).outputs.length, 1);
    assert.ok(notebook.isDirty);
    assert.equal(fs.readFileSync(notebook.uri.fsPath, "utf8"), saved);
    assert.match(calls[1].changes[0].patch, /-# not saved\n-print\(1\)\n\+print\(2\)/);
    const waiting = () => api.changes.map(({ cell, line, old, stands }) => [cell, line, old, stands]);
    await until("both wait, each in its cell", () => api.changes.length === 2);
    assert.deepEqual(waiting(), [[0, 0, "# not saved\nprint(1)\n", true], [1, 0, "", true]]);
    await vscode.window.showNotebookDocument(notebook); // the chat has the keys
    await vscode.commands.executeCommand("notebook.cell.quitEdit");
    await vscode.commands.executeCommand("undo");
    const left = () => notebook.getCells().map(({ document }) => document.getText());
    await until("the last change is undone", () => left().length === 1 || left().join() !== "print(2),print(3)");
    assert.deepEqual(left(), ["print(2)"]);
    await until("the other one stands", () => waiting().some(([cell, , , stands]) => cell === 0 && stands));
    await vscode.commands.executeCommand("agls.review.diff", notebook.uri);
    await until("the cursor is in its cell", () => vscode.window.activeTextEditor?.document === notebook.cellAt(0).document);
    const lenses = await vscode.commands.executeCommand("vscode.executeCodeLensProvider", notebook.cellAt(0).document.uri);
    assert.deepEqual(lenses.map(({ command }) => command.title.replace(/^\$\(\w+\)\s/, "")).slice(0, 2), ["Keep", "Undo"]);
    await vscode.commands.executeCommand("agls.review.undo"); // that under the cursor
    await until("it is undone", () => left()[0] === "# not saved\nprint(1)");
    assert.equal(notebook.cellAt(0).outputs.length, 1);
    await vscode.commands.executeCommand("agls.review.keepAll");
    await until("nothing waits", () => api.changes.length === 0);
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
  },

  async "a refusal with a reason reaches the agent"() {
    await vscode.commands.executeCommand("agls.chat.new");
    await api.prompt("Correct the greetings");
    const asked = await question();
    api.answer(asked, { outcome: "selected", optionId: "reject", feedback: "Not now." });
    await until("the call is refused", () => last("toolCall")?.status === "rejected");
    assert.match(last("toolCall").output, /Not now\./);
    await vscode.commands.executeCommand("agls.stop");
    await ended();
  },

  async "a diagnostic has a fix, which is sent with the lines around it"() {
    const diagnostics = vscode.languages.createDiagnosticCollection("test");
    const uri = file("greet.py");
    const range = new vscode.Range(5, 4, 5, 10);
    diagnostics.set(uri, [new vscode.Diagnostic(range, "Correct the greetings: a misspelt word")]);
    const actions = await vscode.commands.executeCommand("vscode.executeCodeActionProvider", uri, range);
    const fix = actions.find((action) => action.title === "Fix with agls");
    assert.ok(fix, actions.map((action) => action.title).join());
    assert.ok(actions.some((action) => action.title === "Explain with agls"));
    await vscode.commands.executeCommand("agls.chat.new");
    await vscode.commands.executeCommand(fix.command.command, ...fix.command.arguments);
    const sent = await until("it is sent", () => last("userMessage"));
    assert.match(sent.content[0].text, /^Fix this problem in line 6 of greet\.py:\nCorrect the greetings/);
    assert.match(sent.content[1].text, /Good bye/);
    await question();
    await vscode.commands.executeCommand("agls.stop");
    await ended();
    diagnostics.dispose();
  },

  async "the selection is offered as context"() {
    const editor = await vscode.window.showTextDocument(file("README.md"));
    editor.selection = new vscode.Selection(0, 0, 0, 5);
    await until("it is offered", () => api.context.includes("README.md:1"));
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    await until("the file is offered", () => api.context.includes("README.md"));
  },

  async "problems and open tabs are offered, and go with the prompt"() {
    const diagnostics = vscode.languages.createDiagnosticCollection("test");
    const uri = file("greet.py");
    await vscode.window.showTextDocument(file("README.md"), { preview: false });
    await vscode.window.showTextDocument(uri, { preview: false });
    const misspelt = new vscode.Diagnostic(new vscode.Range(4, 11, 4, 16), "a misspelt word");
    misspelt.source = "speller";
    const hint = new vscode.Diagnostic(new vscode.Range(0, 0, 0, 1), "a hint", vscode.DiagnosticSeverity.Hint);
    diagnostics.set(uri, [misspelt, hint]);
    await until("both are offered", () => api.context.includes("1 problem") && api.context.some((name) => /open tab/.test(name)));
    await vscode.commands.executeCommand("agls.chat.new");
    await api.prompt("What do you see");
    await until("it is answered", () => last("message")?.text === "I have looked.");
    const content = last("userMessage").content;
    const problems = content.find((block) => block.uri === "problems:greet.py");
    assert.equal(problems.text, "greet.py:5:12: error: a misspelt word [speller]");
    assert.ok(content.some((block) => block.type === "resourceLink" && block.name === "README.md"));
    diagnostics.set(uri, []);
    await until("it is offered no more", () => !api.context.includes("1 problem"));
    diagnostics.dispose();
    await ended();
  },

  async "code is added to the chat, and explained"() {
    const editor = await vscode.window.showTextDocument(file("greet.py"));
    const line = editor.document.getText().split("\n").findIndex((text) => text.startsWith("def greet"));
    editor.selection = new vscode.Selection(line, 0, line + 2, 0);
    await vscode.commands.executeCommand("agls.addToChat");
    const label = `greet.py:${line + 1}–${line + 2}`;
    await until("it is attached", () => api.context.includes(label));
    await vscode.window.showTextDocument(editor.document);
    await vscode.commands.executeCommand("agls.explain");
    await until("it is answered", () => last("message")?.text === "It greets.");
    const [text, code] = last("userMessage").content;
    assert.match(text.text, /^Explain this code/);
    assert.match(code.text, /^def greet\(name\):\n    return /);
    await ended();
  },

  async "a failed test is added to the chat by its message, or alone"() {
    const test = { label: "test_greet", uri: file("greet.py"), range: new vscode.Range(3, 0, 4, 0) };
    const compared = vscode.TestMessage.diff("It is misspelt", "Hello", "Helo");
    await vscode.commands.executeCommand("agls.context.test", { test, message: compared });
    await vscode.commands.executeCommand("agls.context.test", { ...test, label: "test_part" });
    await until("both are attached", () => ["test_greet", "test_part"].every((name) => api.context.includes(name)));
    await api.prompt("What do you see");
    await until("it is answered", () => last("message")?.text === "I have looked.");
    const told = last("userMessage").content.map(({ text }) => text);
    assert.ok(told.includes("It is misspelt\nExpected: Hello\nActual: Helo"));
    assert.ok(told.some((text) => /^The test test_part, in greet\.py:4, failed/.test(text)));
    await ended();
  },

  async "a command uses nothing of what is attached, and leaves it there"() {
    await vscode.window.showTextDocument(file("README.md"));
    await vscode.commands.executeCommand("agls.addToChat", file("greet.py"));
    await until("both are attached", () => ["greet.py", "README.md"].every((name) => api.context.includes(name)));
    const before = api.items.length;
    const done = await api.prompt("/changes scope=session");
    assert.deepEqual([done.name, done.input], ["changes", { scope: "session" }]);
    assert.ok(["greet.py", "README.md"].every((name) => api.context.includes(name)));
    assert.equal(api.items.length, before);
  },

  async "a fork is shown in the place of its session, and a session can be left"() {
    const before = api.sessionId;
    const made = await api.prompt("/fork");
    assert.notEqual(made.data.sessionId, before);
    assert.equal(api.sessionId, made.data.sessionId);
    await api.prompt(`/resume ${before}`);
    assert.equal(api.sessionId, before);
    assert.ok(api.items.length > 0, "with its conversation");
    await api.prompt("/exit");
    assert.equal(api.sessionId, "");
    await vscode.commands.executeCommand("agls.chat.new");
  },

  async "what the editor shows as wrong goes with a prompt that mentions it"() {
    const diagnostics = vscode.languages.createDiagnosticCollection("mentioned");
    const range = new vscode.Range(3, 4, 3, 9);
    diagnostics.set(file("greet.py"), [
      new vscode.Diagnostic(range, "canary of the linter", vscode.DiagnosticSeverity.Warning),
      new vscode.Diagnostic(range, "only a hint", vscode.DiagnosticSeverity.Hint),
    ]);
    await vscode.commands.executeCommand("agls.chat.new");
    await api.prompt("What do you see in @diagnostics");
    await until("it is answered", () => last("message")?.text === "I have looked.");
    const texts = last("userMessage").content.filter(({ uri }) => uri?.includes("greet.py")).map(({ text }) => text);
    assert.ok(texts.some((text) => text?.includes("canary of the linter")), JSON.stringify(last("userMessage")));
    assert.ok(!texts.some((text) => text?.includes("only a hint")));
    diagnostics.dispose();
    await ended();
  },

  async "an edited command is what runs"() {
    await vscode.workspace.saveAll(false); // else it is asked about first
    await api.prompt("Run two lines");
    const asked = await question();
    const input = { ...last("toolCall").input, command: "echo edited; echo twice" };
    api.answer(asked, { outcome: "selected", optionId: "once", input });
    await until("it is answered", () => last("message")?.text === "It ran.");
    assert.equal(last("toolCall").terminal.command, "echo edited; echo twice");
    assert.match(last("toolCall").output, /edited\s+twice/);
    await ended();
  },

  async "changes are judged in the diff editor too"() {
    const uri = file("greet.py");
    const document = await vscode.workspace.openTextDocument(uri);
    const whole = new vscode.WorkspaceEdit();
    const original = '"""Greets people."""\n\n\ndef greet(name):\n    return "Helo " + name\n\n\ndef part(name):\n    return "Good by " + name\n';
    whole.replace(uri, new vscode.Range(0, 0, document.lineCount, 0), original);
    await vscode.workspace.applyEdit(whole);
    await vscode.commands.executeCommand("agls.chat.new");
    await api.prompt("Correct the greetings");
    await until("it runs", () => api.state !== "idle");
    await allowAll();
    await until("both are known", () => api.changes.length === 2 && api.changes.every((change) => change.stands));
    await vscode.commands.executeCommand("agls.review.diff", uri.toString());
    const tab = await until("the diff is open", () => {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      return input instanceof vscode.TabInputTextDiff && input;
    });
    const before = await vscode.workspace.openTextDocument(tab.original);
    assert.equal(before.getText(), original);
    const editor = await until("it has the focus", () => {
      const found = vscode.window.activeTextEditor;
      return found?.document.uri.toString() === uri.toString() && found;
    });
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    await vscode.commands.executeCommand("agls.review.next");
    assert.ok(vscode.window.tabGroups.activeTabGroup.activeTab.input instanceof vscode.TabInputTextDiff);
    await until("the cursor stands on the first", () => vscode.window.activeTextEditor?.selection.active.line === 4);
    await vscode.commands.executeCommand("agls.review.undo");
    assert.match(document.getText(), /Helo [^]*Good bye \{name\}!/);
    await until("one is left", () => api.changes.length === 1);
    // The buttons of the view lead on: where the cursor stands at no change, that is all they do.
    await vscode.commands.executeCommand("agls.review.compare.keep");
    await until("the cursor stands on the other", () => vscode.window.activeTextEditor?.selection.active.line === 8);
    assert.equal(api.changes.length, 1);
    await vscode.commands.executeCommand("agls.review.compare.keep");
    await until("nothing is left", () => api.changes.length === 0);
    assert.match(document.getText(), /Helo [^]*Good bye \{name\}!/);
  },

  async "a command after an edit sees it: the agent's text is saved, the user's only when they say so"() {
    const uri = file("greet.py");
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("agls.chat.new");
    const original = async () => {
      const whole = new vscode.WorkspaceEdit();
      whole.replace(uri, new vscode.Range(0, 0, document.lineCount, 0), 'def greet(name):\n    return "Helo " + name\n');
      await vscode.workspace.applyEdit(whole);
      await document.save();
    };
    await original();
    await api.prompt("Correct it and look");
    await until("it runs", () => api.state !== "idle");
    await allowAll();
    const saw = last("toolCall");
    assert.match(saw.output, /Hello \{name\}!/);
    assert.equal(saw.terminal.unsaved ?? undefined, undefined);
    assert.equal(document.isDirty, false);

    await vscode.commands.executeCommand("agls.chat.new");
    await original();
    const editor = await vscode.window.showTextDocument(document);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "# my own\n"));
    await api.prompt("Correct it and look");
    await until("it runs", () => api.state !== "idle");
    let asked = "";
    for (;;) {
      const found = await until("it asks or ends", () => api.questions[0] ?? (api.state === "idle" && "ended"));
      if (found === "ended") break;
      const isSave = api.titleOf(found).startsWith("Save your own changes");
      if (isSave) asked += api.titleOf(found);
      api.answer(found, { outcome: "selected", optionId: isSave ? "leave" : "once" });
      await until("the question is closed", () => !api.questions.includes(found));
    }
    assert.equal(asked, "Save your own changes: greet.py");
    assert.match(last("toolCall").output, /Helo /);
    assert.deepEqual(last("toolCall").terminal.unsaved, ["greet.py"]);
    assert.ok(document.isDirty);
    await document.save();
    await vscode.commands.executeCommand("agls.review.keepAll");
  },

  async "a server that is killed is started again, and the session is back"() {
    const before = api.items.length;
    const killed = await until("the server is found", serving);
    process.kill(killed, "SIGKILL");
    const other = await until("another one runs", () => {
      const found = serving();
      return found !== undefined && found !== killed && api.server.state === "ready" && found;
    });
    assert.notEqual(other, killed);
    await until("the session is back", () => api.items.length === before);
    await api.prompt("What do you see");
    await until("it works", () => last("message")?.text === "I have looked." && api.items.length > before);
    await ended();
  },

  async "a restart of the server brings the session back"() {
    const before = api.items.length;
    await vscode.commands.executeCommand("agls.server.restart");
    await until("it is ready", () => api.server.state === "ready");
    await until("the session is back", () => api.items.length === before);
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
  console.log(`[test] ${Object.keys(tests).length} passed`);
};
