"""The cancellation contract at every event of a run, from every trigger (protocol 4.9)."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pytest

from support.rich_run import CAPABILITIES, NEXT, RICH, Company, left_behind
from support.wire import Wire

from .conftest import Serve

SETTLED = 64  # up to here the run waits for us, so that a cancel certainly reaches it; the form is asked then
WAVE = 6  # sessions that run at once
SAMPLE = 6  # places in the run that each trigger tries by default


def by_method(wire: Wire, session: str, request: int, *, queued: str, name: bool) -> None:
    """By name as soon as it is known, or without: then the second cancel may not reach what waits behind."""
    begun = (e["runId"] for e in wire.events if e["sessionId"] == session and "runId" in e)
    named = {"runId": run_id} if name and (run_id := next(begun, "")) else {}
    wire.post("agent/cancel", {"sessionId": session, "queued": queued, **named})


def by_request(wire: Wire, session: str, request: int) -> None:
    wire.notify("$/cancelRequest", {"id": request})


def by_progress(wire: Wire, session: str, request: int) -> None:
    wire.notify("window/workDoneProgress/cancel", {"token": session})


def by_close(wire: Wire, session: str, request: int) -> None:
    wire.post("agent/session/close", {"sessionId": session})


def by_delete(wire: Wire, session: str, request: int) -> None:
    """Once: then there is no such session."""
    if ("agent/session/delete", {"sessionId": session}) not in wire.asked.values():
        wire.post("agent/session/delete", {"sessionId": session})


TRIGGERS: dict[str, tuple[Callable[..., None], bool]] = {  # and whether what waits goes on
    "cancel, keep": (partial(by_method, queued="keep", name=True), True),
    "cancel, drop": (partial(by_method, queued="drop", name=True), False),
    "cancel, unnamed": (partial(by_method, queued="keep", name=False), True),
    "request": (by_request, True),
    "progress": (by_progress, True),
    "close": (by_close, False),
    "delete": (by_delete, False),
}


@dataclass
class Case:
    """One session whose run is cancelled, twice, when event `index` arrives."""

    session: str
    index: int
    goes_on: bool
    runs: list[int]  # the requests: the run, and the one that waits behind it


def begin(company: Company, trigger: str, index: int) -> Case:
    """Begin a run, queue another behind it, and plan the cancel."""
    wire, (act, goes_on) = company.wire, TRIGGERS[trigger]
    session = company.session(f"{trigger} {index}")
    numbers: list[int] = []

    def cancel() -> None:
        number = next(n for n, (m, p) in list(wire.asked.items()) if p.get("workDoneToken") == session)
        for _ in range(2):
            act(wire, session, number)

    company.at(session, index, cancel)
    asked = {"sessionId": session, "wait": True}
    numbers.append(wire.post("agent/run", {**asked, "input": "everything", "workDoneToken": session}))
    numbers.append(wire.post("agent/run", {**asked, "input": "next"}))
    if index < 0:
        cancel()
    return Case(session, index, goes_on, numbers)


def check(company: Company, case: Case) -> None:
    """One end for each run, a result for each request, and a session that works."""
    wire = company.wire
    first, second = (wire.answer_of(number) for number in case.runs)
    assert "result" in first, first
    assert "result" in second, second
    events = [event for event in wire.events if event["sessionId"] == case.session]
    ends = {e["runId"]: e["data"]["stopReason"] for e in events if e["type"] == "runEnded"}
    assert sum(event["type"] == "runEnded" for event in events) == 2
    assert [ends[answer["result"]["runId"]] for answer in (first, second)] == [
        answer["result"]["stopReason"] for answer in (first, second)
    ]
    if case.index < SETTLED:
        assert first["result"]["stopReason"] == "cancelled", case
        assert second["result"]["stopReason"] == ("endTurn" if case.goes_on else "cancelled"), case
    assert left_behind(company.folder(case.session)) == []
    if ("agent/session/delete", {"sessionId": case.session}) in wire.asked.values():
        refused = wire.ask("agent/events", {"sessionId": case.session})
        assert refused["error"]["data"]["kind"] == "sessionNotFound"
        return
    assert wire.run(case.session, "next")["stopReason"] == "endTurn"


def cancel_at(serve: Serve, trigger: str, places: list[int]) -> None:
    wire = serve(RICH, NEXT, limits="known=600.0")  # whatever the machine has to do meanwhile
    wire.initialize(capabilities=CAPABILITIES)
    company = Company(wire)
    for start in range(0, len(places), WAVE):
        cases = [begin(company, trigger, index) for index in places[start : start + WAVE]]
        for case in cases:
            check(company, case)
    for number, (method, _) in list(wire.asked.items()):
        answer = wire.answer_of(number)
        assert "result" in answer or method == "agent/events", (method, answer)


@pytest.mark.parametrize("trigger", TRIGGERS)
def test_a_cancel_at_some_events_of_a_run_ends_it_once_and_the_session_goes_on(
    serve: Serve, trigger: str
) -> None:
    cancel_at(serve, trigger, random.Random(trigger).sample(range(-1, 80), SAMPLE))


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("trigger", TRIGGERS)
def test_a_cancel_at_every_event_of_a_run_ends_it_once_and_the_session_goes_on(
    serve: Serve, trigger: str
) -> None:
    cancel_at(serve, trigger, list(range(-1, 80)))
