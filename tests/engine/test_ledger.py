"""What a run spent on which day, by the facts of its session."""

import pytest

from agls.engine.facts import Entry, Fact, Replied, RunEnded, RunStarted, ToolStarted, TurnStarted, Used
from agls.engine.ledger import SECONDS, Days, NoLedger, Row, day_of, spent
from agls.engine.limits import NOTHING, Totals
from agls.engine.vocabulary import Stop, StopReason, ToolCall, Usage

FIRST = 20_000
MIDNIGHT = float((FIRST + 1) * SECONDS)
END = Stop(StopReason.END_TURN)


def entries(*facts: tuple[float, Fact]) -> list[Entry]:
    """The facts at so many seconds after midnight."""
    return [Entry(seq, MIDNIGHT + at, fact) for seq, (at, fact) in enumerate(facts, 1)]


def reply(*calls: str) -> Replied:
    return Replied("i", "", "", tuple(ToolCall(c, "look", {}) for c in calls), "stop", Usage(10, 1), 0.5)


LIFE = entries(
    (-9.0, RunStarted("run_0")), (-8.0, TurnStarted("t", "m")), (-8.0, reply()),
    (-7.0, RunEnded("run_0", END)),
    (-6.0, RunStarted("run_1")), (-5.0, TurnStarted("t", "m")), (-4.0, reply("c")),
    (2.0, ToolStarted("c", "look", {})), (3.0, Used("critic", Usage(100))), (4.0, TurnStarted("t", "m")),
    (6.0, reply()), (7.0, RunEnded("run_1", END)), (8.0, RunStarted("run_2")), (9.0, Used("late", Usage(7))),
)  # fmt: skip


@pytest.mark.row(16)
def test_a_turn_counts_on_the_day_on_which_it_began_with_all_it_causes() -> None:
    """What the process of a run did not live to write down follows from the journal."""
    days = spent(LIFE, "run_1")
    assert {
        day: (used.turns, used.model_calls, used.tool_calls, used.input_tokens) for day, used in days.items()
    } == {
        FIRST: (1, 2, 1, 110),
        FIRST + 1: (1, 1, 0, 10),
    }
    assert sum(used.seconds for used in days.values()) == 13.0


def test_a_run_that_goes_on_and_one_that_is_not_there() -> None:
    assert {day: used.input_tokens for day, used in spent(LIFE, "run_2").items()} == {FIRST + 1: 7}
    assert spent(LIFE, "run_9") == {}
    assert spent([], "run_1") == {}


def test_a_day_begins_with_what_was_spent_before() -> None:
    days = Days(day_of(MIDNIGHT - 1))
    days.begin(FIRST, Totals(turns=1))
    days.begin(FIRST + 1, Totals(turns=2))
    assert days.of(Totals(turns=5)) == {FIRST: Totals(turns=2), FIRST + 1: Totals(turns=3)}


async def test_ledger_that_is_off_keeps_nothing() -> None:
    ledger = NoLedger()
    await ledger.enter(Row(FIRST, "ses_1", "run_1", "", NOTHING))
    assert await ledger.rows(FIRST) == ()
