"""The places at which a session rested: what a session knows of them, opened again or not."""

from pathlib import Path
from typing import Any

import pytest

from agls.engine.facts import BACKGROUND
from agls.engine.log import Log
from agls.engine.rests import Rests
from agls.engine.sessions import Sessions
from agls.engine.state import NO_HISTORY, State, fold_all
from agls.stores.memory import MemoryStore
from support.planting import long_session
from support.scenario import FakeClock


def nobody(*_: Any) -> Any:
    """Nothing runs here."""


ENTRIES = long_session(Path("/project"), 40, 7, 9)


async def test_session_opened_again_knows_the_same_places_as_one_that_recorded_its_facts() -> None:
    store = MemoryStore()
    journal = store.create("ses_1")
    log = Log(journal, FakeClock(), fold_all(()))
    for entry in ENTRIES:
        log.record(entry.fact)
    journal.close()
    async with Sessions(store, nobody, FakeClock()) as sessions:
        opened = (await sessions.open("ses_1")).log.rests
    assert [opened[place].seq for place in range(len(opened))] == [
        log.rests[place].seq for place in range(len(log.rests))
    ]
    assert len(opened) > 3


def test_places_are_states_without_history_in_which_nothing_is_open() -> None:
    rests = Rests()
    fold_all(ENTRIES, rests.take)
    assert rests[0] == State()
    for place in range(1, len(rests)):
        whole = fold_all(ENTRIES[: rests[place].seq])
        assert rests[place] == whole._replace(**{**NO_HISTORY, "notes": {BACKGROUND: ()}})
        assert not (whole.calls or whole.questions)
        assert rests[place].seq - rests[place - 1].seq >= 256


@pytest.mark.parametrize(("seq", "index"), [(0, -1), (1, 0), (256, 0)])
def test_place_in_front_of_a_fact_is_found(seq: int, index: int) -> None:
    rests = Rests()
    fold_all(ENTRIES, rests.take)
    assert rests.before(seq) == index
    second = rests[1].seq
    assert (rests.before(second), rests.before(second + 1)) == (0, 1)
