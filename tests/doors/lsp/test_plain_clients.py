"""Editors of docs/any-editor.md, by their capability blocks: everything without our code."""

import json
import re
import stat
from pathlib import Path
from typing import Any

import pytest

from agls.doors.lsp.initialize import DOCUMENT
from support.advertised import check_advertised
from support.wire import Message, turns

from .conftest import Serve
from .plain_client import CLIENTS, PlainClient, block

PAGE = Path(__file__).parents[3] / "docs" / "any-editor.md"
TEXT = "".join(f"line {number} 😋\n" for number in range(1, 21))
NEW = TEXT.replace("line 5 😋", "neue Zeile 5 😋")
HANGING: Message = {"turns": [{"text": "I begin", "hang": True}]}
READ: Message = {"name": "read_file", "arguments": {"path": "code.py"}}


def edit(old: str = "line 5 ", new: str = "neue Zeile 5 ") -> Message:
    arguments = {"path": "code.py", "old_text": old, "new_text": new}
    return {"text": "I edit.", "calls": [{"name": "edit_file", "arguments": arguments}]}


def reading() -> Message:
    return {"text": "I read.", "calls": [READ]}


def approve(client: PlainClient) -> str:
    """Say yes in the way this editor has; gives the text of the question."""
    question = client.message("Edit code.py")
    if not client.asks_by_message:
        client.choose("agls: Allow once")
    return question["message"]


def edited(serve: Serve, name: str, *more: Any, text: str = TEXT) -> PlainClient:
    """A client whose document the agent edited."""
    client = PlainClient(serve(turns(reading(), edit(), "All done."), *more), name, text)
    client.choice = {"title": "Allow once"}
    client.command("agls.run", "make line 5 German")
    approve(client)
    client.message("agls: done")
    return client


@pytest.mark.item(24, 26)
@pytest.mark.parametrize("name", CLIENTS)
def test_an_editor_without_our_code_has_it_all(serve: Serve, name: str) -> None:
    client = PlainClient(serve(turns(reading(), edit(), "All done."), HANGING), name, TEXT)
    wire, client.choice = client.wire, {"title": "Allow once"}

    run = client.command("agls.run", "make line 5 German")
    assert run["outcome"] == "started"
    question = approve(client)
    assert "+neue Zeile 5" in question
    assert "-line 5" in question
    client.message("agls: done")
    assert client.text == NEW
    values = [m["params"]["value"] for m in wire.of_method("$/progress")]
    assert [values[0]["kind"], values[-1]["kind"]] == ["begin", "end"]
    assert values[0]["cancellable"]
    told = [value["message"] for value in values if "message" in value]
    assert any("dit" in one and "code.py" in one for one in told), told
    assert not any("\n" in one for one in told)
    assert [m["params"]["message"] for m in wire.of_method("window/logMessage")][-1] == "All done."

    page = client.command("agls.transcript")
    file = Path(page["path"])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "+neue Zeile 5" in file.read_text()
    assert page["shown"] == ("showDocument" in client.capabilities["window"])
    wire.call("agent/status")  # the client has answered what it was asked before
    assert client.shown == ([page.get("virtualUri", page["uri"])] if page["shown"] else [])

    assert client.choose("Undo this change", 4)["outcome"] == "reverting"
    client.eventually(lambda: not client.actions(4))
    assert client.text == TEXT

    client.command("agls.run", "now hang")
    begun = wire.until(lambda m: m.get("method") == "$/progress" and m["params"]["token"] != first(wire))
    wire.notify("window/workDoneProgress/cancel", {"token": begun["params"]["token"]})
    client.message("agls: cancelled")
    client.eventually(lambda: "*cancelled" in file.read_text())
    assert "now hang" in file.read_text()


def first(wire: Any) -> Any:
    return wire.of_method("window/workDoneProgress/create")[0]["params"]["token"]


@pytest.mark.item(26)
@pytest.mark.parametrize("name", CLIENTS)
def test_an_editor_without_our_code_can_say_no_and_cancel(serve: Serve, name: str) -> None:
    client = PlainClient(serve(turns(reading(), edit(), "A pity."), HANGING), name, TEXT)
    client.choice = {"title": "allow once"}  # not the title: that is a no
    client.command("agls.run", "make line 5 German")
    client.message("Edit code.py")
    if not client.asks_by_message:
        client.choose("agls: Reject")
    client.message("agls: done")
    assert client.text == TEXT
    run = client.command("agls.run", "hang")
    cancelled = client.command("agls.cancel", run["runId"])
    assert (cancelled["sessionId"], cancelled["state"]) == (run["sessionId"], "cancelling")
    client.message("agls: cancelled")


