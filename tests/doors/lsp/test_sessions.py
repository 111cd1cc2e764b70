"""Sessions through a real process: made, closed, resumed, damaged, busy elsewhere."""

import pytest

from agls.views.transcript import fold
from support.wire import Wire, events_in, turns
from support.wire_rules import check_events

from .conftest import Serve

HANGING = {"turns": [{"text": "I begin", "hang": True}]}


def test_closing_a_session_cancels_its_work_and_keeps_its_data(serve: Serve) -> None:
    wire = serve(HANGING)
    wire.initialize()
    session = wire.session(title="Mine")
    request = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
    queued = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
    wire.event("itemDelta")
    assert wire.call("agent/session/close", {"sessionId": session}) == {}
    assert wire.answer_of(request)["result"]["stopReason"] == "cancelled"
    assert wire.answer_of(queued)["result"]["stopReason"] == "cancelled"
    row = wire.call("agent/session/list", {"cwd": wire.workspace.as_uri()})["sessions"][0]
    assert (row["sessionId"], row["title"], row["state"]) == (session, "Mine", "idle")
    check_events(wire.events)
    assert wire.call("agent/resume", {"sessionId": session, "replay": "none"})["replayed"] == "nothing"


def test_closing_a_session_twice_at_once_is_harmless(serve: Serve) -> None:
    wire = serve(HANGING)
    wire.initialize()
    session = wire.session()
    wire.call("agent/run", {"sessionId": session, "input": "go"})
    wire.event("itemDelta")
    closes = [wire.post("agent/session/close", {"sessionId": session}) for _ in range(2)]
    assert [wire.answer_of(number).get("result") for number in closes] == [{}, {}]


def test_a_client_resumes_exactly_where_it_was(serve: Serve) -> None:
    wire = serve("one", "two")
    wire.initialize()
    session = wire.session()
    wire.run(session)
    cursor = {"epoch": wire.events[-1]["epoch"], "seq": wire.events[-1]["after"]}
    wire.run(session)
    live = [e for e in wire.events if e.get("seq", 0) > cursor["seq"] and e["type"] != "itemStarted"]
    resumed = wire.call("agent/resume", {"sessionId": session, "replay": "since", "after": cursor})
    assert resumed["replayed"] == "events"
    assert [e for e in resumed["events"] if "seq" in e and e["type"] != "itemStarted"] == live
    assert resumed["openItems"] == resumed["openRequests"] == []


@pytest.mark.parametrize("replay", ["tail", "all"])
def test_a_snapshot_is_the_transcript(serve: Serve, replay: str) -> None:
    wire = serve("one", "two", "three")
    wire.initialize()
    session = wire.session()
    for _ in range(3):
        wire.run(session)
    resumed = wire.call("agent/resume", {"sessionId": session, "replay": replay, "tail": 2})
    snapshot = resumed["snapshot"]
    live = list(fold(wire.events).items.values())
    if replay == "all":
        assert snapshot["items"] == live
        assert "olderCursor" not in snapshot
    else:
        assert snapshot["items"] == live[-2:]
        assert snapshot["olderCursor"]["seq"] < snapshot["seq"]
    wrong = {"epoch": "other", "seq": 1}
    assert (
        wire.call("agent/resume", {"sessionId": session, "replay": "since", "after": wrong})["replayed"]
        == "snapshot"
    )


@pytest.mark.parametrize("replay", ["tail", "since"])
def test_all_that_a_snapshot_leaves_out_is_older_than_its_cursor(serve: Serve, replay: str) -> None:
    wire = serve("one", "two")
    wire.initialize()
    session = wire.session()
    wire.run(session)
    wire.run(session)
    wanted = {"sessionId": session, "replay": replay, "tail": 0, "after": {"epoch": "other", "seq": 1}}
    snapshot = wire.call("agent/resume", wanted)["snapshot"]
    assert snapshot["items"] == []
    older = wire.call("agent/events", {"sessionId": session, "before": snapshot["olderCursor"]})
    assert fold(older["events"]).items == fold(wire.events).items


def test_resuming_in_the_middle_of_a_run_joins_snapshot_and_live_events(serve: Serve) -> None:
    wire = serve(turns({"text": [f"{n} " for n in range(40)], "delay": 0.01}))
    wire.initialize()
    session = wire.session()
    wire.call("agent/run", {"sessionId": session, "input": "go"})
    wire.event("itemDelta")
    request = wire.post("agent/resume", {"sessionId": session})
    result = wire.answer_of(request)["result"]
    wire.event("runEnded")
    item = result["openItems"][0]
    place = wire.index(lambda m: m.get("id") == request)
    later = [event for message in wire.messages[place:] for event in events_in(message)]
    text = item["text"] + "".join(e["data"]["append"] for e in later if e["type"] == "itemDelta")
    assert text == "".join(f"{n} " for n in range(40))
    first = next(e for e in later if e["type"] == "itemDelta")
    assert first["data"]["offset"] == len(item["text"])


