"""The run that a cancel without a `runId` reaches, for orders of facts that are hard to meet on the wire."""

from collections.abc import Sequence
from typing import cast

import pytest

from agls.doors.agent.cancel import CancelTarget
from agls.doors.agent.limits import ConnectionLimits
from agls.doors.agent.peer import Peer
from agls.engine.facts import Admitted, Entry, Fact, QueueChanged, RunEnded, RunStarted
from agls.engine.state import State, fold
from agls.engine.vocabulary import Stop, StopReason, Text

CANCELLED = Stop(StopReason.CANCELLED)
FIRST, SECOND, THIRD = (Admitted(f"run_{n}", f"item_{n}", (Text("go"),)) for n in (1, 2, 3))
BEGUN, OVER, DROPPED = RunStarted("run_1"), RunEnded("run_1", CANCELLED), RunEnded("run_2", CANCELLED)


class Reads:
    """A client that reads everything, but not for so long that it can know of a beginning."""

    limits = ConnectionLimits(known=600.0)

    def stalled(self) -> float:
        """It reads."""
        return 0.0


@pytest.mark.parametrize(
    ("facts", "before"),
    [
        ((FIRST, BEGUN, SECOND), ""),
        ((FIRST, BEGUN, SECOND, OVER), "run_1"),
        ((FIRST, BEGUN, SECOND, OVER, RunStarted("run_2")), "run_1"),
        ((FIRST, SECOND, OVER), "run_1"),  # it was cancelled before it began
        ((FIRST, SECOND, OVER, RunStarted("run_2")), "run_1"),
        ((FIRST, BEGUN, OVER, SECOND, RunStarted("run_2")), ""),
        (
            (FIRST, BEGUN, SECOND, THIRD, QueueChanged(("run_3",)), RunEnded("run_2", CANCELLED), OVER),
            "run_1",
        ),
        ((FIRST, SECOND, THIRD, OVER, DROPPED, RunStarted("run_3")), "run_1"),
    ],
)
def test_cancel_without_a_run_id_reaches_the_ended_run_until_the_next_can_be_known(
    facts: Sequence[Fact], before: str
) -> None:
    state = State()
    meant = CancelTarget(state, cast(Peer, Reads()))
    for seq, fact in enumerate(facts, 1):
        state = fold(state, Entry(seq, float(seq), fact))
        meant.take(Entry(seq, float(seq), fact), state)
    assert meant.before == before
