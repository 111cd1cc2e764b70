"""A client that shows a review and answers for each change of an edit (`edits.confirm`)."""

from typing import Any

import pytest

from agls.views.transcript import fold
from support.lsp_editor import CAPABILITIES, LspEditor, attach
from support.rich_run import call
from support.wire import AGENT, Message, Wire, turns

from .conftest import Serve

BEFORE = "".join(f"line {number}\n" for number in range(30))
AFTER = BEFORE.replace("line 3\n", "LINE 3\n").replace("line 15\n", "").replace("line 27\n", "line 27\nnew\n")
READ, WRITE = call("read_file", path="a.txt"), call("write_file", path="a.txt", content=AFTER)
REWRITE = turns({"calls": [READ]}, {"calls": [WRITE]}, "done")
CONFIRMS: Message = {**AGENT, "edits": {"confirm": {}}}


def asked(wire: Wire) -> Message:
    return wire.until(lambda m: m.get("method") == "agent/requestPermission")["params"]


def last_call(wire: Wire) -> Message:
    return [item for item in fold(wire.events).items.values() if item["kind"] == "toolCall"][-1]


def rewritten(serve: Serve, block: Message, *taken: str, **more: Any) -> Wire:
    """A run that rewrites a file, of which the user takes these changes."""
    wire = serve(REWRITE)
    (wire.workspace / "a.txt").write_text(BEFORE)
    wire.initialize(block)
    answer = {"outcome": "selected", "optionId": "once", "hunks": list(taken), **more}
    wire.answers["agent/requestPermission"] = lambda params: answer
    assert wire.run(wire.session())["stopReason"] == "endTurn"
    return wire


@pytest.mark.item(24)
def test_only_accepted_changes_are_made_and_the_model_gets_the_others(serve: Serve) -> None:
    wire = rewritten(serve, CONFIRMS, "0/1", "0/2")
    uri = (wire.workspace / "a.txt").as_uri()
    assert asked(wire)["hunks"] == [
        {"hunkId": "0/0", "uri": uri, "line": 3, "old": "line 3\n", "new": "LINE 3\n"},
        {"hunkId": "0/1", "uri": uri, "line": 15, "old": "line 15\n", "new": ""},
        {"hunkId": "0/2", "uri": uri, "line": 28, "old": "", "new": "new\n"},
    ]
    assert (wire.workspace / "a.txt").read_text() == AFTER.replace("LINE 3", "line 3")
    item = last_call(wire)
    assert (item["status"], item["effects"], len(item["changes"])) == ("completed", "applied", 1)
    assert "took 2 of 3" in item["output"]
    assert "-line 3\n+LINE 3\n" in item["output"]


def test_accepting_every_change_makes_the_whole_edit(serve: Serve) -> None:
    wire = rewritten(serve, CONFIRMS, "0/0", "0/1", "0/2")
    assert (wire.workspace / "a.txt").read_text() == AFTER
    assert "left out" not in last_call(wire)["output"]


def test_accepting_no_change_rejects_the_call(serve: Serve) -> None:
    wire = rewritten(serve, CONFIRMS, feedback="not like this")
    assert (wire.workspace / "a.txt").read_text() == BEFORE
    assert last_call(wire)["status"] == "rejected"
    assert "not like this" in last_call(wire)["output"]


@pytest.mark.parametrize(
    ("block", "taken"), [(AGENT, "0/1"), (CONFIRMS, "0/9")], ids=["who never said so", "not shown"]
)
def test_invalid_answer_is_a_refusal(serve: Serve, block: Message, taken: str) -> None:
    wire = rewritten(serve, block, taken)
    assert ("hunks" in asked(wire)) == (block is CONFIRMS)
    assert (wire.workspace / "a.txt").read_text() == BEFORE
    assert last_call(wire)["status"] == "rejected"


