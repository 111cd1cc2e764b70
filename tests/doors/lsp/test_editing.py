"""Open documents and edits through the client, by a real process and a fake editor (protocol 4.10)."""

from pathlib import Path
from typing import Any

import pytest

from aglet.doors.fold import fold
from aglet.doors.lsp.positions import Place, offset_at
from support.wire import Message, Wire, turns

from .conftest import Serve

EDITS = {"workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}}


class FakeEditor:
    """One open document, and what an editor does with edits to it."""

    def __init__(self, wire: Wire, text: str, encoding: str, language: str = "text") -> None:
        self.wire, self.text, self.encoding, self.version = wire, text, encoding, 1
        self.path = wire.workspace / "öpen file.txt"
        self.uri = self.path.as_uri()
        self.edits: list[Message] = []
        self.refusal: Message | None = None
        self.autoformat = False
        self.path.write_bytes(text.encode())
        document = {"uri": self.uri, "languageId": language, "version": 1, "text": text}
        wire.notify("textDocument/didOpen", {"textDocument": document})
        wire.answers["workspace/applyEdit"] = self.apply
        wire.answers["agent/requestPermission"] = lambda p: {
            "outcome": "selected",
            "optionId": next(o["optionId"] for o in p["options"] if o["decision"] == "allow"),
        }

    def change(self, start: Place, end: Place, text: str) -> None:
        """Change the document and tell the server."""
        a, b = (offset_at(self.text, place, self.encoding) for place in (start, end))
        self.text = self.text[:a] + text + self.text[b:]
        self.version += 1
        span = {"start": start._asdict(), "end": end._asdict()}
        self.wire.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": self.uri, "version": self.version},
                "contentChanges": [{"range": span, "text": text}],
            },
        )

    def apply(self, params: Message) -> Any:
        """Apply an edit as an editor would."""
        self.edits.append(params)
        if self.refusal is not None:
            return self.refusal
        change = params["edit"]["documentChanges"][0]
        if change["textDocument"]["version"] != self.version:
            return {"applied": False, "failureReason": "version"}
        edit = change["edits"][0]
        start, end = (Place(**edit["range"][name]) for name in ("start", "end"))
        self.change(start, end, edit["newText"] + ("!" if self.autoformat else ""))
        return {"applied": True}


def edit_call(old: str, new: str) -> Message:
    arguments = {"path": "öpen file.txt", "old_text": old, "new_text": new}
    return {"text": "I edit.", "calls": [{"name": "edit_file", "arguments": arguments}]}


def read_call() -> Message:
    return {"text": "I read.", "calls": [{"name": "read_file", "arguments": {"path": "öpen file.txt"}}]}


def start(serve: Serve, text: str, *made: Any, encoding: str = "utf-16", edits: Any = EDITS) -> FakeEditor:
    wire = serve(turns(*made))
    general = {"general": {"positionEncodings": [encoding]}}
    wire.initialize(capabilities={**general, **edits})
    return FakeEditor(wire, text, encoding)


def last_call(wire: Wire) -> Message:
    return [item for item in fold(wire.events).items.values() if item["kind"] == "toolCall"][-1]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_open_document_is_edited_through_the_editor(serve: Serve, encoding: str, end: str) -> None:
    text = end.join(["first \f line \u2028 on", "x = '😋é' + old", "last", ""])
    editor = start(serve, text, read_call(), edit_call("old", "neu 😋"), "done", encoding=encoding)
    result = editor.wire.run(editor.wire.session())
    call = last_call(editor.wire)
    assert call["status"] == "completed", call
    assert editor.text == text.replace("old", "neu 😋")
    change = call["changes"][0]
    assert (change["via"], change["result"]["version"]) == ("editor", 2)
    assert result["filesChanged"][0]["uri"] == change["uri"]
    assert editor.edits[0]["edit"]["documentChanges"][0]["textDocument"]["version"] == 1
    assert len(editor.edits[0]["edit"]["documentChanges"][0]["edits"][0]["newText"]) < 10
    assert editor.edits[0]["label"]
    assert editor.path.read_bytes() == text.encode(), "saving is the editor's"


def test_the_model_reads_what_the_user_typed(serve: Serve) -> None:
    editor = start(serve, "saved\n", read_call(), "done")
    editor.change(Place(0, 0), Place(0, 5), "typed 😋")
    editor.change(Place(0, 8), Place(0, 8), "!")
    editor.wire.run(editor.wire.session())
    assert "typed 😋!" in last_call(editor.wire)["output"]


def test_an_edit_the_editor_refuses_is_told_and_changes_nothing(serve: Serve) -> None:
    editor = start(serve, "old\n", read_call(), edit_call("old", "new"), "done")
    editor.refusal = {"applied": False, "failureReason": "read-only"}
    editor.wire.run(editor.wire.session())
    call = last_call(editor.wire)
    assert call["status"] == "failed"
    assert "read-only" in call["output"]
    assert (editor.text, editor.path.read_text()) == ("old\n", "old\n")


def test_an_editor_without_versioned_edits_is_not_written_behind(serve: Serve) -> None:
    editor = start(serve, "old\n", read_call(), edit_call("old", "new"), "done", edits={})
    editor.wire.run(editor.wire.session())
    call = last_call(editor.wire)
    assert call["status"] == "failed"
    assert "versioned edits" in call["output"]
    assert not editor.edits
    assert editor.path.read_text() == "old\n"


def test_a_document_that_was_closed_is_a_file_again(serve: Serve, tmp_path: Path) -> None:
    editor = start(serve, "old\n", read_call(), edit_call("old", "new"), "done")
    editor.wire.notify("textDocument/didSave", {"textDocument": {"uri": editor.uri}})
    editor.wire.notify("textDocument/didClose", {"textDocument": {"uri": editor.uri}})
    editor.wire.run(editor.wire.session())
    assert editor.path.read_text() == "new\n"
    assert not editor.edits
