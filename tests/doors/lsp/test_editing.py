"""Open documents and edits through the client, by a real process and a fake editor (protocol#edits)."""

from typing import Any

import pytest

from agls.views.transcript import fold
from support.lsp_editor import LspEditor, attach
from support.wire import Message, Wire, turns

from .conftest import Serve

pytestmark = pytest.mark.promise("P12")

NAME = "öpen file.txt"


def edit_call(old: str, new: str) -> Message:
    arguments = {"path": NAME, "old_text": old, "new_text": new}
    return {"text": "I edit.", "calls": [{"name": "edit_file", "arguments": arguments}]}


def read_call() -> Message:
    return {"text": "I read.", "calls": [{"name": "read_file", "arguments": {"path": NAME}}]}


class Opened:
    """A server, and an editor in which one file is open."""

    def __init__(self, serve: Serve, text: str, *made: Any, **editor: Any) -> None:
        self.wire: Wire = serve(turns(*made))
        self.file = self.wire.workspace / NAME
        self.file.write_bytes(text.encode())
        self.uri = self.file.as_uri()
        self.editor: LspEditor = attach(self.wire, **editor)
        self.editor.open_file(self.file)

    def run(self) -> Message:
        """Run; gives the result, and keeps the last call in `call`."""
        session = self.wire.session(clientKey=f"{len(self.wire.messages)}")
        result: Message = self.wire.run(session)
        told = [event for event in self.wire.events if event.get("runId") == result["runId"]]
        calls = [item for item in fold(told).items.values() if item["kind"] == "toolCall"]
        self.call = calls[-1]
        return result

    @property
    def text(self) -> str:
        """What the user sees."""
        return self.editor.documents[self.uri].text


@pytest.mark.item(29)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_an_open_document_is_edited_through_the_editor(serve: Serve, encoding: str) -> None:
    text = "first \f line \u2028 on\r\nx = '😋é' + old\r\nlast\n"
    opened = Opened(serve, text, read_call(), edit_call("old", "neu 😋"), "done", encoding=encoding)
    result = opened.run()
    assert opened.call["status"] == "completed", opened.call
    assert opened.text == text.replace("old", "neu 😋")
    change = opened.call["changes"][0]
    assert (change["via"], change["result"]["version"]) == ("editor", 2)
    assert result["filesChanged"][0]["uri"] == change["uri"]
    (asked,) = opened.editor.asked
    (edit,) = asked["edit"]["documentChanges"]
    assert edit["textDocument"]["version"] == 1
    assert len(edit["edits"][0]["newText"]) < 10
    assert asked["label"]
    assert opened.file.read_bytes() == text.encode(), "saving is the editor's"


def test_the_model_reads_what_the_user_typed(serve: Serve) -> None:
    opened = Opened(serve, "saved\n", read_call(), "done")
    opened.editor.type(opened.uri, 0, "typed 😋", over=5)
    opened.editor.type(opened.uri, 7, "!")
    opened.run()
    assert "typed 😋!" in opened.call["output"]


def test_edit_refused_by_the_editor_is_reported_and_changes_nothing(serve: Serve) -> None:
    opened = Opened(serve, "old\n", read_call(), edit_call("old", "new"), "done")
    opened.editor.manners.refusal = {"applied": False, "failureReason": "read-only", "failedChange": 0}
    opened.run()
    assert (opened.call["status"], opened.call["effects"]) == ("failed", "none")
    assert "read-only" in opened.call["output"]
    assert (opened.text, opened.file.read_text()) == ("old\n", "old\n")


def test_an_editor_without_versioned_edits_is_not_written_behind(serve: Serve) -> None:
    opened = Opened(serve, "old\n", read_call(), edit_call("old", "new"), "done", versions=False)
    opened.run()
    assert opened.call["status"] == "failed"
    assert "versioned edits" in opened.call["output"]
    assert not opened.editor.asked
    assert opened.file.read_text() == "old\n"


def test_a_document_that_was_closed_is_a_file_again(serve: Serve) -> None:
    opened = Opened(serve, "old\n", read_call(), edit_call("old", "new"), "done")
    opened.editor.save(opened.uri)
    opened.editor.close(opened.uri)
    opened.run()
    assert opened.file.read_text() == "new\n"
    assert not opened.editor.asked
