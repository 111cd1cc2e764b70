"""All that changes what a session does, at random: no input is lost, and none is followed twice.

Prompts of every policy, messages, cancels, changes of the queue, repeated requests and closes arrive in
bursts, many of them while others are on their way (protocol#cancel).
"""

import random
import time
from collections import Counter
from typing import Any, NamedTuple

import pytest

from agls.doors.messages import INTERNAL_ERROR
from support.patience import wait_until
from support.wire import Message, Wire, frame

from .conftest import Serve

SHORT = {"match": "", "repeat": True, "turns": [{"text": ["a", "b", "c"], "delay": 0.002}]}
BURSTS = 25
PAUSES = (0, 0, 0.001, 0.005, 0.02, 0.05)  # seconds between bursts
POLICIES = ("queue", "queue", "steer", "interrupt", "ifIdle")
REFUSALS = {"runActive", "noSuchItem", "journal"}  # journal: a close came in between


class Asked(NamedTuple):
    """A request, and the words it has for the model, "" for none."""

    method: str
    params: Message
    words: str = ""


class Player:
    """Makes requests at random. All words differ, and so do all keys."""

    def __init__(self, wire: Wire, seed: int) -> None:
        self.wire, self.chance = wire, random.Random(seed)
        self.session = wire.session()
        self.asked: dict[str, Asked] = {}  # by id
        self._makers = [*[self._run] * 5, *[self._steer] * 4, *[self._cancel] * 2, *[self._queue] * 3]
        self._makers += [self._again] * 2

    def burst(self, *, closes: bool) -> None:
        """Send a few requests in one write."""
        makers = [*self._makers, self._close] if closes else self._makers
        frames: list[bytes] = []
        for _ in range(self.chance.randint(1, 9)):
            asked = self.chance.choice(makers)()
            name = f"x{len(self.asked)}"
            self.asked[name], self.wire.asked[name] = asked, (asked.method, asked.params)
            message = {"jsonrpc": "2.0", "id": name, "method": asked.method, "params": asked.params}
            self.wire.said.append(("client", message))
            frames.append(frame(message))
        self.wire.write(b"".join(frames))

    def _new(self, method: str, **params: Any) -> Asked:
        number = len(self.asked)
        return Asked(method, {"sessionId": self.session, "clientKey": f"k{number}", **params})

    def _speaking(self, method: str, **params: Any) -> Asked:
        """A request with words of its own; some of them with a file, which takes a while."""
        words = f"w{len(self.asked)}"
        file = [{"type": "file", "name": "a.txt", "data": "aGFsbG8="}] if self.chance.random() < 0.3 else []
        made = self._new(method, input=[{"type": "text", "text": words}, *file], **params)
        return made._replace(words=words)

    def _run(self) -> Asked:
        wait = self.chance.random() < 0.5
        return self._speaking("agent/run", admission=self.chance.choice(POLICIES), wait=wait)

    def _steer(self) -> Asked:
        return self._speaking("agent/steer", ifEnded=self.chance.choice(("run", "queue", "return")))

    def _cancel(self) -> Asked:
        queued = self.chance.choice(("keep", "keep", "keep", "drop"))
        return Asked("agent/cancel", {"sessionId": self.session, "queued": queued})

    def _close(self) -> Asked:
        return Asked("agent/session/close", {"sessionId": self.session})

    def _queue(self) -> Asked:
        told = [event["data"]["queue"] for event in self.wire.events if event["type"] == "queueChanged"]
        known = [prompt["itemId"] for prompt in (told[-1] if told else [])] or ["none"]
        change = {
            "op": self.chance.choice(("remove", "move", "replace")),
            "itemId": self.chance.choice(known),
        }
        make = self._speaking if change["op"] == "replace" else self._new
        return make("agent/queue", **change, to=self.chance.randint(0, 5))

    def _again(self) -> Asked:
        """What was asked a moment ago, with its key."""
        before = [asked for asked in self.asked.values() if asked.words][-8:]
        return self.chance.choice(before) if before else self._run()


