"""The model and its effort are changed within a session, and what was spent before keeps its price."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agls.models.endpoint import DialectName
from support.model_dialects import Said
from support.model_replies import Raw, Request, sse
from support.model_server import Failure, ModelServer, Reply
from support.wire import AGENT, Wire

CONFIG = """
model = "cheap"
[models.cheap]
base_url = "{url}"
model = "small-1"
context_window = 50000
input_price = {price}
output_price = 2
[models.dear]
base_url = "{url}"
model = "large-1"
input_price = 100
output_price = 200
[models.nameless]
base_url = "{url}"
[tiers]
fast = "cheap"
strong = "dear"
"""
USED = (1_000, 500)
CHEAP, DEAR = 0.002, 0.2  # dollars for that


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer([Reply(f"Answer {n}.", usage=USED) for n in range(6)]) as server:
        yield server


def opened(folder: Path, server: ModelServer, price: float = 1) -> Wire:
    config = folder / "config.toml"
    config.write_text(CONFIG.format(url=server.url, price=price))
    return Wire(folder, config)


def spent(wire: Wire, session: str, whom: str = "session") -> Any:
    answer = wire.call("agent/action/invoke", {"sessionId": session, "name": "usage", "arguments": {}})
    return answer["data"][whom]["costUsd"]


def test_model_and_effort_change_within_a_session(tmp_path: Path, server: ModelServer) -> None:
    with opened(tmp_path, server) as wire:
        wire.initialize()
        session = wire.session(title="Mine", options={"model": "fast"})

        def set_option(name: str, value: str | None) -> None:
            wire.call("agent/setOption", {"sessionId": session, "optionId": name, "value": value})

        wire.run(session)
        set_option("model", "strong")
        set_option("effort", "high")
        wire.run(session)
        wire.run(session, options={"model": "nameless", "effort": "low"})  # for this run alone
        wire.run(session)
        set_option("effort", None)
        set_option("model", None)
        wire.run(session)
        turns = [event["data"]["model"] for event in wire.events if event["type"] == "turnStarted"]
        meters = [event["data"] for event in wire.events if event["type"] == "contextUsage"]
    asked = [(request.body["model"], request.body.get("reasoning_effort")) for request in server.posts]
    assert asked == [
        ("small-1", None), ("large-1", "high"), ("nameless", "low"), ("large-1", "high"), ("small-1", None)
    ]  # fmt: skip
    assert turns == ["cheap", "dear", "nameless", "dear", "cheap"]
    assert len(server.posts[-1].body["messages"]) > len(server.posts[0].body["messages"]), "one conversation"
    assert meters[0] == {"used": 1_500, "size": 50_000, "sure": "told", "cost": 0.002}
    assert "size" not in meters[1], "of this model nobody said how much it holds"


@pytest.mark.row(17)
def test_another_model_does_not_price_the_past_again(tmp_path: Path, server: ModelServer) -> None:
    """Each call keeps the price of the model that answered it, whatever is asked or written later."""
    with opened(tmp_path, server) as wire:
        wire.initialize()
        session = wire.session(title="Mine")
        assert wire.run(session)["cost"] == pytest.approx(CHEAP)
        assert wire.run(session, options={"model": "strong"})["cost"] == pytest.approx(DEAR)
        assert wire.run(session)["cost"] == pytest.approx(CHEAP)
        costs = [event["data"]["cost"] for event in wire.events if event["type"] == "turnEnded"]
        assert costs == pytest.approx([CHEAP, DEAR, CHEAP])
        assert spent(wire, session) == pytest.approx(2 * CHEAP + DEAR)
        assert spent(wire, session, "run") == pytest.approx(CHEAP)
        wire.leave()
    with opened(tmp_path, server, price=1_000) as wire:  # the price was changed meanwhile
        wire.initialize()
        wire.call("agent/resume", {"sessionId": session})
        assert spent(wire, session) == pytest.approx(2 * CHEAP + DEAR)
        assert wire.run(session)["cost"] == pytest.approx(1.001)
        assert spent(wire, session) == pytest.approx(2 * CHEAP + DEAR + 1.001)
        wire.run(session, options={"model": "nameless"})
        assert spent(wire, session) is None, "a part is not the whole"


@pytest.mark.row(3)
def test_the_first_word_is_there_before_the_last_was_sent(tmp_path: Path) -> None:
    """The server never says more than its first word; the editor has that word all the same."""
    word = sse({"choices": [{"delta": {"content": "First"}}]})
    with ModelServer([Raw([word], then="hang")]) as server, opened(tmp_path, server) as wire:
        wire.initialize()
        session = wire.session(title="Mine")
        wire.call("agent/run", {"sessionId": session, "input": "go"})
        assert wire.event("itemDelta")["data"]["append"] == "First"
        assert not server.posts[0].closed.is_set()
        wire.call("agent/cancel", {"sessionId": session})
        assert wire.event("runEnded")["data"]["stopReason"] == "cancelled"


@pytest.mark.row(9)
def test_server_that_fails_twice_is_asked_three_times_and_each_wait_is_reported(tmp_path: Path) -> None:
    """Busy, then broken; the run goes on, and what happened are events."""
    replies = [
        Failure(429, "slow down", headers={"retry-after-ms": "20"}),
        Failure(500, "oops"),
        Reply("Hi."),
    ]
    with ModelServer(replies) as server, opened(tmp_path, server) as wire:
        wire.initialize()
        assert wire.run(wire.session(title="Mine"))["stopReason"] == "endTurn"
        waits = [event["data"] for event in wire.events if event["type"] == "turnRetrying"]
    assert [wait["attempt"] for wait in waits] == [1, 2]
    assert "slow down" in str(waits[0]) and "oops" in str(waits[1])
    assert len(server.posts) == 3


def test_torn_answer_is_marked_as_discarded_and_requested_again(tmp_path: Path) -> None:
    torn = Reply("Half of it", thinking="Hm.", cut_after=3, then="close")
    with ModelServer([torn, Reply("All of it.")]) as server, opened(tmp_path, server) as wire:
        wire.initialize()
        session = wire.session(title="Mine")
        assert wire.run(session)["stopReason"] == "endTurn"
        ended = [event["data"]["item"] for event in wire.events if event["type"] == "itemCompleted"]
        retrying = wire.event("turnRetrying")["data"]
        kept = wire.call("agent/resume", {"sessionId": session})["snapshot"]["items"]
    said = [(item["kind"], item["text"], item.get("discarded")) for item in ended if "text" in item]
    assert said == [
        ("thought", "Hm.", True),
        ("message", "Half of it", True),
        ("message", "All of it.", None),
    ]
    assert retrying["discardPartial"] is True
    assert [item["text"] for item in kept if item["kind"] == "message"] == ["All of it."]
    assert len(server.posts) == 2


@pytest.mark.row(8)
@pytest.mark.parametrize("streamed", [True, False])
def test_a_model_corrects_its_bad_arguments(tmp_path: Path, streamed: bool) -> None:
    """No JSON, then not what the tool takes: the model reads what is wrong and gets it right."""
    replies = [
        Reply(calls=[("read_file", arguments)])
        for arguments in ('{"path": "a.t', {"way": 3}, {"path": "a.txt"})
    ]
    told = [*replies, Reply("It says 42.")]
    whole = [reply.raw(Request("POST", "/", {}, b""), number) for number, reply in enumerate(told)]
    with ModelServer(told if streamed else whole) as server, opened(tmp_path, server) as wire:
        (wire.workspace / "a.txt").write_text("42\n")
        wire.initialize()
        assert wire.run(wire.session(title="Mine"))["stopReason"] == "endTurn"
        items = [event["data"]["item"] for event in wire.events if event["type"] == "itemCompleted"]
    calls = [item for item in items if item["kind"] == "toolCall"]
    assert [call["status"] for call in calls] == ["failed", "failed", "completed"]
    assert "not a JSON object" in calls[0]["output"] and "arguments are wrong" in calls[1]["output"]
    assert "42" in calls[2]["output"]
    assert items[-1]["text"] == "It says 42."


def test_editor_gets_a_notice_when_a_fallback_model_answers(tmp_path: Path) -> None:
    with (
        ModelServer([Failure(402, "nothing left")]) as empty,
        ModelServer([Reply("Hi.", usage=USED)]) as other,
    ):
        config = tmp_path / "config.toml"
        config.write_text(
            f'model = "work"\n[models.work]\nbase_url = "{empty.url}"\nfallback = "spare"\n'
            f'[models.spare]\nbase_url = "{other.url}"\ninput_price = 1\noutput_price = 2\n'
        )
        with Wire(tmp_path, config) as wire:
            wire.initialize()
            assert wire.run(wire.session())["cost"] == pytest.approx(CHEAP)
            told = wire.event("turnRetrying")["data"]
            ended = wire.event("turnEnded")["data"]
    assert "nothing left" in str(told) and "spare is asked in its place" in str(told)
    assert ended["model"] == "spare"


EITHER = {
    "oneOf": [
        {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
        {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    ]
}


@pytest.mark.parametrize("dialect", ["chat", "responses", "anthropic", "gemini"])
def test_tool_of_the_editor_with_alternatives_reaches_every_provider_as_one_object(
    tmp_path: Path, dialect: DialectName
) -> None:
    tool = {"name": "open_thing", "description": "Open a thing.", "inputSchema": EITHER, "readOnly": True}
    with ModelServer([Raw(Said("Hi.").events(dialect))]) as server:
        config = tmp_path / "config.toml"
        config.write_text(f'model = "m"\n[models.m]\nbase_url = "{server.url}"\ndialect = "{dialect}"\n')
        with Wire(tmp_path, config) as wire:
            wire.initialize({**AGENT, "tools": [tool]})
            assert wire.run(wire.session())["stopReason"] == "endTurn"
    (sent,) = (found for found in _tools(server.posts[0].body["tools"]) if found["name"] == "open_thing")
    (schema,) = (value for value in sent.values() if isinstance(value, dict))
    assert schema["type"] == "object" and set(schema["properties"]) == {"path", "name"}
    assert "oneOf" not in schema and "required" not in schema


def _tools(value: Any) -> list[Any]:
    """The definitions of tools, wherever a dialect has them."""
    if isinstance(value, list):
        return [found for item in value for found in _tools(item)]
    if isinstance(value, dict):
        return [value] if "name" in value else [found for item in value.values() for found in _tools(item)]
    return []
