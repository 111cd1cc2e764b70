"""The cancellation contract at every event of a headless run, from every way to end one (protocol#cancel).

The rows that have a process of their own; those of a connection are in `doors/lsp/test_contract_cancel.py`.
"""

import json
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pytest

from doors.headless.conftest import Agls
from doors.headless.test_control import Line, Program, request
from support.cancel_points import BOUND, LOAD, Ended, kept_events
from support.model_server import ModelServer
from support.patience import PATIENCE
from support.rich_run import CONTENT, allow
from support.stopped_run import EVENTS, is_last, play

PROGRAM = ("--input", "jsonl", "--output", "jsonl")
WAYS_APART = 3
GOES_ON = 4  # of so many sessions one goes on behind its end: that takes a process more


class Player(Program):
    """A script that answers what is asked, until event number `place` arrives: then it acts."""

    def __init__(self, process: subprocess.Popen[str], place: int, act: Callable[["Player"], None]) -> None:
        self._place, self._act, self._count = place, act, -1
        self.acted_at = self.replied_at = self.ended_at = 0.0
        super().__init__(process)

    def _read(self, stdout: Any) -> None:
        with suppress(ValueError):  # it does not read any more
            super()._read(self._heard(stdout))

    def _heard(self, stdout: Any) -> Iterator[str]:
        for line in stdout:
            told = json.loads(line)
            if "type" not in told:
                self.replied_at = time.time()
            elif told["type"] != "hello":
                self._take(told)
            yield line

    def _take(self, event: Line) -> None:
        self._count += 1
        if event["type"] == "runEnded":
            self.ended_at = time.time()
        if not self.acted_at and (self._count >= self._place or is_last(event) or self.ended_at):
            self.acted_at = time.time()
            self._act(self)
        if event["type"] == "requestOpened" and not self.acted_at:
            form = {"outcome": "accept", "content": {"choice": "blue"}}
            response = form if event["data"]["kind"] == "form" else allow(event["data"])
            self.write(request(0, "agent/respond", requestId=event["data"]["requestId"], response=response))


def signalled(by: signal.Signals) -> Callable[[Player], None]:
    return lambda player: player.process.send_signal(by)


def asked(player: Player) -> None:
    player.write(request(1, "agent/cancel", queued="keep") + request(2, "agent/cancel", queued="drop"))


def read_no_more(player: Player) -> None:
    assert player.process.stdout
    player.process.stdout.close()


@dataclass(frozen=True)
class Trigger:
    """How a run is ended, for which reason, and with which exit codes."""

    act: Callable[[Player], None]
    reason: str
    codes: tuple[int, ...]
    prompt: str = "everything"


TRIGGERS = {
    "SIGINT": Trigger(signalled(signal.SIGINT), "cancelled", (130,)),
    "SIGTERM": Trigger(signalled(signal.SIGTERM), "interrupted", (1,)),
    "SIGHUP": Trigger(signalled(signal.SIGHUP), "interrupted", (1,)),
    "agent/cancel": Trigger(asked, "cancelled", (130,)),
    "reader": Trigger(read_no_more, "interrupted", (141,)),
    "end of input": Trigger(lambda player: player.stdin.close(), "endTurn", (0, 3), "all of it"),
}


def prove(agls: Agls, name: str, place: int, *, again: bool) -> None:
    """End a run when this event arrives; then all nine points hold, and `again` the session goes on."""
    trigger, words = TRIGGERS[name], f"({name} {place})"
    (agls.workspace / "a.txt").write_text("a file\n")
    (agls.workspace / "open.txt").write_text(CONTENT)
    with ModelServer(play) as model:
        agls.configure(f'model = "m"\n[models.m]\nbase_url = "{model.url}"\nmodel = "x"\n')
        process = agls.start("run", f"{trigger.prompt} {words}", *PROGRAM, stdin=subprocess.PIPE)
        player = Player(process, place, trigger.act)
        code = process.wait(PATIENCE)
        assert code in trigger.codes
        session = player.until(lambda line: line.get("type") == "hello")["sessionId"]
        events = kept_events(agls.state, session) if name == "reader" else player.end()[1][1:]
        told = [event for event in events if "type" in event]
        run_id = next(event["runId"] for event in told if "runId" in event)
        ended = Ended(session, run_id, told, model.posts, agls.workspace, agls.state)
        ended.check([trigger.reason])
        if name != "reader" and trigger.reason != "endTurn":
            assert player.ended_at - player.acted_at < BOUND + LOAD, "6: in bounded time"
        if name == "agent/cancel":
            ended.nothing_began_after(player.replied_at)
            first, second = receipts(events)
            assert first == "cancelling"
            assert second == "cancelling" or (second == "notRunning" and ended_by(told, player.replied_at)), (
                "9: a second one is idempotent; it finds no run only when that has ended"
            )
        if again:
            done = agls.run("resume", session, f"next {words} again")
            assert (done.code, done.out) == (0, "The next one.\n"), done.err
            ended.history_is_right_in(model.posts[-1])


def receipts(lines: list[Line]) -> list[str]:
    """The answers to both cancels."""
    return [str(line["result"]["state"]) for line in lines if line.get("id") in {1, 2}]


def ended_by(events: list[Line], moment: float) -> bool:
    """Whether the run had ended at this time, also where its end was told behind the answer."""
    ends = [event["ts"] for event in events if event["type"] == "runEnded"]
    return [datetime.fromisoformat(end).timestamp() <= moment for end in ends] == [True]


@pytest.mark.item(27)
@pytest.mark.parametrize("name", TRIGGERS)
def test_a_headless_run_that_is_ended_at_some_event_ends_once_and_goes_on(agls: Agls, name: str) -> None:
    prove(agls, name, random.Random(name).randrange(EVENTS), again=name == "SIGTERM")


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("name", TRIGGERS)
def test_a_headless_run_that_is_ended_at_any_event_ends_once_and_goes_on(agls: Agls, name: str) -> None:
    """At every event by two of the six ways: each takes two processes. tests/doors/lsp tries all."""
    for number, place in enumerate(range(list(TRIGGERS).index(name) % WAYS_APART, EVENTS, WAYS_APART)):
        prove(agls, name, place, again=number % GOES_ON == 0)
