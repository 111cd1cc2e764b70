"""`agent/focus`: the editor tells where its user looks, and the model hears it with the next prompt."""

from typing import Any

import pytest

from agls.doors.agent.focus import read_focus
from agls.engine.facts import Entry, Injected
from agls.engine.vocabulary import Focus, Text
from agls.stores.codec import decode
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
def test_meaningless_members_of_a_focus_are_ignored(params: Any, focus: Focus | None) -> None:
    assert read_focus(params) == focus


def environments(wire: Wire, session: str) -> list[str]:
    """What the model was told of its environment, by prompt: it is in the journal, and no item."""
    journal = wire.workspace.parent / "state" / "sessions" / f"{session}.jsonl"
    _, *lines = journal.read_bytes().splitlines()
    facts = [entry.fact for line in lines if isinstance(entry := decode(line), Entry)]
    injected = [message for fact in facts if isinstance(fact, Injected) for message in fact.messages]
    told = [message for message in injected if message.origin == "environment"]
    return ["".join(part.text for part in message.content if isinstance(part, Text)) for message in told]


def test_next_prompt_has_the_focus_of_the_user(serve: Serve) -> None:
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
    assert "looks at" not in first
    assert "The user looks at: none any more" in third
    assert "The user looks at: src/a b.py (lines 12-14 selected, lines 1-40 visible)\n" in second


def test_unreadable_focus_is_ignored(serve: Serve) -> None:
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
