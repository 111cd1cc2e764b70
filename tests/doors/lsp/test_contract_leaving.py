"""A connection that ends at any event of its runs, in every way (protocol#cancel): the rows of the matrix of
`test_contract_cancel.py` that end the process as well.
"""

import random
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.cancel_points import Ended, kept_events
from support.model_server import ModelServer
from support.patience import PATIENCE
from support.rich_run import CAPABILITIES, Company
from support.stopped_run import EVENTS, is_last, play, posts_of
from support.wire import Wire


def close(wire: Wire) -> None:
    assert wire.process.stdin
    wire.process.stdin.close()


def shut_down(wire: Wire) -> None:
    wire.post("shutdown")
    wire.notify("exit")


WAYS: dict[str, tuple[Callable[[Wire], None], int]] = {  # and the exit code
    "end of input": (close, 0),
    "exit": (lambda wire: wire.notify("exit"), 1),
    "shutdown": (shut_down, 0),
    "SIGTERM": (lambda wire: wire.process.send_signal(signal.SIGTERM), 0),
    "SIGINT": (lambda wire: wire.process.send_signal(signal.SIGINT), 0),
}


@dataclass
class Left:
    """A session whose server ended while its run was at this place, with another waiting behind it."""

    name: str
    session: str


def leave_at(company: Company, way: str, place: int) -> Left:
    """End the connection when event `place` of a run arrives."""
    wire, (leave, code) = company.wire, WAYS[way]
    left = Left(f"{way}, {place}", company.session(f"{way}, {place}"))
    company.last = is_last

    def act() -> None:
        company.mute.add(left.session)
        leave(wire)

    company.at(left.session, place, act)
    wire.post("agent/run", {"sessionId": left.session, "input": f"everything ({left.name})"})
    wire.post("agent/run", {"sessionId": left.session, "input": f"next ({left.name})"})
    assert wire.exit_code() == code
    return left


def check(company: Company, model: ModelServer, left: Left) -> None:
    """The run ended once, as one that can be gone on with; what waited still waits, and is followed."""
    wire = company.wire
    state = wire.workspace.parent / "state"
    told = kept_events(state, left.session)
    admitted = [event["runId"] for event in told if event["type"] == "runAdmitted"]
    folder = company.folder(left.name)
    Ended(left.session, admitted[0], told, posts_of(model, left.name), folder, state).check(["interrupted"])
    ended = [event["runId"] for event in told if event["type"] == "runEnded"]
    assert ended == admitted[:1], "7: what waits survives"
    company.open(folder / "open.txt")
    again = {"sessionId": left.session, "input": f"next ({left.name}) again", "wait": True}
    assert wire.call("agent/run", again)["stopReason"] == "endTurn"
    ends = [e["data"]["stopReason"] for e in kept_events(state, left.session) if e["type"] == "runEnded"]
    assert ends == ["interrupted", *["endTurn"] * len(admitted)]
    Ended(left.session, admitted[0], told, [], folder, state).history_is_right_in(
        posts_of(model, left.name)[-1]
    )


def prove(folder: Path, columns: Sequence[tuple[str, int]]) -> None:
    """Each process looks at what the one before it left, then is left itself."""
    with ModelServer(play) as model:
        config = folder / "config.toml"
        config.write_text(f'model = "m"\n[models.m]\nbase_url = "{model.url}"\nmodel = "x"\n')
        left: Left | None = None
        for way, place in [*columns, ("", -1)]:
            with Wire(folder, config) as wire:
                wire.initialize(capabilities=CAPABILITIES)
                company = Company(wire)
                if left:
                    check(company, model, left)
                left = leave_at(company, way, place) if way else None
                for post in model.posts:
                    assert post.over.wait(PATIENCE), "2: the stream is closed"


@pytest.mark.item(27)
def test_a_connection_that_ends_at_some_event_ends_its_run_once_and_keeps_what_waits(tmp_path: Path) -> None:
    chance = random.Random(9)
    prove(tmp_path, [(way, chance.randrange(EVENTS)) for way in WAYS])


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("way", WAYS)
def test_a_connection_that_ends_at_every_event_ends_its_run_once_and_keeps_what_waits(
    tmp_path: Path, way: str
) -> None:
    prove(tmp_path, [(way, place) for place in range(EVENTS)])
