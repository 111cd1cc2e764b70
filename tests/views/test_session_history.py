"""The history of a session: read in parts, each once and only when it is asked for."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import pytest

from agls.engine.facts import Entry, Unknown
from agls.engine.log import Log
from agls.engine.ports import Journal
from agls.engine.rests import Rests
from agls.engine.state import fold_all
from agls.order import NOTES
from agls.stores.files import FileStore
from agls.stores.journal_reader import read
from agls.stores.memory import MemoryStore
from agls.views.events import place_of
from agls.views.project import Projection
from agls.views.session_history import SessionHistory
from agls.views.transcript import UNSEEN, Transcript
from agls.views.values import session_info
from agls.workspace.clock import SystemClock
from support.eventful import eventful_session, journal_of
from support.planting import long_session

EVENTFUL = eventful_session(Random(3), 9)
GOLDEN = read((Path(__file__).parents[1] / "stores" / "golden" / "v1.jsonl").read_bytes()).entries


def events_of(entries: Sequence[Entry], epoch: str) -> list[dict[str, Any]]:
    """All events, of a projection that goes through the whole session."""
    projection = Projection(NOTES, "ses_1", epoch)
    return [event for entry in entries for event in projection.events(entry)]


def folded(events: Sequence[dict[str, Any]]) -> Transcript:
    transcript = Transcript()
    for event in events:
        transcript.take(event)
    return transcript


def opened(journal: Journal) -> SessionHistory:
    """The history of a session that was just opened."""
    rests = Rests()
    history = SessionHistory(
        NOTES, Log(journal, SystemClock(), fold_all(journal.entries(), rests.take), rests)
    )
    history.catch_up()
    return history


@pytest.fixture
def folds(monkeypatch: pytest.MonkeyPatch) -> Counter[int]:
    """How often each fact was translated from here on."""
    counted = Counter[int]()
    events = Projection.events

    def counting(self: Projection, entry: Entry, *more: Any) -> Any:
        counted[entry.seq] += 1
        return events(self, entry, *more)

    monkeypatch.setattr(Projection, "events", counting)
    return counted


# --- it says what a replay says ---


def check_against_replay(history: SessionHistory, entries: Sequence[Entry]) -> None:
    """Compare the history with the fold of all events."""
    replay = folded(events_of(entries, ""))
    shown = [*history.shown()][::-1]
    assert [held.item for held in shown] == [*replay.items.values()]
    for held in shown:
        item_id = held.item_id
        assert held.began == replay.began[item_id]
        assert held.ended in {0, replay.ended.get(item_id)}
        assert held.run_id == replay.run_of.get(item_id, "")
        assert held.run_end == replay.runs.get(held.run_id)
    for run_id, end in replay.runs.items():
        assert history.end_of(run_id) == end
    state = fold_all(entries)
    assert (history.usage, history.queue) == (replay.usage, replay.queue)
    assert ({**session_info(state)}, dict(state.options)) == (replay.info, replay.options)


@pytest.mark.parametrize("apart", [1, 20, 256])
@pytest.mark.parametrize("seed", range(30))
def test_history_read_in_parts_says_what_a_replay_of_all_facts_says(
    seed: int, apart: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agls.engine.rests.APART", apart)
    random = Random(seed)
    entries = eventful_session(random, random.randrange(1, 25))
    check_against_replay(opened(journal_of(entries)), entries)


@pytest.mark.parametrize("apart", [1, 256])
def test_history_that_grows_says_what_a_replay_says_after_every_fact(
    apart: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agls.engine.rests.APART", apart)
    entries = eventful_session(Random(7), 8)
    journal = MemoryStore().create("ses_1")
    log = Log(journal, SystemClock(), fold_all(()))
    history = SessionHistory(NOTES, log)
    for count, entry in enumerate(entries, 1):
        log.record(entry.fact)
        history.catch_up()
        check_against_replay(history, journal.entries()[:count])


@pytest.mark.parametrize(
    ("entries", "apart"),
    [(GOLDEN, 256), (EVENTFUL, 256), (EVENTFUL, 1)],
    ids=["every fact", "whole", "in parts"],
)
def test_events_of_any_part_are_those_of_a_replay(
    entries: Sequence[Entry], apart: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a part begins while items, questions, tasks and runs are open."""
    monkeypatch.setattr("agls.engine.rests.APART", apart)
    journal = journal_of(entries)
    history = opened(journal)
    events = events_of(entries, journal.epoch)
    last = len(entries)
    for after in range(last + 1):
        assert [*chain.from_iterable(history.facts(after, last + 1))] == [
            event for event in events if place_of(event) > after
        ]
    for before in range(1, last + 2):
        facts = [*history.facts(0, before, backward=True)]
        assert [*chain.from_iterable(reversed(facts))] == [
            event for event in events if place_of(event) < before
        ]


