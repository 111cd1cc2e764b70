"""Every member of every request missing, of another type, unknown: it is answered, nothing changes (4.11).

What a member may be is read from the schema that is shipped, so a new method or member is tried by itself.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from support.wire import Message, Wire
from support.wire_rules import DEFS, SCHEMA, valid

from .conftest import Serve

ANYTHING: list[Any] = [
    7, -1, 1.5, 2**70, True, "", "x", "y" * 3_000, [], [1], [None], {}, {"a": 1}, [{"type": "text"}],
    {"epoch": 1, "seq": "x"}, {"start": 0.5, "end": None},
]  # fmt: skip
ANY_TYPE = {"agent/respond": {"response"}}  # read where its question is open: whatever is no yes is no
METHODS = {
    name: DEFS[rule["params"]["$ref"].rpartition("/")[2]]
    for name, rule in SCHEMA["methods"].items()
    if rule["direction"] == "toServer" and "result" in rule
}


def right(wire: Wire, session: str, item: str, method: str) -> Message:
    """Params of the method that make sense."""
    here: Message = {"sessionId": session}
    special: dict[str, Message] = {
        "agent/session/new": {"cwd": wire.workspace.as_uri()},
        "agent/session/list": {},
        "agent/session/rewind": {**here, "toItemId": "", "dryRun": True},
        "agent/session/rename": {**here, "title": "T"},
        "agent/item": {**here, "itemId": item},
        "agent/run": {**here, "input": "go", "wait": True},
        "agent/steer": {**here, "input": "go"},
        "agent/respond": {"requestId": "none", "response": {"outcome": "dismissed"}},
        "agent/setOption": {**here, "optionId": "maxTurns", "value": 30},
        "agent/action/list": {},
        "agent/action/invoke": {**here, "name": "usage"},
        "agent/status": {},
        "agent/complete": {**here, "text": "see @a", "cursor": 6},
        "agent/edit": {**here, "uri": "untitled:a", "text": "a", "range": {}, "instruction": "go"},
        "agent/provider/models": {"baseUrl": "http://127.0.0.1:9/v1"},  # nobody is there, which is a result
        "agent/provider/use": {"model": "play"},  # which it has
    }
    return special.get(method, here)


def wrong(method: str, params: Message) -> Iterator[Any]:
    """Params that the schema does not allow; an absent member is the same as null."""
    for name in METHODS[method].get("properties", {}):
        rest = {other: value for other, value in params.items() if other != name}
        for changed in (rest, *({**rest, name: value} for value in ANYTHING)):
            if not valid(method, changed) and name not in ANY_TYPE.get(method, set()):
                yield changed
                if name not in changed:
                    yield {**rest, name: None}
    yield from ([params], "x", 7)


def talked(lasting: Serve) -> tuple[Wire, str, str]:
    """A session in which something was said, and the answer's item."""
    wire = lasting({"match": "", "repeat": True, "turns": [{"text": "yes"}]})
    session = wire.session()
    wire.run(session)
    item = wire.call("agent/resume", {"sessionId": session})["snapshot"]["items"][-1]["itemId"]
    return wire, session, item


@pytest.mark.item(37)
def test_every_member_that_makes_no_sense_is_refused_by_name_and_changes_nothing(
    lasting: Serve,
) -> None:
    wire, session, item = talked(lasting)
    before = wire.call("agent/resume", {"sessionId": session, "replay": "all"})
    rows = wire.call("agent/session/list")
    told = len(wire.events)
    asked: dict[int, tuple[str, Any]] = {}
    for method in METHODS:
        for params in wrong(method, right(wire, session, item, method)):
            number = wire.post(method, params or {"none": None})
            asked[number] = (method, params)
    assert len(asked) > 700
    for number, request in asked.items():
        answer = wire.answer_of(number)
        assert "error" in answer, (request, answer)
        error = answer["error"]
        assert (error["code"], error["data"]["kind"]) == (-32602, "invalidParams"), (request, error)
        assert error["data"]["retryable"] is False
        assert "params" in error["message"], "it says what is wrong, or that params are an object"
        assert request[0] in error["data"]["hint"], "it says what the method takes"
    assert wire.call("agent/session/list") == rows
    assert wire.call("agent/resume", {"sessionId": session, "replay": "all"}) == before
    assert wire.events[told:] == []


@pytest.mark.parametrize("method", METHODS)
def test_unknown_members_are_ignored(lasting: Serve, method: str) -> None:
    wire, session, item = talked(lasting)
    params = right(wire, session, item, method)
    given = {**params, "zzz": [1], "class": {"a": 1}, "_mine": "x"}
    answer = wire.ask(method, given)
    if method == "agent/respond":  # there is no question to answer, and that is all that is wrong
        assert answer["error"]["message"] == "params.requestId: there was no question 'none'"
    else:
        assert "result" in answer


NO_RANGE: dict[str, Message] = {
    "agent/session/list": {"limit": -1, "search": '"( * AND', "cwd": "file:///nowhere"},
    "agent/events": {"limit": 2**70, "types": ["nothing"]},
    "agent/resume": {"tail": -1, "replay": "tail"},
    "agent/item": {"field": "text", "range": {"start": -(2**70), "end": 2**70}},
    "agent/queue": {"to": 2**70},
    "agent/complete": {"cursor": 2**70},
    "agent/cancel": {"runId": "nothing", "reason": "x" * 3_000},
}


@pytest.mark.parametrize("method", NO_RANGE)
def test_numbers_beyond_all_bounds_mean_the_bound(lasting: Serve, method: str) -> None:
    wire, session, item = talked(lasting)
    assert "result" in wire.ask(method, {**right(wire, session, item, method), **NO_RANGE[method]})


@pytest.mark.item(37)
def test_list_with_an_unknown_cursor_is_refused(lasting: Serve) -> None:
    wire, _, _ = talked(lasting)
    error = wire.ask("agent/session/list", {"cursor": "nowhere"})["error"]
    assert (error["code"], error["data"]["kind"]) == (-32602, "cursorExpired")
    assert "without a cursor" in error["data"]["hint"]
