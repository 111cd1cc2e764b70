"""`agent/edit`: the text for a place in a document, and `textDocument/inlineCompletion`, by real methods."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.check_wire import check_wire
from support.patience import wait_until
from support.wire import Wire, script, turns

Params = dict[str, Any]
TEXT = "def area(r):\n    return 3 * r\n\nprint(area(2))\n"


def ask(wire: Wire, **more: Any) -> Params:
    uri = (wire.workspace / "area.py").as_uri()
    place = {"start": {"line": 1, "character": 8}, "end": {"line": 1, "character": 12}}
    return {"uri": uri, "range": place, "instruction": "use pi", **more}


def answered(folder: Path, *made: Any, config: str = "") -> Wire:
    file = script(folder, {**turns(*made), "repeat": True})
    file.write_text(file.read_text() + config)
    wire = Wire(folder, file)
    (wire.workspace / "area.py").write_text(TEXT)
    return wire


@pytest.fixture
def wire(tmp_path: Path) -> Iterator[Wire]:
    with answered(tmp_path, "```python\n    return pi * r * r\n```") as wire:
        wire.initialize()
        yield wire


def deltas(wire: Wire, edit_id: str) -> str:
    said = [message["params"] for message in wire.of_method("agent/editDelta")]
    return "".join(one["text"] for one in said if one["editId"] == edit_id)


def usage_files(folder: Path) -> list[Path]:
    return list((folder / "state" / "usage").rglob("*.json"))


def test_edit_answers_with_whole_lines_and_shows_them_piece_by_piece(wire: Wire) -> None:
    answer = wire.call("agent/edit", ask(wire, editId="e1"))
    assert answer["text"] == deltas(wire, "e1") == "    return pi * r * r"
    assert answer["range"] == {
        "start": {"line": 1, "character": 0},
        "end": {"line": 1, "character": 16},
    }
    assert answer["model"]
    assert answer["usage"]["outputTokens"] > 0
    assert (wire.workspace / "area.py").read_text() == TEXT, "nothing is changed"


def test_edit_makes_no_session_and_counts_in_the_days_usage(wire: Wire, tmp_path: Path) -> None:
    answer = wire.call("agent/edit", ask(wire))
    assert wire.of_method("agent/editDelta") == [], "nobody named it"
    assert wire.call("agent/session/list", {})["sessions"] == []
    (file,) = usage_files(tmp_path)
    assert str(answer["usage"]["outputTokens"]) in file.read_text()


def test_edit_is_of_the_unsaved_text_and_refuses_another_version(wire: Wire, tmp_path: Path) -> None:
    text = TEXT.replace("3 * r", "3 * unsaved")
    uri = (wire.workspace / "area.py").as_uri()
    document = {"uri": uri, "languageId": "python", "version": 7, "text": text}
    wire.notify("textDocument/didOpen", {"textDocument": document})
    assert wire.call("agent/edit", ask(wire, version=7))["version"] == 7
    before = len(usage_files(tmp_path)[0].read_text())
    error = wire.ask("agent/edit", ask(wire, version=6))["error"]
    assert (error["code"], error["data"]["kind"]) == (-32801, "contentModified")
    assert len(usage_files(tmp_path)[0].read_text()) == before, "no model was asked"


def test_model_is_shown_the_selection_the_problems_and_the_earlier_attempt(tmp_path: Path) -> None:
    seen = ["<selection>\n    return 3 * r\n</selection>", "line 2: r is no number", "return 4", "use pi"]
    pattern = "(?s)" + ".*".join(part.replace("*", r"\*") for part in seen)
    prompt = {"pattern": pattern, "turns": [{"text": "    return 5"}]}
    config = script(tmp_path, prompt)
    with Wire(tmp_path, config) as wire:
        (wire.workspace / "area.py").write_text(TEXT)
        wire.initialize()
        wrong = {"range": {"start": {"line": 1, "character": 4}}, "message": "r is no number"}
        attempt = {"instruction": "use four", "text": "    return 4"}
        answer = wire.call("agent/edit", ask(wire, diagnostics=[wrong], attempts=[attempt]))
        assert answer["text"] == "    return 5"


def test_document_that_is_no_file_is_edited_by_its_text(wire: Wire) -> None:
    place = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    given = {"uri": "untitled:Untitled-1", "text": "", "range": place, "instruction": "a function"}
    assert wire.call("agent/edit", given)["text"] == "    return pi * r * r"
    refused = wire.ask("agent/edit", {**given, "text": None})["error"]
    assert refused["data"]["kind"] == "invalidParams"


def test_edit_that_is_cancelled_ends_the_answer_of_the_model(tmp_path: Path) -> None:
    with answered(tmp_path, {"text": "    return", "hang": True}) as wire:
        wire.initialize()
        edit = wire.post("agent/edit", ask(wire, editId="e1"))
        wait_until(lambda: deltas(wire, "e1") == "    return")
        wire.notify("$/cancelRequest", {"id": edit})
        assert wire.answer_of(edit)["error"]["data"]["kind"] == "cancelled"
        (file,) = usage_files(tmp_path)
        (row,) = json.loads(file.read_text())["ended"]
        used = row["used"]
        assert (used["model_calls"], used["output_tokens"] > 0) == (1, True), "what came of it counts"


@pytest.mark.parametrize(
    ("turn", "config", "says"),
    [
        ("x", "[budget.day]\nmax_model_calls = 0\n", "budget of model calls of the day is used up"),
        ({"text": "x", "cut": True}, "", "breaks the answer off"),
        ("x", '[permissions]\ndeny = ["read(area.py)"]\n', "hidden from agents"),
    ],
)
def test_edit_that_cannot_be_made_says_why(tmp_path: Path, turn: Any, config: str, says: str) -> None:
    with answered(tmp_path, turn, config=config) as wire:
        wire.initialize()
        error = wire.ask("agent/edit", ask(wire))["error"]
        assert says in error["message"]
        assert error["data"]["kind"] == "actionFailed"


def test_edit_beside_a_session_leaves_its_journal_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    file = tmp_path / "workspace" / "a.py"
    file.write_text("x = 1\n")
    place = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
    params = {"uri": file.as_uri(), "range": place, "instruction": "two"}
    (answer,) = check_wire(tmp_path, "x = 2", requests=[("agent/edit", params)], events=[])
    assert answer["text"] == "x = 2"


def completion_of(wire: Wire, line: int, character: int) -> Any:
    uri = (wire.workspace / "area.py").as_uri()
    document = {"uri": uri, "languageId": "python", "version": 1, "text": TEXT}
    wire.notify("textDocument/didOpen", {"textDocument": document})
    at = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
    return wire.call("textDocument/inlineCompletion", {**at, "context": {"triggerKind": 2}})


def test_completion_asks_no_model_until_the_user_switches_it_on(wire: Wire, tmp_path: Path) -> None:
    assert completion_of(wire, 2, 0) == {"items": []}
    assert usage_files(tmp_path) == []


def test_completion_is_inserted_at_the_cursor(tmp_path: Path) -> None:
    with answered(tmp_path, " + 1", config="[inline_edit]\ncompletion = true\n") as wire:
        hello = wire.initialize()
        assert "inlineCompletionProvider" in hello["capabilities"]
        (item,) = completion_of(wire, 1, 16)["items"]
        assert item["insertText"] == " + 1"
        assert item["range"]["start"] == item["range"]["end"] == {"line": 1, "character": 16}
        assert json.loads(usage_files(tmp_path)[0].read_text())