@pytest.mark.parametrize("apart", [1, 256])
def test_end_of_a_run_is_found_by_a_history_that_took_in_nothing(
    apart: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever waits for a run asks a history of its own."""
    monkeypatch.setattr("agls.engine.rests.APART", apart)
    journal = journal_of(EVENTFUL)
    rests = Rests()
    log = Log(journal, SystemClock(), fold_all(EVENTFUL, rests.take), rests)
    for run_id, end in folded(events_of(EVENTFUL, "")).runs.items():
        assert SessionHistory(NOTES, log).end_of(run_id) == end
    with pytest.raises(KeyError):
        SessionHistory(NOTES, log).end_of("run_none")


@pytest.mark.parametrize("type", sorted(UNSEEN))
def test_events_left_out_of_a_brief_replay_change_no_transcript(type: str) -> None:
    """Or it would have to be told."""
    transcript = Transcript()
    transcript.take({"type": type, "seq": 0, "runId": "run_1", "data": {"item": {}, "state": "x"}})
    assert transcript == Transcript()


# --- and reads no more of the session than it needs ---

TAIL = 50
MOST = 2 * (256 + 16)  # facts of two parts
LONG = {
    "many runs": (1_700, 2, 90),  # 10,200 items of 22,101 facts
    "one run": (1, 5_000, 90),  # 10,002 items
}


@pytest.fixture(scope="module", params=LONG)
def long_journal(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Journal:
    journal = FileStore(tmp_path_factory.mktemp("long")).create("ses_1")
    journal.append(*long_session(Path("/project"), *LONG[request.param]))
    return journal


def tail(history: SessionHistory) -> list[str]:
    return [held.item_id for _, held in zip(range(TAIL), history.shown(), strict=False)]


def run_of_end(history: SessionHistory) -> str:
    return next(history.shown()).run_id


ASKED: dict[str, Callable[[SessionHistory], Any]] = {
    "resume": tail,
    "events": lambda history: next(history.facts(0, history.seq + 1, backward=True)),
    "early events": lambda history: next(history.facts(4_000, 4_010)),
    "item": lambda history: next(history.shown()),
    "usage": lambda history: history.usage,
    "end of the last run": lambda history: history.end_of(run_of_end(history)),
}


@pytest.mark.parametrize("asked", ASKED)
def test_long_session_is_translated_only_where_it_is_asked_for(
    asked: str, long_journal: Journal, folds: Counter[int]
) -> None:
    """Counted in facts, after opening: of 10,000 items nobody translates more than a part or two."""
    history = opened(long_journal)
    assert not folds, "opening and looking for new facts translates none"
    assert ASKED[asked](history)
    assert 0 < folds.total() <= MOST


def test_second_page_translates_nothing_again(long_journal: Journal, folds: Counter[int]) -> None:
    history = opened(long_journal)
    first = tail(history)
    folds.clear()
    assert tail(history) == first
    assert not folds


def test_new_facts_are_translated_once_and_none_before_them(folds: Counter[int]) -> None:
    entries = long_session(Path("/project"), 3, 200, 90)
    known = len(entries) - 9
    journal = journal_of(entries[:known])
    rests = Rests()
    log = Log(journal, SystemClock(), fold_all(journal.entries(), rests.take), rests)
    history = SessionHistory(NOTES, log)
    history.catch_up()
    tail(history)
    folds.clear()
    for entry in entries[known:]:
        log.record(entry.fact)
    history.catch_up()
    assert len(tail(history)) == TAIL
    assert set(folds) == set(range(known + 1, len(entries) + 1))
    assert folds.total() == len(entries) - known


def test_facts_of_a_newer_version_under_known_names_are_passed_over(tmp_path: Path) -> None:
    newer = [Unknown(kind, {"of": "tomorrow"}) for kind in ("replied", "rewound", "run_started", "run_ended")]
    entries = long_session(Path("/project"), 1, 2, 90)
    store = FileStore(tmp_path)
    journal = store.create("ses_1")
    journal.append(*entries, *(Entry(len(entries) + n, 1.7e9 + 99, fact) for n, fact in enumerate(newer, 1)))
    journal.close()
    history = opened(store.open("ses_1"))
    assert history.usage
    assert history.end_of("run_0")
    assert len(tail(history)) == 6
