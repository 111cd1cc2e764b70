"""A user who types elsewhere in a file than the agent edits it: after its read, and while they are asked."""

from hashlib import sha256
from typing import Any

import pytest

from agls.views.transcript import fold
from support.lsp_editor import LspEditor, attach
from support.wire import Message, Wire, turns

from .conftest import Serve

pytestmark = pytest.mark.promise("P12")

BEFORE = "".join(f"line {number}\n" for number in range(30))
AFTER = BEFORE.replace("line 15\n", "LINE 15\n")
TYPED = "typed 😋\n"


def call(name: str, **arguments: Any) -> Message:
    return {"calls": [{"name": name, "arguments": arguments}]}


EDIT = call("edit_file", path="a.txt", old_text="line 15\n", new_text="LINE 15\n")
WRITE = call("write_file", path="a.txt", content=AFTER)


def made(
    serve: Serve, change: Message, at: int, when: str, typed: str = TYPED
) -> tuple[LspEditor, Wire, str]:
    """A run that reads a file and changes it; the user types at this line meanwhile."""
    other = call("write_file", path="other.txt", content="x")
    wire = serve(turns(call("read_file", path="a.txt"), other, change, "done"))
    path = wire.workspace / "a.txt"
    path.write_text(BEFORE)
    editor = attach(wire)
    uri = editor.open_file(path).uri
    asked: list[Message] = []

    def answer(params: Message) -> Message:
        asked.append(params)
        if len(asked) == ("before the edit", "while it is asked").index(when) + 1:
            editor.type(uri, len("".join(BEFORE.splitlines(keepends=True)[:at])), typed)
        return {"outcome": "selected", "optionId": "once"}

    wire.answers["agent/requestPermission"] = answer
    assert wire.run(wire.session())["stopReason"] == "endTurn"
    assert asked
    return editor, wire, uri


def last_call(wire: Wire) -> Message:
    return [item for item in fold(wire.events).items.values() if item["kind"] == "toolCall"][-1]


WHEN = pytest.mark.parametrize("when", ["before the edit", "while it is asked"])


@WHEN
@pytest.mark.parametrize("at", [0, 5, 30])
def test_an_edit_elsewhere_is_made_beside_what_the_user_typed(serve: Serve, when: str, at: int) -> None:
    editor, wire, uri = made(serve, EDIT, at, when)
    lines = AFTER.splitlines(keepends=True)
    assert editor.documents[uri].text == "".join([*lines[:at], TYPED, *lines[at:]])
    item = last_call(wire)
    assert (item["status"], item["effects"]) == ("completed", "applied")
    assert f"a.txt had changed since you read it, in line {at + 1}." in item["output"]
    (change,) = item["changes"]
    lines = BEFORE.splitlines(keepends=True)
    typed = "".join([*lines[:at], TYPED, *lines[at:]])
    assert change["base"]["hash"] == sha256(typed.encode()).hexdigest(), "what was typed is not the agent's"


@pytest.mark.parametrize("at", [14, 16])
def test_an_edit_around_which_the_user_typed_while_they_were_asked_is_not_made(serve: Serve, at: int) -> None:
    editor, wire, uri = made(serve, EDIT, at, "while it is asked")
    assert editor.documents[uri].text == BEFORE.replace(f"line {at}\n", f"{TYPED}line {at}\n")
    item = last_call(wire)
    assert (item["status"], item["effects"]) == ("failed", "none")
    assert "changed while the user was asked" in item["output"]


@WHEN
@pytest.mark.parametrize(
    ("change", "at", "typed"),
    [(WRITE, 0, TYPED), (EDIT, 0, "line 15\n"), (EDIT, 15, "typed in the ")],
    ids=["a whole file", "what became ambiguous", "a line that was typed in"],
)
def test_edit_that_collides_with_typing_is_not_made(
    serve: Serve, when: str, change: Message, at: int, typed: str
) -> None:
    editor, wire, uri = made(serve, change, at, when, typed)
    assert editor.documents[uri].text.replace(typed, "", 1) == BEFORE or typed == "line 15\n"
    assert "LINE" not in editor.documents[uri].text
    item = last_call(wire)
    assert (item["status"], item["effects"]) == ("failed", "none")


def test_text_typed_beside_an_edit_survives_its_revert(serve: Serve) -> None:
    editor, wire, uri = made(serve, EDIT, 5, "while it is asked")
    session = wire.events[-1]["sessionId"]
    assert editor.documents[uri].text != BEFORE
    revert = {"sessionId": session, "name": "changes.revert", "input": {"uri": uri, "scope": "session"}}
    wire.call("agent/action/invoke", revert)
    assert editor.documents[uri].text == BEFORE.replace("line 5\n", f"{TYPED}line 5\n")
