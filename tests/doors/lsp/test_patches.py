"""A patch of several files, as a client sees it: one question, one answer, and all of it or nothing."""

from typing import Any

import pytest

from agls.views.transcript import fold
from support.lsp_editor import CAPABILITIES, LspEditor
from support.rich_run import call
from support.wire import AGENT, Message, Wire, turns

from .conftest import Serve

PATCH = """\
*** Begin Patch
*** Update File: a.txt
@@
-one
+ONE
 two
-three
+THREE
*** Update File: b.txt
*** Move to: moved/b.txt
*** Add File: d.txt
+new
*** Delete File: c.txt
*** End Patch"""
CONFIRMS: Message = {**AGENT, "edits": {"confirm": {}}}
BEFORE = {"a.txt": "one\ntwo\nthree\n", "b.txt": "b\n", "c.txt": "c\n"}
AFTER = {"a.txt": "ONE\ntwo\nTHREE\n", "moved/b.txt": "b\n", "d.txt": "new\n"}


def files(wire: Wire) -> dict[str, str]:
    found = (file for file in wire.workspace.rglob("*") if file.is_file())
    return {str(file.relative_to(wire.workspace)): file.read_text() for file in found}


def last_call(wire: Wire) -> Message:
    return [item for item in fold(wire.events).items.values() if item["kind"] == "toolCall"][-1]


def patched(serve: Serve, agent: Message, patch: str = PATCH, **answer: Any) -> Wire:
    """A run that makes the patch, and what the user answers."""
    wire = serve(turns({"calls": [call("apply_patch", patch=patch)]}, "done"))
    for name, text in BEFORE.items():
        (wire.workspace / name).write_text(text)
    wire.initialize(agent)
    wire.answers["agent/requestPermission"] = lambda params: {"outcome": "selected", **answer}
    assert wire.run(wire.session())["stopReason"] == "endTurn"
    return wire


def test_patch_of_several_files_is_one_question_and_all_of_it_is_made(serve: Serve) -> None:
    wire = patched(serve, AGENT, optionId="once")
    (asked,) = wire.of_method("agent/requestPermission")
    subject = asked["params"]["subject"]
    changes = {
        change["uri"].removeprefix(wire.workspace.as_uri() + "/"): change["change"]
        for change in subject["changes"]
    }
    assert changes == {
        "a.txt": "modified",
        "moved/b.txt": "added",
        "d.txt": "added",
        "b.txt": "deleted",
        "c.txt": "deleted",
    }
    assert files(wire) == AFTER
    item = last_call(wire)
    assert (item["status"], item["effects"], len(item["changes"])) == ("completed", "applied", 5)


def test_patch_that_the_user_refuses_changes_nothing(serve: Serve) -> None:
    wire = patched(serve, AGENT, optionId="reject")
    assert files(wire) == BEFORE
    assert last_call(wire)["status"] == "rejected"


def test_only_the_changes_that_the_user_takes_are_made_in_every_file(serve: Serve) -> None:
    wire = patched(serve, CONFIRMS, optionId="once", hunks=["0/1", "4/0"])
    assert files(wire) == {"a.txt": "one\ntwo\nTHREE\n", "b.txt": "b\n"}
    item = last_call(wire)
    assert (item["status"], item["effects"], len(item["changes"])) == ("completed", "applied", 2)
    assert "took 2 of 6" in item["output"]


def test_one_protected_file_makes_the_whole_patch_a_question(serve: Serve) -> None:
    patch = PATCH.replace("d.txt", ".vscode/tasks.json")
    wire = serve(turns({"calls": [call("apply_patch", patch=patch)]}, "done"))
    for name, text in BEFORE.items():
        (wire.workspace / name).write_text(text)
    wire.initialize(AGENT)
    wire.answers["agent/requestPermission"] = lambda params: {"outcome": "selected", "optionId": "reject"}
    wire.run(wire.session(options={"mode": "acceptEdits"}))
    (asked,) = wire.of_method("agent/requestPermission")
    assert ".vscode/tasks.json" in str(asked["params"])
    assert files(wire) == BEFORE


def test_open_document_is_changed_in_the_editor_and_the_rest_on_the_disk(serve: Serve) -> None:
    wire = serve(turns({"calls": [call("apply_patch", patch=PATCH)]}, "done"))
    for name, text in BEFORE.items():
        (wire.workspace / name).write_text(text)
    wire.initialize(AGENT, capabilities=CAPABILITIES)
    editor = LspEditor(wire.notify)
    uri = editor.open_file(wire.workspace / "a.txt").uri
    wire.answers |= {
        "agent/requestPermission": lambda params: {"outcome": "selected", "optionId": "once"},
        "workspace/applyEdit": editor.apply,
    }
    assert wire.run(wire.session())["stopReason"] == "endTurn"
    assert editor.documents[uri].text == AFTER["a.txt"]
    assert files(wire) == {**AFTER, "a.txt": BEFORE["a.txt"]}, "saving is the editor's"


@pytest.mark.parametrize("refused", ["the edit", "nothing"])
def test_edit_that_the_editor_refuses_leaves_all_files_as_they_were(serve: Serve, refused: str) -> None:
    patch = PATCH.replace("*** Update File: a.txt", "*** Add File: first.txt\n+first\n*** Update File: a.txt")
    wire = serve(turns({"calls": [call("apply_patch", patch=patch)]}, "done"))
    for name, text in BEFORE.items():
        (wire.workspace / name).write_text(text)
    wire.initialize(AGENT, capabilities=CAPABILITIES)
    editor = LspEditor(wire.notify)
    editor.open_file(wire.workspace / "a.txt")
    no: Message = {"applied": False, "failureReason": "locked"}
    wire.answers |= {
        "agent/requestPermission": lambda params: {"outcome": "selected", "optionId": "once"},
        "workspace/applyEdit": (lambda params: no) if refused == "the edit" else editor.apply,
    }
    wire.run(wire.session())
    assert (files(wire) == BEFORE) == (refused == "the edit")
    assert last_call(wire)["status"] == ("failed" if refused == "the edit" else "completed")
