"""Open questions of a client that leaves and comes back; cursors that lead nowhere (protocol#resuming)."""

import json

import pytest

from agls.views.transcript import fold
from support.rich_run import allow, call
from support.wire import Message, Wire, turns

from .conftest import Serve

SHELL = turns({"text": "I look.", "calls": [call("shell", command="touch hi; echo hi")]}, "done")
FORM = turns({"text": "I ask.", "calls": [call("ask_user", question="Which?")]}, "done")
SLOW = turns({"text": [f"{n} " for n in range(60)], "delay": 0.01})
YES = {"outcome": "accept", "content": {"answer": "red"}}
REPLAYED_BYTES = 512 * 1024  # of missed events that `agent/resume` returns as events: half a page


def asked_of(wire: Wire, method: str) -> list[Message]:
    return wire.of_method(method)


@pytest.mark.item(32)
@pytest.mark.parametrize(
    ("prompt", "method"), [(SHELL, "agent/requestPermission"), (FORM, "agent/askUser")], ids=["yes", "form"]
)
def test_open_question_is_withdrawn_from_a_leaving_client_and_sent_to_the_next(
    serve: Serve, prompt: Message, method: str
) -> None:
    wire = serve(prompt)
    wire.initialize()
    here = {"sessionId": wire.session()}
    run = wire.call("agent/run", {**here, "input": "go"})["runId"]
    first = wire.until(lambda m: m.get("method") == method)
    assert wire.call("agent/detach", here) == wire.call("agent/detach", here) == {}
    assert wire.until(lambda m: m.get("method") == "$/cancelRequest")["params"] == {"id": first["id"]}
    resumed = wire.call("agent/resume", here)
    assert (resumed["state"], len(resumed["openRequests"])) == ("requiresAction", 1)
    wire.until(lambda m: len(asked_of(wire, method)) == 2)
    second = asked_of(wire, method)[1]
    assert second["params"] == first["params"]
    assert resumed["openRequests"][0]["requestId"] == second["params"]["requestId"]
    answer = allow(second["params"]) if method == "agent/requestPermission" else YES
    wire.send({"jsonrpc": "2.0", "id": second["id"], "result": answer})
    ended = wire.event("runEnded")
    assert (ended["runId"], ended["data"]["stopReason"]) == (run, "endTurn")
    wire.send({"jsonrpc": "2.0", "id": first["id"], "result": {"outcome": "dismissed"}})
    late = {"requestId": first["params"]["requestId"], "response": {"outcome": "dismissed"}}
    assert wire.call("agent/respond", late) == {"outcome": "alreadyResolved"}
    calls = [item for item in fold(wire.events).items.values() if item["kind"] == "toolCall"]
    assert [item["status"] for item in calls] == ["completed"]


def test_session_continues_without_an_attached_client(serve: Serve) -> None:
    wire = serve(SLOW)
    wire.initialize()
    here = {"sessionId": wire.session()}
    request = wire.post("agent/run", {**here, "input": "go", "wait": True})
    wire.event("itemDelta")
    cursor = {"epoch": wire.events[0]["epoch"], "seq": max(e.get("seq", 0) for e in wire.events)}
    wire.call("agent/detach", here)
    heard = len(wire.events)
    assert wire.answer_of(request)["result"]["stopReason"] == "endTurn"
    assert len(wire.events) == heard
    resumed = wire.call("agent/resume", {**here, "replay": "since", "after": cursor})
    facts = [event for event in wire.events if "seq" in event]
    message = list(fold([*facts, *resumed["events"]]).items.values())[-1]
    assert (message["status"], message["text"]) == ("completed", "".join(f"{n} " for n in range(60)))
    wire.unchecked = "what was told while nobody listened is a hole"


