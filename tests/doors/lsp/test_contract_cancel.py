"""The cancellation contract at every event of a run, from every trigger (protocol#cancel).

Rows are triggers, columns the events of a run: one that has everything in it and would never end, and a short
one that ends by itself while it is cancelled. Whatever the place, all nine points hold (`cancel_points.py`).
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from support.cancel_points import BOUND, LOAD, Ended
from support.model_server import ModelServer
from support.patience import PATIENCE
from support.processes import changed_program
from support.rich_run import CAPABILITIES, Company
from support.stopped_run import EVENTS, HALVES, is_last, newest, play, posts_of
from support.wire import Message, Wire, events_in

from .conftest import LIMITED

WAVE = 16  # sessions that run at once
SERVED = 32  # sessions of one server: to look through all that it said takes the longer the more there are
SAMPLE = 1  # places in a run, besides the first, that each trigger tries by default
SHORT = 16  # events of the short run, and a few
TREE = 90  # events of a run with two helpers, and theirs


class Player(Company):
    """Keeps when each answer and each end of a run was heard."""

    def __init__(self, wire: Wire, model: ModelServer) -> None:
        super().__init__(wire)
        self.model = model
        self.heard_at: dict[Any, float] = {}
        self.ended_at: dict[str, float] = {}
        self._last_words: dict[str, int] = {}
        self.last = self.is_last

    def _hear(self, message: Message) -> None:
        now = time.time()
        if "method" not in message:
            self.heard_at[message["id"]] = now
        for event in events_in(message):
            if event["type"] == "runEnded":
                self.ended_at[event["runId"]] = now
        super()._hear(message)

    def is_last(self, event: Message) -> bool:
        """Whether nothing more happens by itself: for a tree, both helpers have said their last word."""
        root = self.roots.get(event["sessionId"], "")
        self._last_words[root] = self._last_words.get(root, 0) + is_last(event)
        whole = is_last(event) and (not root or self._last_words[root] == len(HALVES))
        return whole or (event["type"] == "runEnded" and not root)


@dataclass
class Case:
    """One session whose run is ended when event `place` arrives, with another run waiting behind it."""

    player: Player
    name: str
    place: int
    session: str
    runs: list[int] = field(default_factory=list[int])  # the requests: the run, and the one behind it
    asked: list[int] = field(default_factory=list[int])  # the requests that end the run
    fence: int = 0  # a request behind those
    acted_at: float = 0.0

    def post(self, method: str, **params: Any) -> None:
        """Ask for the end of the run."""
        self.asked.append(self.player.wire.post(method, {"sessionId": self.session, **params}))

    @property
    def events(self) -> list[Message]:
        return [event for event in self.player.wire.events if event["sessionId"] == self.session]

    @property
    def begun(self) -> str:
        """The run, as soon as it is known."""
        return next((event["runId"] for event in self.events if "runId" in event), "")


def cancel(case: Case, queued: str = "keep") -> None:
    """By name as soon as it is known."""
    named = {"runId": case.begun} if case.begun else {}
    case.post("agent/cancel", queued=queued, **named)


def command(case: Case) -> None:
    given = {"sessionId": case.session, **({"runId": case.begun} if case.begun else {})}
    asked = {"command": "agls.cancel", "arguments": [given]}
    case.asked.append(case.player.wire.post("workspace/executeCommand", asked))


def delete(case: Case) -> None:
    if not case.asked:  # then there is no such session
        case.post("agent/session/delete")


def interrupt(case: Case) -> None:
    if not case.asked:  # a second one would end the first
        case.post("agent/run", input=f"next ({case.name}) at once", admission="interrupt", wait=True)


def limit(case: Case, **limits: float) -> None:
    if not case.asked:
        key = {"clientKey": case.name}
        case.post("agent/action/invoke", name="limits", input={"set": limits}, **key)


@dataclass(frozen=True)
class Trigger:
    """How a run is ended, twice each time; for which reason; and how what waits behind it ends."""

    act: Callable[[Case], None]
    reason: str = "cancelled"
    behind: str = "endTurn"
    first: int = -1  # the first place where it can be tried; -1 is behind the prompt, in one write
    prompt: str = "everything"
    silent: bool = True  # whether nobody answers a question from then on
    at_once: bool = True  # whether it is done before what comes behind it is looked at


TRIGGERS: dict[str, Trigger] = {
    "cancel, keep": Trigger(cancel),
    "cancel, drop": Trigger(lambda case: cancel(case, "drop"), behind="cancelled"),
    "cancel, unnamed": Trigger(lambda case: case.post("agent/cancel")),
    "command": Trigger(command),
    "request": Trigger(lambda case: case.player.wire.notify("$/cancelRequest", {"id": case.runs[0]})),
    "progress": Trigger(
        lambda case: case.player.wire.notify("window/workDoneProgress/cancel", {"token": case.session})
    ),
    "interrupt": Trigger(interrupt, at_once=False),
    "close": Trigger(lambda case: case.post("agent/session/close"), behind="cancelled"),
    "delete": Trigger(delete, behind="cancelled"),
    "deadline": Trigger(lambda case: limit(case, maxSeconds=0.001), "timeout", first=8, silent=False),
    "budget": Trigger(
        lambda case: limit(case, maxTurns=0), "maxTurns", first=8, prompt="all of it", silent=False
    ),
}


@contextmanager
def served(folder: Path) -> Iterator[Player]:
    """A server whose model plays the parts of `stopped_run.py`."""
    folder.mkdir(exist_ok=True)
    with ModelServer(play) as model:
        config = folder / "config.toml"
        config.write_text(
            f'model = "m"\n[models.m]\ndialect = "chat"\nbase_url = "{model.url}"\nmodel = "x"\n'
        )
        limits = "known=600.0"  # whatever the machine has to do meanwhile
        with Wire(folder, config, changed_program(LIMITED.format(limits))) as wire:
            wire.initialize(capabilities=CAPABILITIES)
            yield Player(wire, model)


@pytest.fixture
def player(tmp_path: Path) -> Iterator[Player]:
    """One server for all runs of a trigger: each has a session of its own."""
    with served(tmp_path / "cancel") as player:
        yield player


def begin(player: Player, trigger: Trigger, name: str, place: int, prompt: str) -> Case:
    """Begin a run, queue another behind it, and plan its end."""
    case = Case(player, name, place, player.session(name))

    def act() -> None:
        if trigger.silent:
            player.mute.add(case.session)
        case.acted_at = time.time()
        trigger.act(case)
        trigger.act(case)
        case.fence = player.wire.post("agent/status")

    player.at(case.session, place, act)
    asked = {"sessionId": case.session, "wait": True}
    words = f"{prompt} ({name})"
    case.runs.append(player.wire.post("agent/run", {**asked, "input": words, "workDoneToken": case.session}))
    case.runs.append(player.wire.post("agent/run", {**asked, "input": f"next ({name})"}))
    if place < 0:
        act()
    return case


def kind_of(answer: Message) -> str:
    """Of an error, "" for a result."""
    return answer["error"]["data"]["kind"] if "error" in answer else ""


def check(case: Case, trigger: Trigger, reasons: Sequence[str]) -> None:
    """All nine points, and what else the client was promised."""
    player, wire = case.player, case.player.wire
    first, second = (wire.answer_of(number) for number in case.runs)
    assert "result" in first, "8: a waiting request is answered with a result"
    run_id, reason = first["result"]["runId"], first["result"]["stopReason"]
    behind = {trigger.behind}
    if reason == "endTurn":  # it came too late for this one
        behind |= {"endTurn", trigger.reason}
    assert second["result"]["stopReason"] in behind, "7: what waits survives or not, as it was said"
    for number in (*case.asked, case.fence):
        answer = wire.answer_of(number)
        late = reason == "endTurn" and kind_of(answer) == "actionFailed"  # there is no run to limit any more
        assert "result" in answer or late, "9: a second one is idempotent"
    posts = [post for post in posts_of(player.model, case.name) if newest(post)[0] not in HALVES]
    folder, state = player.folder(case.name), wire.workspace.parent / "state"
    ended = Ended(case.session, run_id, case.events, posts, folder, state)
    is_gone = ("agent/session/delete", {"sessionId": case.session}) in wire.asked.values()
    ended.check(reasons, journal=not is_gone)
    if reason != "endTurn" and trigger.silent:
        if trigger.at_once:
            ended.nothing_began_after(player.heard_at[case.fence])
        assert player.ended_at[run_id] - case.acted_at < BOUND + LOAD, "6: in bounded time"
    helpers_ended(case, folder, state, journal=not is_gone)
    questions_are_withdrawn(case)
    receipts_are_true(case, reason)
    if not is_gone:
        player.mute.discard(case.session)
        assert wire.run(case.session, f"next ({case.name}) again")["stopReason"] == "endTurn"
        ended.history_is_right_in(posts_of(player.model, case.name)[-1])


def helpers_ended(case: Case, folder: Path, state: Path, *, journal: bool) -> None:
    """Who worked for the run ended with it, as it did."""
    player = case.player
    for helper in [session for session, root in list(player.roots.items()) if root == case.session]:
        events = [event for event in player.wire.events if event["sessionId"] == helper]
        for run_id in {event["runId"] for event in events if "runId" in event}:
            Ended(helper, run_id, events, (), folder, state).check(["cancelled"], journal=journal)
    for post in posts_of(player.model, case.name):
        assert post.over.wait(PATIENCE), "2: the stream is closed"


def questions_are_withdrawn(case: Case) -> None:
    """Point 3: from who did not answer a question it is taken back, then it is resolved."""
    wire = case.player.wire
    answered = {m["id"] for who, m in wire.said if who == "client" and "method" not in m}
    for place, asked in enumerate(wire.messages):
        params = asked.get("params", {})
        mine = "requestId" in params and case.player.root_of(params["sessionId"]) == case.session
        if not mine or asked["id"] in answered:
            continue
        named = {"requestId": params["requestId"]}
        taken = wire.index(
            lambda m, a=asked: m.get("method") == "$/cancelRequest" and m["params"] == {"id": a["id"]}
        )
        resolved = wire.index(
            lambda m, n=named: any(
                e["type"] == "requestResolved" and n.items() <= e["data"].items() for e in events_in(m)
            )
        )
        assert place < taken < resolved, "3: withdrawn, then resolved"
        assert wire.event("requestResolved", **named)["data"]["outcome"] == "cancelled"
        late = wire.call("agent/respond", {**named, "response": {"outcome": "dismissed"}})
        assert late == {"outcome": "alreadyResolved"}, "3: a late answer counts for nothing"


def receipts_are_true(case: Case, reason: str) -> None:
    """Points 7 and 9: a receipt says what is true, and a second one the same or that it is over."""
    wire = case.player.wire
    told = [wire.answer_of(n)["result"] for n in case.asked if wire.asked[n][0] == "agent/cancel"]
    for number, receipt in enumerate(told):
        assert receipt["state"] != "cancelling" or reason == "cancelled", "what is said to be cancelled is"
        assert number or reason != "cancelled" or receipt["state"] == "cancelling", "the first one did it"


def prove(player: Player, name: str, prompt: str, places: Sequence[int]) -> None:
    """End runs of this prompt at these places."""
    trigger = TRIGGERS[name]
    natural = [] if prompt in {"everything", "a tree"} else ["endTurn"]
    for start in range(0, len(places), WAVE):
        now = places[start : start + WAVE]
        cases = [begin(player, trigger, f"{name}, {prompt} {place}", place, prompt) for place in now]
        for case in cases:
            check(case, trigger, [trigger.reason, *natural])


@pytest.mark.item(27)
@pytest.mark.parametrize("name", TRIGGERS)
def test_a_cancel_at_some_events_of_a_run_ends_it_once_and_the_session_goes_on(
    player: Player, name: str
) -> None:
    chance, trigger = random.Random(name), TRIGGERS[name]
    some = chance.sample(range(trigger.first + 1, EVENTS), SAMPLE)
    prove(player, name, trigger.prompt, [trigger.first, *some])
    prove(player, name, "shortly", [chance.randrange(trigger.first, SHORT)])
    if trigger.prompt == "everything":
        prove(player, name, "a tree", [chance.randrange(trigger.first, TREE)])


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("name", TRIGGERS)
def test_a_cancel_at_every_event_of_a_run_ends_it_once_and_the_session_goes_on(
    tmp_path: Path, name: str
) -> None:
    trigger = TRIGGERS[name]
    runs = [(trigger.prompt, EVENTS), ("shortly", SHORT)]
    if trigger.prompt == "everything":
        runs.append(("a tree", TREE))
    for prompt, events in runs:
        for start in range(trigger.first, events, SERVED):
            with served(tmp_path / f"{prompt} {start}") as player:
                prove(player, name, prompt, range(start, min(start + SERVED, events)))
