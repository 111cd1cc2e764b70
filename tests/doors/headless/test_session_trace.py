"""`agls sessions trace`: what happened, and what clients heard of it."""

import json
from typing import Any

from .conftest import Agls

EDIT = {"name": "write", "arguments": {"path": "new.txt", "content": "hello\n"}}


def traced(agls: Agls) -> tuple[str, str]:
    """A session with one prompt, one call and an answer; its id and the id of its run."""
    agls.script({"calls": [EDIT]}, {"text": "It is written."})
    done = agls.run("run", "--mode", "acceptEdits", "--output", "json", "go")
    assert done.code == 0, done.err
    said = json.loads(done.out)
    return said["sessionId"], said["runId"]


def rows(agls: Agls, *arguments: str) -> list[dict[str, Any]]:
    done = agls.run("sessions", "trace", *arguments, "--json")
    assert done.code == 0, done.err
    return [json.loads(line) for line in done.out.splitlines()]


def test_trace_shows_each_fact_beside_its_wire_events(agls: Agls) -> None:
    session_id, run_id = traced(agls)
    done = agls.run("sessions", "trace", session_id)
    line = next(line for line in done.out.splitlines() if " tool_started " in line)
    fact, event = line.split("tool_started")[1].rsplit("  ", 1)
    assert "call_id=" in fact
    assert event.startswith("itemUpdated ")
    ended = next(line for line in done.out.splitlines() if " run_ended " in line)
    assert "runEnded stopReason=endTurn" in done.out[done.out.index(ended) :]
    assert run_id in ended
    assert "+0." in ended, "the seconds since the fact before"


def test_trace_as_json_has_every_fact_once_in_order(agls: Agls) -> None:
    session_id, _ = traced(agls)
    everything = rows(agls, session_id)
    assert [row["seq"] for row in everything] == list(range(1, len(everything) + 1))
    for row in everything:
        assert all(event.get("seq", event.get("after")) == row["seq"] for event in row["events"])


def test_trace_of_a_type_shows_facts_and_events_of_it_alone(agls: Agls) -> None:
    session_id, _ = traced(agls)
    chosen = rows(agls, session_id, "--type", "run_ended", "--type", "turnStarted")
    assert {row["fact"]["type"] for row in chosen} == {"turn_started", "run_ended"}


def test_trace_of_an_item_shows_its_life(agls: Agls) -> None:
    session_id, run_id = traced(agls)
    started = rows(agls, session_id, "--type", "tool_started")[0]
    call = started["fact"]["data"]["call_id"]
    life = [row["fact"]["type"] for row in rows(agls, session_id, "--item", call, "--run", run_id)]
    assert life[0] == "replied"
    assert {"tool_started", "tool_finished"} <= set(life)
    assert "turn_started" not in life


def test_trace_without_a_match_says_so(agls: Agls) -> None:
    session_id, _ = traced(agls)
    done = agls.run("sessions", "trace", session_id, "--run", "run_unknown")
    assert (done.code, done.out) == (2, "")
    assert "Nothing in" in done.err