def test_every_recipe_of_the_page_has_at_most_ten_lines() -> None:
    recipes = re.findall(r"^```\w+\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(recipes) > 5
    for recipe in recipes:
        assert len([line for line in recipe.splitlines() if line.strip()]) <= 10, recipe


def test_every_command_of_the_recipe_is_advertised() -> None:
    named = (
        "run",
        "steer",
        "cancel",
        "resume",
        "sessions",
        "transcript",
        "approve",
        "reject",
        "rewind",
        "setOption",
    )
    advertised = json.loads(Path(DOCUMENT).read_text())["capabilities"]["executeCommandProvider"]["commands"]
    assert {f"agls.{name}" for name in named} <= set(advertised)


# --- changes that are neither kept nor undone ---


@pytest.mark.parametrize("name", ["neovim", "vscode"])
def test_changes_that_wait_are_listed_with_their_places(serve: Serve, name: str) -> None:
    client = edited(serve, name)
    (change,) = client.command("agls.changes")["changes"]
    assert (change["uri"], change["line"], change["stands"]) == (client.uri, 4, True)
    assert (change["old"], change["new"]) == ("line 5 😋\n", "neue Zeile 5 😋\n")
    assert client.command("agls.changes", change["sessionId"])["changes"] == [change]
    assert client.command("agls.changes", "another session")["changes"] == []
    client.replace("line 1 ", "line 0\nline 1 ")
    assert client.command("agls.changes")["changes"][0]["line"] == 5, "where it is now"
    client.replace("neue Zeile 5 ", "my own line 5 ")
    assert not client.command("agls.changes")["changes"][0]["stands"]
    client.command("agls.keep", change["hunk"])
    assert client.command("agls.changes")["changes"] == []


# --- reverting ---


@pytest.mark.parametrize("name", ["neovim", "helix"])
def test_text_typed_after_an_edit_survives_its_revert(serve: Serve, name: str) -> None:
    client = edited(serve, name)
    client.replace("line 1 ", "Zeile 0\nZeile 1 ")
    client.replace("line 6 ", "mine 6 ")
    client.replace("line 20 ", "mine 20 ")
    typed = client.text
    client.choose("Undo this change", 5)
    client.eventually(lambda: client.text != typed)
    assert client.text == typed.replace("neue Zeile 5 ", "line 5 ")


@pytest.mark.parametrize("name", ["neovim", "helix"])
def test_a_change_that_the_user_typed_in_is_not_reverted(serve: Serve, name: str) -> None:
    client = edited(serve, name)
    client.replace("line 1 ", "line 0\nline 1 ")
    client.replace("neue Zeile 5 ", "my own line 5 ")
    client.replace("line 4 ", "my own line 4 ")
    typed = client.text
    action = next(a for a in client.actions(5) if a["title"] == "Undo this change")
    disabled = client.capabilities["textDocument"]["codeAction"].get("disabledSupport", False)
    assert ("disabled" in action) == disabled
    asked = {"command": action["command"]["command"], "arguments": action["command"]["arguments"]}
    error = client.wire.ask("workspace/executeCommand", asked)["error"]
    assert "Nothing was undone" in error["message"]
    assert client.text == typed
    assert len(client.wire.of_method("workspace/applyEdit")) == 1, "the agent's own"


def test_edit_refused_by_the_editor_is_reported_and_can_be_retried(serve: Serve) -> None:
    client = edited(serve, "neovim")
    client.refusal = "read-only"
    client.choose("Undo this change", 4)
    client.message(f"the change was not undone: The editor did not apply the edit to {client.uri}: read-only")
    client.refusal = ""
    client.choose("Undo this change", 4)
    client.eventually(lambda: client.text == TEXT)


def test_a_change_that_was_kept_is_not_offered_again_even_by_another_process(serve: Serve) -> None:
    client = edited(serve, "neovim")
    session = client.command("agls.sessions")["sessions"][0]["sessionId"]
    assert [a["title"] for a in client.actions(4)] == ["Keep this change", "Undo this change"]
    assert not client.actions(10)
    assert client.choose("Keep this change", 4)["outcome"] == "kept"
    assert not client.actions(4)
    assert client.wire.leave() == 0
    again = PlainClient(serve(), "neovim", client.text)
    assert again.command("agls.resume", session)["sessionId"] == session
    assert not again.actions(4)


def test_a_change_is_offered_by_another_process_until_it_is_kept_or_undone(serve: Serve) -> None:
    client = edited(serve, "neovim")
    assert client.wire.leave() == 0
    again = PlainClient(serve(), "neovim", client.text)
    again.command("agls.resume")
    again.choose("Undo this change", 4)
    again.eventually(lambda: again.text == TEXT)


def standing(client: PlainClient) -> list[Any]:
    return [(each["line"], each["stands"]) for each in client.command("agls.changes")["changes"]]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("line 5 😋\n", "neue Zeile 5 😋\n"),
        ("line 5 😋\n", ""),
        ("line 5 😋\n", "line 5 😋\nmore\n"),
        ("line 1 😋\n", ""),
        ("line 20 😋\n", ""),
    ],
)
def test_a_reverted_change_that_the_editor_undoes_is_offered_again(serve: Serve, old: str, new: str) -> None:
    client = PlainClient(serve(turns(reading(), edit(old, new), "All done.")), "vscode", TEXT)
    client.choice = {"title": "Allow once"}
    client.command("agls.run", "edit")
    approve(client)
    client.message("agls: done")
    client.replace("line 10 ", "mine 10 ")
    made, (change,) = client.text, client.command("agls.changes")["changes"]
    for _ in range(2):
        client.command("agls.revert", change["hunk"])
        client.eventually(lambda: not standing(client))
        undone = client.text
        assert undone != made
        client.replace(undone, made)  # undo
        client.eventually(lambda: standing(client) == [(change["line"], True)])
        client.replace(made, undone)  # redo
        client.eventually(lambda: not standing(client))
        client.replace(undone, made)
        client.eventually(lambda: standing(client) == [(change["line"], True)])
    client.command("agls.keep", change["hunk"])
    client.replace(made, undone)
    client.replace(undone, made)
    assert not standing(client)