def at_rest(wire: Wire, session: str) -> list[Message]:
    """All that happened, when nothing runs and nothing waits any more."""

    def rests() -> bool:
        queue = wire.call("agent/queue", {"sessionId": session, "op": "list"})["queue"]
        state = wire.call("agent/resume", {"sessionId": session, "replay": "none"})["state"]
        return state == "idle" and not queue

    wait_until(rests)
    epoch = wire.call("agent/resume", {"sessionId": session, "replay": "none"})["epoch"]
    page = {"sessionId": session, "after": {"epoch": epoch, "seq": 0}, "limit": 100_000}
    told = wire.call("agent/events", page)
    assert "nextCursor" not in told
    return told["events"]


def check(asked: dict[str, Asked], answers: dict[str, Message], events: list[Message]) -> None:
    """What the answers promised is what happened."""
    items = [event["data"]["item"] for event in events if event["type"] == "itemCompleted"]
    said = Counter(item["content"][0]["text"] for item in items if item["kind"] == "userMessage")
    of_type = {t: Counter(e["runId"] for e in events if e["type"] == t) for t in ("runStarted", "runEnded")}
    admitted = {event["runId"] for event in events if event["type"] == "runAdmitted"}
    assert of_type["runEnded"] == Counter(admitted), "every run ends once"
    assert max(said.values(), default=0) <= 1, "nothing is followed twice"
    first: dict[str, tuple[str, str]] = {}
    for name, answer in answers.items():
        words = asked[name].words
        if "error" in answer:
            assert answer["error"]["data"]["kind"] in REFUSALS, (asked[name], answer)
        elif words and answer["result"].get("outcome") in {"started", "queued", "injected"}:
            result = answer["result"]
            place = (result["runId"], result["itemId"])
            assert first.setdefault(words, place) == place, "the same key gets the same answer"
            taken = result["outcome"] == "injected" or result["runId"] in of_type["runStarted"]
            assert said[words] == taken, (asked[name], answer)
    known = {*first, *(one.words for one in asked.values() if one.method == "agent/queue")}
    assert set(said) <= known, "nothing is followed that was refused"


@pytest.mark.item(34)
@pytest.mark.parametrize(
    "seed", [1, 104, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(200, 230))]
)
def test_whatever_comes_at_once_no_input_is_lost_and_none_is_followed_twice(serve: Serve, seed: int) -> None:
    wire = serve(SHORT)
    wire.initialize()
    player = Player(wire, seed)
    for _ in range(BURSTS):
        player.burst(closes=seed > 100)
        time.sleep(player.chance.choice(PAUSES))
    answers = {name: wire.answer_of(name) for name in player.asked}
    check(player.asked, answers, at_rest(wire, player.session))


def begin_to_stream(wire: Wire, here: Message) -> None:
    """Begin a run, and wait for its first words."""
    run = wire.call("agent/run", {**here, "input": "hang"})["runId"]
    wire.until(lambda m: any((e["type"], e.get("runId")) == ("itemDelta", run) for e in wire.events))


def test_session_resumed_right_after_a_cancel_and_a_close_keeps_the_order_of_its_events(serve: Serve) -> None:
    """What the cancel held back for a moment goes out before anything of the new attachment."""
    wire = serve({"match": "", "repeat": True, "turns": [{"text": "I begin", "hang": True}]})
    wire.initialize()
    here = {"sessionId": wire.session()}
    option = {**here, "optionId": "maxTurns", "value": 5}
    for _ in range(10):
        begin_to_stream(wire, here)
        wire.call("agent/cancel", here)  # so that the next one finds nothing to end
        posted = [wire.post(f"agent/{method}", here) for method in ("cancel", "session/close", "resume")]
        posted.append(wire.post("agent/setOption", option))
        for answer in map(wire.answer_of, posted):
            assert answer.get("error", {}).get("code") != INTERNAL_ERROR
    wire.call("agent/session/close", here)