def test_the_same_client_key_makes_one_session(serve: Serve) -> None:
    wire = serve("hi")
    wire.initialize()
    root = wire.workspace / "more"
    root.mkdir()
    first = wire.session(clientKey="a", additionalRoots=[root.as_uri()])
    assert wire.session(clientKey="a", additionalRoots=[root.as_uri()]) == first
    assert wire.session(clientKey="b") != first
    wire.run(first)
    snapshot = wire.call("agent/resume", {"sessionId": first, "replay": "since", "after": None})["snapshot"]
    assert snapshot["items"]
    assert wire.call("agent/session/list", {"limit": 1})["nextCursor"]


def test_a_session_that_is_not_there_is_refused(serve: Serve) -> None:
    wire = serve("hi")
    wire.initialize()
    for name in ("ses_missing", "../../etc/passwd", ""):
        for method in ("agent/run", "agent/steer", "agent/cancel", "agent/resume", "agent/session/close"):
            error = wire.ask(method, {"sessionId": name, "input": "go"})["error"]
            assert (error["code"], error["data"]["kind"]) == (-33005, "sessionNotFound")
            assert error["data"]["sessionId"] == name
            assert "agent/session/list" in error["data"]["hint"]


def test_session_that_cannot_be_opened_is_no_session_that_is_not_there(serve: Serve) -> None:
    wire = serve("hi")
    wire.initialize()
    session = wire.session()
    wire.run(session)
    wire.call("agent/session/close", {"sessionId": session})
    file = wire.workspace.parent / "state" / "sessions" / f"{session}.jsonl"
    file.write_bytes(b"what no agls wrote\n")
    for method in ("agent/run", "agent/resume", "agent/events", "agent/session/fork"):
        error = wire.ask(method, {"sessionId": session, "input": "go"})["error"]
        assert (error["code"], error["data"]["kind"]) == (-32803, "journal")
        assert error["data"]["sessionId"] == session
        assert session in error["message"]


def test_a_session_that_is_busy_elsewhere_is_refused_and_free_when_the_other_leaves(serve: Serve) -> None:
    wire = serve("hi", "again")
    wire.initialize()
    session = wire.session()
    wire.run(session)
    with Wire(wire.workspace.parent, wire.workspace.parent / "config.toml") as other:
        other.initialize()
        for method in ("agent/run", "agent/resume", "agent/session/close"):
            busy = other.ask(method, {"sessionId": session, "input": "go", "takeControl": True})["error"]
            assert (busy["code"], busy["data"]["kind"]) == (-33006, "sessionBusyElsewhere")
            assert busy["data"]["retryable"]
            assert busy["data"]["sessionId"] == session
            assert "agent/session/new" in busy["data"]["hint"]
        assert other.call("agent/session/list")["sessions"][0]["sessionId"] == session
        wire.call("agent/session/close", {"sessionId": session})
        assert other.run(session)["stopReason"] == "endTurn"


def test_one_key_makes_one_session_whatever_is_asked_at_once(serve: Serve) -> None:
    wire = serve("hi")
    wire.initialize()
    made = {"cwd": wire.workspace.as_uri(), "clientKey": "k"}
    requests = [wire.post("agent/session/new", made) for _ in range(5)]
    assert len({wire.answer_of(number)["result"]["sessionId"] for number in requests}) == 1
    error = wire.ask("agent/session/new", {**made, "title": "another"})["error"]
    assert (error["code"], error["data"]["kind"]) == (-33010, "keyConflict")


def test_a_session_is_made_with_its_roots_in_one_fact(serve: Serve) -> None:
    wire = serve("hi")
    wire.initialize()
    more = wire.workspace.parent / "more"
    more.mkdir()
    given = {"cwd": wire.workspace.as_uri(), "additionalRoots": [more.as_uri()], "title": "Mine"}
    made = wire.call("agent/session/new", given)
    assert made["seq"] == 1
    told = wire.call("agent/resume", {"sessionId": made["sessionId"], "replay": "since", "after": {
        "epoch": made["epoch"], "seq": 0}})["events"]  # fmt: skip
    info = next(event["data"] for event in told if event["type"] == "sessionInfo")
    assert info == {"cwd": wire.workspace.as_uri(), "additionalRoots": [more.as_uri()], "title": "Mine"}


def test_a_damaged_session_is_opened_and_says_so_once(serve: Serve) -> None:
    wire = serve("one", "two")
    wire.initialize()
    session = wire.session()
    wire.run(session)
    wire.call("agent/session/close", {"sessionId": session})
    journal = wire.workspace.parent / "state" / "sessions" / f"{session}.jsonl"
    journal.write_bytes(journal.read_bytes()[:-20])
    request = wire.post("agent/resume", {"sessionId": session})
    wire.answer_of(request)
    notice = wire.event("notice")["data"]
    assert (notice["severity"], notice["title"]) == ("warning", "The session was damaged")
    assert wire.index(lambda m: m.get("id") == request) < wire.index(
        lambda m: any(e["type"] == "notice" for e in events_in(m))
    )
    wire.call("agent/resume", {"sessionId": session})
    assert sum(event["type"] == "notice" for event in wire.events) == 1