def test_a_reverted_change_whose_old_text_the_user_edits_is_not_offered(serve: Serve) -> None:
    client = edited(serve, "vscode")
    client.choose("Undo this change", 4)
    client.eventually(lambda: not standing(client))
    client.replace("line 5 ", "my own line 5 ")
    client.wire.call("agent/status")
    assert not standing(client)
    client.replace("my own line 5 ", "line 5 ")
    client.replace("line 5 ", "neue Zeile 5 ")
    client.eventually(lambda: standing(client) == [(4, True)])


def test_a_change_of_a_closed_file_or_an_unknown_one_says_so(serve: Serve) -> None:
    client = edited(serve, "neovim")
    argument = client.actions(4)[1]["command"]["arguments"][0]
    client.wire.notify("textDocument/didClose", {"textDocument": {"uri": client.uri}})
    asked: Message = {"command": "agls.revert", "arguments": [argument]}
    error = client.wire.ask("workspace/executeCommand", asked)["error"]
    assert "not open in the editor" in error["message"]
    asked = {"command": "agls.revert", "arguments": ["no such"]}
    assert "already" in client.wire.ask("workspace/executeCommand", asked)["error"]["message"]
    asked = {"command": "agls.keep", "arguments": []}
    assert client.wire.ask("workspace/executeCommand", asked)["error"]["code"] == -32602


def test_the_changes_are_listed_where_they_stand_now(serve: Serve) -> None:
    client = edited(serve, "neovim")
    client.replace("line 1 ", "line 0\nline 1 ")
    (change,) = client.command("agls.changes")["changes"]
    assert client.command("agls.changes", change["sessionId"])["changes"] == [change]
    assert client.command("agls.changes", "another") == {"changes": []}
    assert change["stands"]
    assert client.text.split("\n")[change["line"]] + "\n" == change["new"].splitlines(keepends=True)[0]
    assert change["old"] in TEXT
    client.replace("neue Zeile 5 ", "my own line 5 ")
    client.replace("line 4 ", "my own line 4 ")
    (moved,) = client.command("agls.changes")["changes"]
    assert (moved["hunk"], moved["stands"]) == (change["hunk"], False)
    client.wire.notify("textDocument/didClose", {"textDocument": {"uri": client.uri}})
    (closed,) = client.command("agls.changes")["changes"]
    assert (closed["hunk"], "stands" in closed) == (change["hunk"], False)
    client.command("agls.keep", {"hunk": change["hunk"]})
    assert client.command("agls.changes") == {"changes": []}


# --- asking ---


def test_a_selection_can_be_asked_about_and_the_transcript_opens(serve: Serve) -> None:
    client = PlainClient(serve("It counts."), "vscode", TEXT)
    assert not client.actions(2)
    assert not client.actions(2, 3, only=["source.fixAll"])
    run = client.choose("Ask agls about this selection", 2, 4, only=["quickfix"])
    client.message("agls: done")
    items = client.wire.call("agent/resume", {"sessionId": run["sessionId"]})["snapshot"]["items"]
    resource = items[0]["content"][1]
    assert resource["text"] == "line 3 😋\nline 4 😋\n"
    assert resource["uri"] == f"{client.uri}#L3-L4"
    client.wire.call("agent/status")
    assert "It counts." in client.wire.call("workspace/textDocumentContent", {"uri": client.shown[0]})["text"]


