"""The parts beside a journal show a session sooner and decide nothing: they count only where they fit."""

from collections import Counter
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from agls.engine import rests as places
from agls.engine.background import left_open
from agls.engine.facts import Entry
from agls.engine.sessions import Sessions
from agls.engine.state import fold_all
from agls.order import NOTES
from agls.stores import parts as stored
from agls.stores.files import FileStore
from agls.views.project import Projection
from agls.views.session_history import SessionHistory
from agls.workspace.clock import SystemClock
from support.eventful import eventful_session
from support.planting import long_session

ENTRIES = long_session(Path("/project"), 41, 7, 9)  # the last 66 of its 1,354 facts are a part of their own
Shown = list[Any]


def nobody(*_: Any) -> Any:
    """Nothing runs here."""


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    """A store with a session."""
    store = FileStore(tmp_path)
    journal = store.create("ses_1")
    journal.append(*ENTRIES)
    journal.close()
    return store


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "sessions" / "ses_1.parts"


@pytest.fixture
def folded(monkeypatch: pytest.MonkeyPatch) -> Counter[int]:
    """How often each fact was translated from here on."""
    counted = Counter[int]()
    events = Projection.events

    def counting(self: Projection, entry: Any, *more: Any) -> Any:
        counted[entry.seq] += 1
        return events(self, entry, *more)

    monkeypatch.setattr(Projection, "events", counting)
    return counted


def is_idle(entries: list[Entry]) -> bool:
    state = fold_all(entries)
    return not (state.running or state.queue or left_open(state, ""))


async def shown(store: FileStore, more: int = 0, session_id: str = "ses_1") -> Shown:
    """Open the session, read all of it, let so many facts follow, and close it. **Returns** what was read."""
    async with Sessions(store, nobody, SystemClock()) as sessions:
        session = await sessions.open(session_id, whole=False)
        history = SessionHistory(NOTES, session.log)
        session.log.keepers.append(history.keep)
        history.catch_up()
        read = [*history.shown(), history.usage, history.queue]
        for entry in ENTRIES[1 : 1 + more]:
            session.log.record(entry.fact)
    return read


async def test_session_that_was_shown_is_shown_again_without_folding_it(
    store: FileStore, folded: Counter[int]
) -> None:
    first = await shown(store)
    assert folded
    folded.clear()
    assert await shown(store) == first
    assert not folded


async def test_session_that_went_on_is_folded_from_its_last_kept_part_only(
    store: FileStore, folded: Counter[int]
) -> None:
    run = next(at for at, entry in enumerate(ENTRIES) if type(entry.fact).__name__ == "RunEnded")
    await shown(store)
    await shown(store, more=run)
    folded.clear()
    again = await shown(store)
    assert not folded, "the part at the end was made anew when the session was closed"
    for file in store._folder.glob("ses_1.[po]*"):
        file.unlink()
    assert again == await shown(store)


@pytest.mark.parametrize("seed", range(20))
async def test_any_session_is_shown_the_same_from_kept_parts(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With tasks, rewinds and questions, closed and opened again wherever nothing goes on."""
    monkeypatch.setattr(places, "APART", 8)
    monkeypatch.setattr(places, "NEAR", 1)
    entries = eventful_session(Random(seed), 6)
    store = FileStore(tmp_path)
    idle = [end for end in range(1, len(entries)) if is_idle(entries[:end])]
    for start, end in pairwise([0, *idle[:: max(1, len(idle) // 4)], len(entries)]):
        journal = store.open("ses_1") if start else store.create("ses_1")
        journal.append(*entries[start:end])
        journal.close()
        if end < len(entries):
            await shown(store)
    kept = [await shown(store) for _ in range(3)]
    whole = store.create("ses_2")
    whole.append(*store.peek("ses_1"))
    whole.close()
    fresh = await shown(store, session_id="ses_2")
    assert kept == [fresh] * 3


@pytest.mark.parametrize("damage", ["flipped", "cut", "other epoch", "other release", "no file"])
async def test_parts_that_do_not_fit_count_for_nothing(
    damage: str, store: FileStore, kept: Path, folded: Counter[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await shown(store)
    data = bytearray(kept.read_bytes())
    match damage:
        case "flipped":
            data[20] ^= 1
            kept.write_bytes(data)
        case "cut":
            kept.write_bytes(data[:50])
        case "other epoch":
            journal = kept.with_suffix(".jsonl")
            journal.write_bytes(journal.read_bytes() + b"torn")  # a new one begins where that was mended
        case "other release":
            monkeypatch.setattr(stored, "__version__", "0.0.0")
        case _:
            kept.unlink()
    folded.clear()
    assert await shown(store) == first
    assert len(folded) == len(ENTRIES)


async def test_damaged_part_is_made_again_and_the_others_count(
    store: FileStore, kept: Path, folded: Counter[int]
) -> None:
    first = await shown(store)
    data = bytearray(kept.read_bytes())
    data[-1] ^= 1
    kept.write_bytes(data)
    folded.clear()
    assert await shown(store) == first
    assert 0 < len(folded) < len(ENTRIES) / 2
    folded.clear()
    assert await shown(store) == first
    assert not folded


async def test_journal_with_another_line_than_before_is_shown_as_it_is_now(
    store: FileStore, kept: Path, folded: Counter[int]
) -> None:
    """A copy from before was put back, and went on otherwise: same numbers, other facts."""
    journal = kept.with_suffix(".jsonl")
    before = journal.read_bytes()
    first = await shown(store)
    other = long_session(Path("/project"), 41, 7, 18)
    journal.unlink()
    again = store.create("ses_1")
    again.append(*other)
    again.close()
    journal.write_bytes(before.split(b"\n")[0] + b"\n" + journal.read_bytes().split(b"\n", 1)[1])
    folded.clear()
    assert await shown(store) != first
    assert len(folded) > len(ENTRIES) / 2


async def test_disk_that_refuses_parts_costs_nothing(
    store: FileStore, kept: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(stored, "replace_whole", refuse)
    first = await shown(store)
    assert not kept.exists()
    assert "parts of ses_1 cannot be kept" in caplog.text
    assert await shown(store) == first


async def test_parts_of_which_nobody_read_anything_are_not_made(store: FileStore, kept: Path) -> None:
    async with Sessions(store, nobody, SystemClock()) as sessions:
        session = await sessions.open("ses_1")
        history = SessionHistory(NOTES, session.log)
        session.log.keepers.append(history.keep)
        history.catch_up()
    assert not kept.exists()


async def test_deleted_session_leaves_no_parts(store: FileStore, kept: Path) -> None:
    await shown(store)
    assert kept.exists()
    store.delete("ses_1")
    assert not list(kept.parent.iterdir())


async def test_session_of_another_process_keeps_no_parts(store: FileStore, kept: Path) -> None:
    tail = store.follow("ses_1")
    tail.keep_parts(1, {(0, 9): b"x"})
    assert tail.parts(1) == {}
    tail.close()
    assert not kept.exists()


async def test_state_at_the_end_is_what_the_next_process_begins_with(store: FileStore) -> None:
    await shown(store)
    async with Sessions(store, nobody, SystemClock()) as sessions:
        session = await sessions.open("ses_1", whole=False)
        assert session.log.rests.seqs[-1] == len(ENTRIES)
        assert session.outline.seq == len(ENTRIES)
        assert session.state == fold_all(ENTRIES)
