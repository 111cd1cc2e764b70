"""The places at which a session rested: what a session knows of them, opened again or not."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agls.engine.facts import Admitted
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
        prompt = whole.admitted and replace(whole.admitted, content=())
        rest: dict[str, Any] = {**NO_HISTORY, "notes": {}, "admitted": prompt}
        assert rests[place] == whole._replace(**rest)
        assert not (whole.calls or whole.questions)
        assert rests[place].seq - rests[place - 1].seq >= 256


@pytest.mark.parametrize(("seq", "index"), [(0, -1), (1, 0), (256, 0)])
def test_place_in_front_of_a_fact_is_found(seq: int, index: int) -> None:
    rests = Rests()
    fold_all(ENTRIES, rests.take)
    assert rests.before(seq) == index
    second = rests[1].seq
    assert (rests.before(second), rests.before(second + 1)) == (0, 1)


def rests_of(*seqs: int) -> Rests:
    return Rests([(seq, lambda seq=seq: State(seq=seq)) for seq in seqs])


@pytest.mark.parametrize(
    ("known", "end", "right"),
    [
        ((), 63, (0,)),
        ((), 64, (0, 64)),
        ((64,), 70, (0, 70)),
        ((64,), 64, (0, 64)),
        ((256,), 319, (0, 256)),
        ((256,), 320, (0, 256, 320)),
        ((256, 320), 330, (0, 256, 330)),
        ((256, 320, 576), 640, (0, 256, 320, 576, 640)),
    ],
)
def test_end_of_a_closed_session_replaces_an_end_that_is_near(
    known: tuple[int, ...], end: int, right: tuple[int, ...]
) -> None:
    ended = rests_of(*known).with_end(State(seq=end))
    assert ended.seqs == right
    assert [ended[place].seq for place in range(len(ended))] == [*right]


@pytest.mark.parametrize("going_on", [{"running": True}, {"queue": (Admitted("run_1", "item_1", ()),)}])
def test_session_in_which_something_goes_on_gets_no_end(going_on: dict[str, Any]) -> None:
    assert rests_of(256).with_end(State(seq=999, **going_on)).seqs == (0, 256)


def test_keepers_are_called_once_with_the_places_that_are_kept() -> None:
    log = Log(MemoryStore().create("ses_1"), FakeClock(), fold_all(()))
    for entry in ENTRIES[:99]:
        log.record(entry.fact)
    got: list[Rests] = []
    log.keepers.append(got.append)
    log.keep_rests()
    log.keep_rests()
    assert len(got) == 1
