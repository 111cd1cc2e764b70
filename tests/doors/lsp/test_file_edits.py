"""Files that change outside of a call are items of their own: a change reverted, a file reverted."""

from pathlib import Path

from support.lsp_editor import LspEditor, attach
from support.wire import Message, Wire, turns

from .conftest import Serve

TEXT = "".join(f"line {number}\n" for number in range(1, 21))
EDITED = TEXT.replace("line 5\n", "neue Zeile 5\n")


def changed(serve: Serve) -> tuple[Wire, LspEditor, str, Path]:
    """A document that the agent edited, in an editor whose client hears events."""
    calls = [
        {"calls": [{"name": "read_file", "arguments": {"path": "a.txt"}}]},
        {"calls": [{"name": "edit_file", "arguments": {
            "path": "a.txt", "old_text": "line 5\n", "new_text": "neue Zeile 5\n"}}]},
    ]  # fmt: skip
    wire = serve(turns(*calls, "Done."))
    editor = attach(wire)
    path = wire.workspace / "a.txt"
    path.write_text(TEXT)
    editor.open_file(path)
    session = wire.session(options={"mode": "acceptEdits"})
    wire.run(session)
    assert editor.documents[path.as_uri()].text == EDITED
    return wire, editor, session, path


def revert_action(wire: Wire, uri: str) -> Message:
    """The command that reverts the change."""
    span = {"start": {"line": 4, "character": 0}, "end": {"line": 4, "character": 0}}
    asked = {"textDocument": {"uri": uri}, "range": span, "context": {"diagnostics": []}}
    actions = wire.call("textDocument/codeAction", asked)
    return next(action for action in actions if action["title"] == "Undo this change")


def file_edits(wire: Wire) -> list[Message]:
    items = [e["data"]["item"] for e in wire.events if e["type"] == "itemCompleted"]
    return [item for item in items if item["kind"] == "fileEdit"]


def test_a_reverted_change_is_an_item_and_what_the_user_typed_stays(serve: Serve) -> None:
    wire, editor, session, path = changed(serve)
    uri = path.as_uri()
    editor.append(uri, "mine\n")
    command = revert_action(wire, uri)
    assert wire.call("workspace/executeCommand", command)["outcome"] == "reverting"
    wire.until(lambda m: bool(file_edits(wire)))
    assert editor.documents[uri].text == TEXT + "mine\n"
    (item,) = file_edits(wire)
    (change,) = item["changes"]
    assert (change["uri"], change["change"], change["via"]) == (uri, "modified", "editor")
    assert change["result"]["version"] == editor.documents[uri].version
    assert "-neue Zeile 5\n+line 5\n" in change["patch"]
    assert "mine" not in "".join(line for line in change["patch"].splitlines() if line[0] in "+-")
    items = wire.call("agent/resume", {"sessionId": session, "replay": "all"})["snapshot"]["items"]
    assert items[-1] == item
    assert wire.call("agent/item", {"sessionId": session, "itemId": item["itemId"]})["item"] == item
    assert editor.undo(uri) == "agls: undo this change", "one step of the user's undo"
    assert editor.documents[uri].text == EDITED + "mine\n"


def test_a_revert_that_meets_new_typing_changes_nothing(serve: Serve) -> None:
    wire, editor, _, path = changed(serve)
    uri = path.as_uri()
    command = revert_action(wire, uri)
    editor.once(lambda: editor.append(uri, "faster\n"))
    wire.call("workspace/executeCommand", command)
    shown = wire.until(lambda m: m.get("method") == "window/showMessage")["params"]["message"]
    assert "the change was not undone" in shown
    assert editor.documents[uri].text == EDITED + "faster\n"
    assert file_edits(wire) == []
    wire.call("workspace/executeCommand", revert_action(wire, uri))
    wire.until(lambda m: bool(file_edits(wire)))
    assert editor.documents[uri].text == TEXT + "faster\n"


def test_a_reverted_file_is_an_item_too_and_has_no_changes_to_review(serve: Serve) -> None:
    wire, editor, session, path = changed(serve)
    uri = path.as_uri()
    asked = {"sessionId": session, "name": "changes.revert", "input": {"uri": uri}}
    done = wire.call("agent/action/invoke", asked)["data"]
    wire.until(lambda m: bool(file_edits(wire)))
    assert editor.documents[uri].text == TEXT
    (item,) = file_edits(wire)
    assert [change["patch"] for change in item["changes"]] == [change["patch"] for change in done["changes"]]
    span = {"start": {"line": 4, "character": 0}, "end": {"line": 4, "character": 0}}
    actions = {"textDocument": {"uri": uri}, "range": span, "context": {"diagnostics": []}}
    assert wire.call("textDocument/codeAction", actions) == []


def test_a_server_that_ends_does_not_wait_for_the_editor(serve: Serve) -> None:
    wire, _, _, path = changed(serve)
    command = revert_action(wire, path.as_uri())
    wire.answers.pop("workspace/applyEdit")  # the user is asked by the editor, and thinks
    before = len(wire.of_method("workspace/applyEdit"))
    wire.call("workspace/executeCommand", command)
    wire.until(lambda m: len(wire.of_method("workspace/applyEdit")) > before)
    assert wire.leave() == 0
    assert "failed" not in wire.errors()