def test_of_an_open_document_the_same_is_made_by_one_versioned_edit(serve: Serve) -> None:
    wire = serve(REWRITE)
    path = wire.workspace / "a.txt"
    path.write_text(BEFORE)
    wire.initialize(CONFIRMS, capabilities=CAPABILITIES)
    document = {"uri": path.as_uri(), "languageId": "text", "version": 1, "text": BEFORE}
    wire.notify("textDocument/didOpen", {"textDocument": document})
    part = AFTER.replace("LINE 3", "line 3")

    def apply(params: Message) -> Message:
        (change,) = params["edit"]["documentChanges"]
        assert change["textDocument"] == {"uri": path.as_uri(), "version": 1}
        now = {"textDocument": {"uri": path.as_uri(), "version": 2}, "contentChanges": [{"text": part}]}
        wire.notify("textDocument/didChange", now)
        return {"applied": True}

    wire.answers["workspace/applyEdit"] = apply
    taken = {"outcome": "selected", "optionId": "once", "hunks": ["0/1", "0/2"]}
    wire.answers["agent/requestPermission"] = lambda params: taken
    assert wire.run(wire.session())["stopReason"] == "endTurn"
    (change,) = last_call(wire)["changes"]
    assert (change["via"], change["result"]["version"]) == ("editor", 2)
    assert path.read_text() == BEFORE, "it is the editor's to save"


@pytest.mark.parametrize("when", ["while it is asked", "while it is sent"])
def test_accepted_changes_do_not_overwrite_text_typed_meanwhile(serve: Serve, when: str) -> None:
    wire = serve(REWRITE)
    path = wire.workspace / "a.txt"
    path.write_text(BEFORE)
    wire.initialize(CONFIRMS, capabilities=CAPABILITIES)
    editor = LspEditor(wire.notify)
    uri = editor.open_file(path).uri
    asking = when == "while it is asked"

    def answer(params: Message) -> Message:
        if asking:
            editor.append(uri, "typed\n")
        else:
            editor.once(lambda: editor.append(uri, "typed\n"))
        return {"outcome": "selected", "optionId": "once", "hunks": ["0/1"]}

    wire.answers |= {"agent/requestPermission": answer, "workspace/applyEdit": editor.apply}
    assert wire.run(wire.session())["stopReason"] == "endTurn"
    item = last_call(wire)
    assert (item["status"], item["effects"]) == ("failed", "none"), "nobody refused it"
    assert editor.documents[uri].text == BEFORE + "typed\n"


def test_a_new_file_is_one_change(serve: Serve) -> None:
    wire = serve(turns({"calls": [call("write_file", path="new.txt", content="a\nb\n")]}, "done"))
    wire.initialize(CONFIRMS)
    wire.answers["agent/requestPermission"] = lambda params: {
        "outcome": "selected", "optionId": "once", "hunks": [hunk["hunkId"] for hunk in params["hunks"]],
    }  # fmt: skip
    wire.run(wire.session())
    assert [hunk["new"] for hunk in asked(wire)["hunks"]] == ["a\nb\n"]
    assert (wire.workspace / "new.txt").read_text() == "a\nb\n"


def test_an_editor_that_says_it_saved_and_did_not_is_not_believed(serve: Serve) -> None:
    edit = call("edit_file", path="a.txt", old_text="line 3\n", new_text="LINE 3\n")
    look = call("shell", command="grep -c LINE a.txt")
    wire = serve(turns({"calls": [READ]}, {"calls": [edit]}, {"calls": [look]}, "done"))
    config = wire.workspace.parent / "config.toml"
    config.write_text(config.read_text() + '\n[shell]\nsave_before_commands = "all"\n')
    (wire.workspace / "a.txt").write_text(BEFORE)
    editor = attach(wire, saves=True)
    editor.open_file(wire.workspace / "a.txt")
    wire.answers["agent/saveDocuments"] = lambda params: {"saved": [params["documents"][0]["uri"]]}
    wire.run(wire.session())
    assert len(wire.of_method("agent/saveDocuments")) == 1
    assert "Not saved in the editor" in last_call(wire)["output"]
    assert "\n0\n" in last_call(wire)["output"], "the command saw the disk"
