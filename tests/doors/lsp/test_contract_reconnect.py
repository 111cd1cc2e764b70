"""The client dies at an event of a run; a new process goes on from its last cursor (protocol#resuming)."""

import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agls.views.transcript import Transcript, fold
from support.patience import PATIENCE
from support.rich_run import ANSWERS, CAPABILITIES, RICH, Company, plain
from support.wire import Message, Wire, script
from support.wire_rules import check_events

EVENTS, TURNS = 80, 5  # of the whole run
SECONDS = re.compile(r"\d+\.\d s\b")
SCRIPT = {**RICH, "repeat": True}  # an answer that was cut counts as one


@dataclass
class Left:
    """What a client knows that died: its session and the events it had read."""

    session: str
    folder: Path
    seen: list[Message]

    @property
    def facts(self) -> list[Message]:
        """What it may rely on: what was only shown comes again, or is part of the facts (protocol#events)."""
        return [event for event in self.seen if "seq" in event]

    @property
    def cursor(self) -> Message:
        return {"epoch": self.seen[-1]["epoch"], "seq": self.facts[-1]["seq"]}

    @property
    def possible_ends(self) -> list[list[str]]:
        """How the run may have ended: the last answer can become complete before the end is heard of."""
        if any(event["type"] == "runEnded" for event in self.seen):
            return [["endTurn"]]
        last = sum(event["type"] == "turnStarted" for event in self.seen) == TURNS
        return [["interrupted"], ["endTurn"]] if last else [["interrupted"]]


def connect(wire: Wire) -> Company:
    wire.initialize(capabilities=CAPABILITIES)
    return Company(wire)


def die_at(company: Company, index: int) -> Left:
    """Run until this event, then let the client die with what it has read: alone, or with the server."""
    wire = company.wire
    name = f"died at {index}"
    session = company.session(name)
    left = Left(session, company.folder(name), [])

    def die() -> None:
        left.seen += [event for event in wire.events if event["sessionId"] == session]
        company.silent |= set(ANSWERS)
        assert wire.process.stdin
        if index % 2:
            wire.process.kill()
        else:
            wire.process.stdin.close()

    company.at(session, index, die)
    wire.post("agent/run", {"sessionId": session, "input": "everything"})
    wire.process.wait(PATIENCE)
    return left


def go_on(company: Company, left: Left, whole: list[Any]) -> None:
    """Resume with the cursor, compare, go on with the run, compare again."""
    wire, named = company.wire, {"sessionId": left.session}
    company.open(left.folder / "open.txt")
    resumed = wire.call("agent/resume", {**named, "replay": "since", "after": left.cursor})
    assert (resumed["replayed"], resumed["state"]) == ("events", "idle")
    assert resumed["openItems"] == resumed["openRequests"] == []
    told = wire.history(left.session)
    kept = [event for event in told if event.get("seq", resumed["seq"] + 1) <= left.cursor["seq"]]
    first = left.facts[0]["seq"]
    assert ends([event for event in kept if event["seq"] >= first]) == ends(left.facts), "told again the same"
    known = fold([*left.facts, *resumed["events"]])
    assert known.seq == resumed["seq"]
    assert known.items == fold(told).items == items(resumed_whole(wire, left.session))
    assert_same_as_uninterrupted(left, known, whole)
    reasons = [event["data"]["stopReason"] for event in told if event["type"] == "runEnded"]
    assert reasons in left.possible_ends
    elsewhere = {**named, "replay": "since", "after": {"epoch": "other", "seq": 1}}
    assert wire.call("agent/resume", elsewhere)["replayed"] == "snapshot"
    if reasons == ["interrupted"]:
        continued = wire.call("agent/run", {**named, "continueRun": True, "wait": True})
        assert continued["stopReason"] == "endTurn"
        for event in wire.events:
            if event["sessionId"] == left.session:
                known.take(event)
    told = wire.history(left.session)
    assert known.items == fold(told).items
    last = [item for item in known.items.values() if item["kind"] == "message"][-1]
    assert (last["status"], last["text"]) == ("completed", "All of it done.")
    check_events(told)


def ends(events: list[Message]) -> list[Message]:
    """Without the beginnings: that of a message is only shown while it runs, and comes from its fact then."""
    return [event for event in events if event["type"] != "itemStarted"]


def assert_same_as_uninterrupted(left: Left, known: Transcript, whole: list[Any]) -> None:
    """What was complete before the interruption is what it is without one."""
    complete = {event["itemId"] for event in left.seen if event["type"] == "itemCompleted"}
    for place, (item_id, item) in enumerate(known.items.items()):
        if item_id in complete:
            assert comparable(item, left.folder) == whole[place]


def comparable(item: Message, folder: Path) -> Any:
    return plain([{**item, "output": SECONDS.sub("", item.get("output", ""))}], folder)


def resumed_whole(wire: Wire, session: str) -> Message:
    return wire.call("agent/resume", {"sessionId": session, "replay": "all"})["snapshot"]


def items(snapshot: Message) -> dict[str, Message]:
    return {item["itemId"]: item for item in snapshot["items"]}


def prove(folder: Path, places: list[int]) -> None:
    """Each process resumes what the one before it left, then dies in a run of its own."""
    config = script(folder, SCRIPT)
    with Wire(folder, config) as wire:
        company = connect(wire)
        session = company.session("whole")
        assert wire.run(session, "everything")["stopReason"] == "endTurn"
        whole = [comparable(item, company.folder("whole")) for item in fold(wire.events).items.values()]
        left = die_at(company, places[0])
    for place in [*places[1:], -1]:
        with Wire(folder, config) as wire:
            company = connect(wire)
            go_on(company, left, whole)
            if place >= 0:
                left = die_at(company, place)


@pytest.mark.item(31)
def test_a_client_that_died_at_some_event_goes_on_where_it_was(tmp_path: Path) -> None:
    prove(tmp_path, random.Random(5).sample(range(EVENTS), 3))


@pytest.mark.slow
@pytest.mark.timeout(1_800)
def test_a_client_that_died_at_any_event_goes_on_where_it_was(tmp_path: Path) -> None:
    prove(tmp_path, list(range(EVENTS)))
