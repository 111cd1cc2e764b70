"""The outlines beside a journal show a session sooner and decide nothing: they count only where they fit."""

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from agls.engine import rests as places
from agls.engine.log import Log
from agls.engine.rests import Rests, outline_of, outlined
from agls.engine.sessions import Sessions
from agls.engine.state import fold_all
from agls.order import NOTES
from agls.stores import entries as lines
from agls.stores import outlines
from agls.stores.files import FileStore
from agls.views.session_history import SessionHistory
from agls.workspace.clock import SystemClock
from support.eventful import eventful_session
from support.planting import long_session

ENTRIES = long_session(Path("/project"), 40, 7, 9)  # 1,361 facts


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    """A store with a session that was opened once, so that it has outlines."""
    store = FileStore(tmp_path)
    journal = store.create("ses_1")
    journal.append(*ENTRIES)
    rests = Rests()
    fold_all(ENTRIES, rests.take)
    journal.keep_rests(rests)
    journal.close()
    return store


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "sessions" / "ses_1.outlines"


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> Counter[bytes]:
    """How often each line of a journal was decoded from here on."""
    counted = Counter[bytes]()
    decode = lines.decode

    def counting(line: bytes, since: float) -> Any:
        counted[line] += 1
        return decode(line, since)

    monkeypatch.setattr(lines, "decode", counting)
    return counted


def nobody(*_: Any) -> Any:
    """Nothing runs here."""


def sessions(store: FileStore) -> Sessions:
    return Sessions(store, nobody, SystemClock())


def known(store: FileStore) -> list[Any]:
    """The rests that are read back, without the first."""
    journal = store.open("ses_1")
    rests = journal.rests()
    journal.close()
    return [rests[place] for place in range(1, len(rests))]


def test_kept_rests_are_read_back_as_they_were(store: FileStore) -> None:
    rests = Rests()
    fold_all(ENTRIES, rests.take)
    assert known(store) == [rests[place] for place in range(1, len(rests))]
    assert len(rests) > 3


@pytest.mark.parametrize("seed", range(12))
def test_outline_of_any_session_is_that_of_its_whole_state(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it ended, as long as nothing went on: with tasks, rewinds, and prompts that wait."""
    monkeypatch.setattr(places, "APART", 8)
    entries = eventful_session(Random(seed), 5)
    journal = FileStore(tmp_path).create("ses_1")
    journal.append(*entries)
    rests = Rests()
    fold_all(entries, rests.take)
    journal.keep_rests(rests)
    found = 0
    for end in range(1, len(entries) + 1):
        before = Rests([(rests[at].seq, lambda at=at: rests[at]) for at in range(1, rests.before(end) + 1)])
        if outline := outlined(entries[:end], before):
            assert outline == outline_of(fold_all(entries[:end]))
            found += 1
    assert found
    assert [journal.rests()[at] for at in range(len(rests))] == [rests[at] for at in range(len(rests))]


async def test_end_of_a_long_session_is_shown_without_decoding_the_rest(
    store: FileStore, decoded: Counter[bytes]
) -> None:
    async with sessions(store) as opened:
        session = await opened.open("ses_1", whole=False)
        assert not session.log.is_whole
        history = SessionHistory(NOTES, session.log)
        history.catch_up()
        shown = [held.item_id for _, held in zip(range(50), history.shown(), strict=False)]
        assert decoded.total() < len(ENTRIES) / 2
        assert session.outline == outline_of(session.state), "whoever asks for the state gets all of it"
        assert session.log.is_whole
    whole = SessionHistory(NOTES, Log(store.open("ses_1"), SystemClock(), fold_all(ENTRIES)))
    whole.catch_up()
    assert shown == [held.item_id for _, held in zip(range(50), whole.shown(), strict=False)]


async def test_fact_recorded_before_the_session_was_folded_follows_all_of_it(store: FileStore) -> None:
    async with sessions(store) as opened:
        session = await opened.open("ses_1", whole=False)
        session.log.record(ENTRIES[0].fact)
        entries = session.log.journal.entries()
        assert len(entries) == len(ENTRIES) + 1
        assert session.state == fold_all(entries)


async def test_session_wanted_whole_is_folded_when_it_was_opened_with_its_outline(store: FileStore) -> None:
    async with sessions(store) as opened:
        first = await opened.open("ses_1", whole=False)
        assert await opened.open("ses_1") is first
        assert first.log.is_whole


async def test_session_without_outlines_gets_them_when_it_is_opened(store: FileStore, kept: Path) -> None:
    before = kept.read_bytes()
    kept.unlink()
    async with sessions(store) as opened:
        session = await opened.open("ses_1", whole=False)
        assert session.log.is_whole
        assert kept.read_bytes() == before


async def test_interrupted_run_is_closed_when_its_session_is_opened_for_its_end(store: FileStore) -> None:
    journal = store.open("ses_1")
    journal.append(*long_session(Path("/project"), 41, 7, 9)[len(ENTRIES) : len(ENTRIES) + 9])
    journal.close()
    async with sessions(store) as opened:
        session = await opened.open("ses_1", whole=False)
        assert not session.outline.running
        assert session.state == fold_all(session.log.journal.entries())


def test_outlines_cut_anywhere_count_as_far_as_they_are_whole(store: FileStore, kept: Path) -> None:
    data, all_known = kept.read_bytes(), known(store)
    for cut in range(0, len(data), 97):
        kept.write_bytes(data[:cut])
        assert known(store) == all_known[: max(0, data[:cut].count(b"\n") - 1)]


@pytest.mark.parametrize("damage", ["flipped", "other fold", "other epoch", "no file"])
def test_outlines_that_do_not_fit_count_for_nothing(
    damage: str, store: FileStore, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = bytearray(kept.read_bytes())
    match damage:
        case "flipped":
            data[20] ^= 1
            kept.write_bytes(data)
        case "other fold":
            monkeypatch.setattr(outlines, "FOLD", outlines.FOLD + 1)
        case "other epoch":
            journal = kept.with_suffix(".jsonl")
            journal.write_bytes(journal.read_bytes()[:-1])  # a new one begins where the loss was mended
            store.open("ses_1").close()
        case _:
            kept.unlink()
    assert known(store) == []


def test_outlines_of_a_fact_that_the_journal_does_not_have_count_for_nothing(
    store: FileStore, kept: Path, tmp_path: Path
) -> None:
    """A copy of the journal from before was put back, and went on otherwise."""
    journal = tmp_path / "sessions" / "ses_1.jsonl"
    header, *rest = journal.read_bytes().splitlines(keepends=True)
    first = known(store)[0].seq
    journal.write_bytes(b"".join([header, *rest[: first + 3]]))
    assert [state.seq for state in known(store)] == [first]
    journal.write_bytes(b"".join([header, *rest[: first - 3]]))
    assert known(store) == []


def test_disk_that_refuses_outlines_costs_nothing(
    store: FileStore, kept: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    kept.unlink()
    monkeypatch.setattr(outlines, "replace_whole", refuse)
    rests = Rests()
    fold_all(ENTRIES, rests.take)
    journal = store.open("ses_1")
    journal.keep_rests(rests)
    journal.close()
    assert not kept.exists()
    assert "outlines of ses_1 cannot be kept" in caplog.text


def test_deleted_session_leaves_no_outlines(store: FileStore, kept: Path) -> None:
    store.delete("ses_1")
    assert not kept.exists()
    assert not list(kept.parent.iterdir())
