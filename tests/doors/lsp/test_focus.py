"""`agent/focus`: the editor tells where its user looks, and the model hears it with the next prompt."""

import json
from typing import Any

import pytest

from agls.doors.agent.focus import read_focus
from agls.engine.vocabulary import Focus
from support.wire import Message, Wire

from .conftest import Serve


def span(first: int, last: int, *, begin: int = 0, end: int = 5) -> Message:
    return {"start": {"line": first, "character": begin}, "end": {"line": last, "character": end}}


@pytest.mark.parametrize(
    ("params", "focus"),
    [
        ({"uri": "u"}, Focus("u")),
        ({"uri": "u", "selection": span(4, 4, begin=5)}, Focus("u", (5, 5))),
        ({"uri": "u", "selection": span(4, 6)}, Focus("u", (5, 7), selected=True)),
        ({"uri": "u", "selection": span(4, 6, end=0)}, Focus("u", (5, 6), selected=True)),
        ({"uri": "u", "visible": [span(50, 60), span(0, 9)]}, Focus("u", visible=(1, 61))),
        ({"uri": "u", "visible": [7, {}, span(9, 3)], "selection": "x"}, Focus("u")),
        ({"uri": "u", "selection": {"start": {"line": -1}, "end": {"line": "x"}}}, Focus("u", selected=True)),
        ({"uri": None, "selection": span(1, 2)}, None),
        ({"uri": 7}, None),
        ({}, None),
    ],
)
def test_what_makes_no_sense_is_as_if_it_was_not_said(params: Any, focus: Focus | None) -> None:
    assert read_focus(params) == focus


def environments(wire: Wire, session: str) -> list[str]:
    """What the model was told of its environment, by prompt: it is in the journal, and no item."""
    journal = wire.workspace.parent / "state" / "sessions" / f"{session}.jsonl"
    facts = [json.loads(line)[1:] for line in journal.read_text().splitlines()[1:]]
    told = [message for _, _, kind, data in facts if kind == "injected" for message in data["messages"]]
    return [message["content"] for message in told if message.get("origin") == "environment"]


def test_the_model_hears_with_the_next_prompt_where_the_user_looks(serve: Serve) -> None:
    wire = serve("one", "two", "three")
    methods = wire.initialize()["capabilities"]["experimental"]["agent"]["methods"]
    assert "agent/focus" in methods
    session = wire.session()
    wire.run(session)
    uri = (wire.workspace / "src" / "a b.py").as_uri()
    wire.notify("agent/focus", {"uri": uri, "selection": span(11, 13), "visible": [span(0, 39)]})
    wire.run(session)
    wire.notify("agent/focus", {"uri": "file:///etc/passwd"})
    wire.run(session)
    first, second, third = environments(wire, session)
    assert "looks at" not in first + third
    assert "The user looks at: src/a b.py (lines 12-14 selected, lines 1-40 visible)\n" in second


def test_a_focus_that_cannot_be_read_harms_nobody(serve: Serve) -> None:
    wire = serve("one")
    wire.initialize()
    for params in (
        [],
        {"uri": {}},
        {"uri": "\0", "visible": 3},
        {"uri": "untitled:x"},
        {"uri": "file://h/x"},
    ):
        wire.notify("agent/focus", params)
    session = wire.session()
    assert wire.run(session)["stopReason"] == "endTurn"
    assert "looks at" not in environments(wire, session)[0]
