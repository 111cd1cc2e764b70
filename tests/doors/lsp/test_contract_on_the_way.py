"""Requests that are on their way into a session when its work is ended, or when another takes their place.

A prompt with a file is on its way for a while: its file is kept before it is admitted (protocol#cancel).
"""

import base64
from pathlib import Path
from typing import Any

import pytest

from support.model_server import ModelServer, Reply
from support.wire import Message, Wire, frame, script

from .conftest import Serve

HANGING = {"match": "hang", "turns": [{"text": "I begin", "hang": True}]}
ANY = {"match": "", "repeat": True, "turns": [{"text": "yes"}]}
LARGE = base64.b64encode(b"x" * 1_000_000).decode()
MOST = 256  # runs of one session that may wait

ENDS: dict[str, tuple[str, Message]] = {  # what ends the work of a session, also what is on its way
    "close": ("agent/session/close", {}),
    "delete": ("agent/session/delete", {}),
    "drop": ("agent/cancel", {"queued": "drop"}),
}
LATE: dict[str, tuple[str, Message]] = {  # what is on its way
    "run": ("agent/run", {}),
    "steer": ("agent/steer", {"ifEnded": "run"}),
}


def with_file(data: str = LARGE) -> list[Message]:
    """A prompt with a file."""
    return [{"type": "text", "text": "look"}, {"type": "file", "name": "a.txt", "data": data}]


def at_once(wire: Wire, session: str, **requests: tuple[str, Message]) -> None:
    """Send these requests in one write; their names are their ids."""
    frames: list[bytes] = []
    for name, (method, params) in requests.items():
        given = {"sessionId": session, **params}
        message = {"jsonrpc": "2.0", "id": name, "method": method, "params": given}
        wire.asked[name] = (method, given)
        wire.said.append(("client", message))
        frames.append(frame(message))
    wire.write(b"".join(frames))


def of_run(wire: Wire, run_id: str) -> list[str]:
    """The types of the events of a run, as its end is told."""
    wire.until(lambda m: any(e["type"] == "runEnded" and e["runId"] == run_id for e in wire.events))
    return [event["type"] for event in wire.events if event.get("runId") == run_id]


def busy(serve: Serve) -> tuple[Wire, str]:
    """A session with a run that does not end."""
    wire = serve(HANGING, ANY)
    wire.initialize()
    session = wire.session()
    wire.call("agent/run", {"sessionId": session, "input": "hang"})
    wire.event("itemDelta")
    return wire, session


@pytest.mark.item(27)
@pytest.mark.parametrize("late", LATE)
@pytest.mark.parametrize("end", ENDS)
def test_end_of_a_session_reaches_a_run_that_is_not_admitted_yet(serve: Serve, end: str, late: str) -> None:
    wire, session = busy(serve)
    method, params = LATE[late]
    at_once(wire, session, late=(method, {**params, "input": with_file()}), end=ENDS[end])
    answer = wire.answer_of("late")["result"]
    assert "result" in wire.answer_of("end")
    if answer["outcome"] != "injected":  # else it came before all of that
        told = of_run(wire, answer["runId"])
        assert "turnStarted" not in told, "the model is never asked"
        (ended,) = (e for e in wire.events if e["type"] == "runEnded" and e["runId"] == answer["runId"])
        assert ended["data"]["stopReason"] == "cancelled"


@pytest.mark.item(34)
@pytest.mark.parametrize("content", [with_file(), "look"], ids=["file", "text"])
def test_run_sent_after_a_close_opens_the_session_again(serve: Serve, content: Any) -> None:
    wire, session = busy(serve)
    run = ("agent/run", {"input": content, "wait": True})
    at_once(wire, session, before=run, close=ENDS["close"], behind=run, again=ENDS["close"])
    assert wire.answer_of("before")["result"]["stopReason"] == "cancelled"
    assert wire.answer_of("behind")["result"]["stopReason"] in {"endTurn", "cancelled"}
    for name in ("close", "again"):
        assert "result" in wire.answer_of(name)
    assert wire.run(session)["stopReason"] == "endTurn"