@pytest.mark.item(31)
@pytest.mark.slow
def test_a_cursor_too_far_back_gives_a_snapshot(serve: Serve) -> None:
    wire = serve({"match": "", "repeat": True, "turns": [{"text": "yes"}]})
    wire.initialize({"protocolVersions": [1]})
    here = {"sessionId": wire.session()}
    epoch = wire.call("agent/resume", here)["epoch"]

    def since(seq: int) -> Message:
        asked = {**here, "replay": "since", "after": {"epoch": epoch, "seq": seq}}
        return wire.call("agent/resume", asked)

    while (last := since(0))["replayed"] == "events":
        assert len(json.dumps(last["events"])) < 1.1 * REPLAYED_BYTES
        runs = [wire.post("agent/run", {**here, "input": "go", "wait": True}) for _ in range(200)]
        for run in runs:
            wire.answer_of(run)
    assert last["replayed"] == "snapshot"
    assert len(json.dumps(wire.history(here["sessionId"]))) > REPLAYED_BYTES
    assert since(last["seq"] - 10)["replayed"] == "events"
    assert since(last["seq"] + 1)["replayed"] == "snapshot", "a cursor from the future is none"


@pytest.mark.item(31)
def test_detached_client_gets_no_events_until_resume_whatever_it_requests(serve: Serve) -> None:
    """What was told while it was away would be a hole for it."""
    wire = serve("one", "two")
    wire.initialize()
    here = {"sessionId": wire.session()}
    wire.run(here["sessionId"])
    item = wire.call("agent/resume", here)["snapshot"]["items"][0]["itemId"]
    wire.call("agent/detach", here)
    heard = list(wire.events)
    for method, more in AWAY.items():
        assert "result" in wire.ask(method, {**here, "itemId": item, **more}), method
    assert wire.run(here["sessionId"])["stopReason"] == "endTurn"
    assert wire.events == heard
    cursor = {"epoch": heard[-1]["epoch"], "seq": max(event.get("seq", 0) for event in heard)}
    missed = wire.call("agent/resume", {**here, "replay": "since", "after": cursor})["events"]
    wire.call("agent/setOption", {**here, "optionId": "maxTurns", "value": None})
    seqs = {event["seq"] for event in (*missed, *wire.events[len(heard) :]) if "seq" in event}
    assert sorted(seqs) == list(range(cursor["seq"] + 1, max(seqs) + 1)), "it hears again, without a hole"
    assert [event["type"] for event in missed].count("runEnded") == 1
    wire.call("agent/detach", here)
    assert wire.session() == here["sessionId"], "the same key makes the same session, and attaches to it"
    wire.call("agent/setOption", {**here, "optionId": "maxTurns", "value": 7})
    wire.event("options", options={"maxTurns": 7})
    wire.unchecked = "what was missed is in the answer"


AWAY: dict[str, Message] = {
    "agent/queue": {}, "agent/cancel": {}, "agent/action/list": {}, "agent/action/invoke": {"name": "usage"},
    "agent/setOption": {"optionId": "maxTurns", "value": 3}, "agent/session/rename": {"title": "Mine"},
    "agent/steer": {"input": "x"}, "agent/events": {}, "agent/item": {}, "agent/session/fork": {},
    "agent/session/rewind": {"toItemId": "", "dryRun": True}, "agent/status": {}, "agent/session/list": {},
}  # fmt: skip


def test_client_that_resumes_during_an_answer_gets_the_rest_of_it(serve: Serve) -> None:
    wire = serve(SLOW)
    wire.initialize()
    here = {"sessionId": wire.session()}
    request = wire.post("agent/run", {**here, "input": "go", "wait": True})
    wire.event("itemDelta")
    wire.call("agent/detach", here)
    heard = len(wire.events)
    (item,) = wire.call("agent/resume", here)["openItems"]
    assert wire.answer_of(request)["result"]["stopReason"] == "endTurn"
    known = fold([{"type": "itemStarted", "itemId": item["itemId"], "data": {"item": item}}])
    for event in wire.events[heard:]:
        known.take(event)
    streamed = [event for event in wire.events[heard:] if event["type"] == "itemDelta"]
    assert streamed[0]["data"]["offset"] == len(item["text"])
    assert known.items[item["itemId"]]["text"] == "".join(f"{n} " for n in range(60))
    wire.unchecked = "what was told while nobody listened is a hole"
