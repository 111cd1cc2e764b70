"""P8: a cancel is acknowledged within 200 ms, whatever the run is at."""

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.patience import within
from support.stopped_run import EVENTS

from .test_contract_cancel import Player, served

pytestmark = pytest.mark.promise("P8")

ACKNOWLEDGED = 0.2  # seconds
SAMPLE = 8  # places in a run that are tried by default


@pytest.fixture
def player(tmp_path: Path) -> Iterator[Player]:
    with served(tmp_path) as player:
        yield player


def prove(player: Player, place: int) -> None:
    """Cancel a run at its event number `place`, from before the first (-1) to behind the last."""
    for number, watch in enumerate(within(ACKNOWLEDGED)):
        session = player.session(f"{place} {number}")
        asked = list[tuple[int, float]]()

        def act(session: str = session, asked: list[tuple[int, float]] = asked) -> None:
            player.mute.add(session)
            asked.append((player.wire.post("agent/cancel", {"sessionId": session}), time.time()))

        player.at(session, place, act)
        run = player.wire.post(
            "agent/run", {"sessionId": session, "input": f"everything ({place})", "wait": True}
        )
        if place < 0:
            act()
        assert "result" in player.wire.answer_of(run)
        ((cancel, at),) = asked
        assert "result" in player.wire.answer_of(cancel)
        watch.seconds = player.heard_at[cancel] - at


def test_cancel_is_acknowledged_in_time_at_some_events(player: Player) -> None:
    for place in (-1, *random.Random("times").sample(range(EVENTS), SAMPLE)):
        prove(player, place)


@pytest.mark.slow
@pytest.mark.timeout(1_800)
def test_cancel_is_acknowledged_in_time_at_every_event(player: Player) -> None:
    for place in range(-1, EVENTS):
        prove(player, place)