def test_run_sent_after_a_delete_is_refused_as_session_not_found(serve: Serve) -> None:
    wire, session = busy(serve)
    run = ("agent/run", {"input": with_file(), "wait": True})
    at_once(wire, session, before=run, delete=ENDS["delete"], behind=run)
    assert wire.answer_of("before")["result"]["stopReason"] == "cancelled"
    assert "result" in wire.answer_of("delete")
    assert wire.answer_of("behind")["error"]["data"]["kind"] == "sessionNotFound"
    assert wire.call("agent/session/list")["sessions"] == []


@pytest.mark.item(34)
def test_no_more_runs_wait_than_may_however_many_come_at_once(serve: Serve) -> None:
    wire, session = busy(serve)
    few = {"input": with_file("aGVsbG8=")}
    at_once(wire, session, **{f"r{number}": ("agent/run", few) for number in range(MOST + 40)})
    answers = [wire.answer_of(f"r{number}") for number in range(MOST + 40)]
    refused = [answer["error"] for answer in answers if "error" in answer]
    assert {(error["code"], error["data"]["kind"]) for error in refused} == {(-33007, "overloaded")}
    assert len(refused) == 40
    assert len(wire.call("agent/queue", {"sessionId": session, "op": "list"})["queue"]) == MOST
    dropped = wire.call("agent/cancel", {"sessionId": session, "queued": "drop"})["dropped"]
    assert len(dropped) == MOST


@pytest.mark.item(27)
def test_a_run_whose_cancel_came_before_its_admission_never_asks_the_model(tmp_path: Path) -> None:
    """Whether it came before is told by the receipt: then there was no run to name."""
    with ModelServer([Reply(["I begin"], cut_after=2, then="hang")] * 20) as model:
        config = tmp_path / "config.toml"
        config.write_text(
            f'model = "m"\n[models.m]\ndialect = "chat"\nbase_url = "{model.url}"\nmodel = "x"\n'
        )
        with Wire(tmp_path, config) as wire:
            wire.initialize()
            for number in range(10):
                session = wire.session(clientKey=f"session {number}")
                run = ("agent/run", {"input": with_file(), "wait": True})
                asked = len(model.posts)
                at_once(wire, session, **{f"r{number}": run, f"c{number}": ("agent/cancel", {})})
                receipt = wire.answer_of(f"c{number}")["result"]
                ended = wire.answer_of(f"r{number}")["result"]
                assert receipt["state"] == "cancelling"
                assert ended["stopReason"] == "cancelled"
                if "runId" not in receipt:
                    assert "turnStarted" not in of_run(wire, ended["runId"])
                    assert len(model.posts) == asked


@pytest.mark.item(34)
@pytest.mark.parametrize("how", ["end of input", "exit"])
def test_waiting_runs_of_a_leaving_client_are_kept_and_their_requests_answered(
    tmp_path: Path, how: str
) -> None:
    config = script(tmp_path, HANGING, ANY)
    with Wire(tmp_path, config) as wire:
        wire.initialize()
        session = wire.session()
        asked = {"sessionId": session, "wait": True}
        first = wire.post("agent/run", {**asked, "input": "hang"})
        wire.event("itemDelta")
        waiting = [wire.post("agent/run", {**asked, "input": text}) for text in "ab"]
        wire.until(lambda m: sum(event["type"] == "runAdmitted" for event in wire.events) == 3)
        assert wire.process.stdin
        wire.process.stdin.close() if how == "end of input" else wire.notify("exit")
        assert wire.exit_code() == (0 if how == "end of input" else 1)
        wire.closed()
        answers = {m["id"]: m for m in wire.messages if "method" not in m}  # those there was time for
        assert answers.get(first, {}).get("result", {}).get("stopReason", "interrupted") == "interrupted"
        for number in waiting:
            if error := answers.get(number, {}).get("error"):
                assert (error["code"], error["data"]["kind"]) == (-32802, "serverCancelled")
                assert "waits in its session" in error["message"]
    with Wire(tmp_path, config) as wire:
        wire.initialize()
        kept = wire.call("agent/queue", {"sessionId": session, "op": "list"})["queue"]
        assert [prompt["content"][0]["text"] for prompt in kept] == ["a", "b"]