def test_a_diagnostic_can_be_fixed(serve: Serve) -> None:
    client = PlainClient(serve("Fixed."), "eglot", TEXT)
    span = {"start": {"line": 6, "character": 0}, "end": {"line": 6, "character": 4}}
    diagnostic = {"range": span, "message": "odd\nline", "source": "ruff"}
    actions = client.actions(6, diagnostics=[diagnostic])
    assert [a["title"] for a in actions] == ["Fix this diagnostic with agls: odd line"]
    assert actions[0]["diagnostics"] == [diagnostic]
    run = client.choose("Fix this diagnostic", 6, diagnostics=[diagnostic])
    client.message("agls: done")
    items = client.wire.call("agent/resume", {"sessionId": run["sessionId"]})["snapshot"]["items"]
    text, resource = items[0]["content"]
    assert "of ruff in line 7" in text["text"]
    assert "odd\nline" in text["text"]
    assert resource["text"].startswith("line 1 ")


def test_a_client_that_knows_only_commands_gets_commands(serve: Serve) -> None:
    wire = serve("It counts.")
    wire.initialize({})
    uri = (wire.workspace / "a").as_uri()
    document = {"uri": uri, "languageId": "x", "version": 1, "text": "some text"}
    wire.notify("textDocument/didOpen", {"textDocument": document})
    span = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 4}}
    asked: Message = {"textDocument": {"uri": uri}, "range": span, "context": {"diagnostics": []}}
    actions = wire.call("textDocument/codeAction", asked)
    assert [(a["title"][:4], a["command"]) for a in actions] == [("Ask ", "agls.run"), ("Give", "agls.run")]
    assert wire.call("workspace/executeCommand", actions[1])["outcome"] == "started"
    wire.until(lambda m: m.get("params", {}).get("message") == "agls: done")
    assert wire.call("textDocument/codeAction", {**asked, "textDocument": {"uri": "file:///x"}}) == []
    asked["range"]["end"] = {"line": -1, "character": "x"}
    assert wire.ask("textDocument/codeAction", asked)["error"]["code"] == -32602


# --- the checker ---

CREATED: Message = {"method": "window/workDoneProgress/create", "params": {"token": "t"}}
PROGRESS: Message = {"method": "$/progress", "params": {"token": "t", "value": {"kind": "begin"}}}
EDIT: Message = {
    "method": "workspace/applyEdit",
    "params": {"edit": {"documentChanges": [{"textDocument": {"uri": "a", "version": 1}, "edits": []}]}},
}
UNVERSIONED: Message = {
    "method": "workspace/applyEdit",
    "params": {"edit": {"documentChanges": [{"textDocument": {"uri": "a", "version": None}, "edits": []}]}},
}
ACTIONS: Message = {"id": 2, "result": [{"title": "x", "command": {}, "disabled": {"reason": "y"}}]}
BREACHES: list[tuple[str, Message]] = [
    ("helix", {"method": "window/showMessageRequest", "params": {}}),
    ("helix", {"method": "window/showDocument", "params": {}}),
    ("helix", PROGRESS),
    ("eglot", {"method": "window/showMessageRequest", "params": {}}),
    ("eglot", ACTIONS),
    ("neovim", {"method": "agent/event", "params": {}}),
    ("neovim", {"method": "workspace/textDocumentContent/refresh", "params": {}}),
    ("neovim", {"method": "client/somethingElse", "params": {}}),
    ("vscode", UNVERSIONED),
]


@pytest.mark.parametrize(("name", "breach"), BREACHES)
def test_message_outside_the_advertised_capabilities_is_caught(name: str, breach: Message) -> None:
    hello = {"capabilities": block(name)["capabilities"]}
    asked: Any = {1: ("initialize", hello), 2: ("textDocument/codeAction", {})}
    check_advertised([CREATED, PROGRESS, EDIT], asked)
    with pytest.raises(AssertionError):
        check_advertised([breach], asked)


@pytest.mark.parametrize("name", CLIENTS)
def test_long_command_is_read_before_it_can_be_allowed(serve: Serve, name: str) -> None:
    long = f"touch made; {'true; ' * 1_000}"
    call = {"name": "shell", "arguments": {"command": long}}
    client = PlainClient(serve(turns({"calls": [call]}, "done")), name, "text\n")
    client.choice = None
    client.command("agls.run", "go")
    if client.asks_by_message:
        client.wire.until(lambda m: m.get("method") == "window/showMessageRequest")
        return
    client.message("agls.transcript shows all of it")
    titles = [action["title"] for action in client.actions(0) if action["title"].startswith("agls:")]
    assert [title.split(": ")[1] for title in titles] == ["Read what is asked", "Reject"]
    page = Path(client.command("agls.transcript")["path"]).read_text()
    assert f"│ {long.strip()}⟨1 space⟩\n" in page
    client.command("agls.approve")
    client.message("agls: done")
    assert (client.wire.workspace / "made").exists()
