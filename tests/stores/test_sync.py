"""`sync` flushes off the event loop, once for all who wait, and never claims what it did not do."""

import asyncio
import os
import threading
from pathlib import Path

import pytest

from agls.engine.ports import JournalError
from agls.stores import journal as module
from agls.stores.files import FileStore
from agls.stores.journal import FileJournal
from support.patience import PATIENCE
from support.store_samples import SAMPLES, entries_of

ENTRIES = entries_of(SAMPLES)


class FakeFlush:
    """A flush that waits until it is let go, and remembers the size of the file when it began."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.threads: list[int] = []
        self.go = threading.Event()

    def __call__(self, fd: int) -> None:
        """`os.fdatasync`, slowly."""
        self.sizes.append(os.fstat(fd).st_size)
        self.threads.append(threading.get_ident())
        self.go.wait(PATIENCE)


@pytest.fixture
def flush(monkeypatch: pytest.MonkeyPatch) -> FakeFlush:
    flush = FakeFlush()
    monkeypatch.setattr(module, "_flush", flush)
    return flush


@pytest.fixture
def journal(tmp_path: Path) -> FileJournal:
    journal = FileStore(tmp_path).create("ses_1")
    assert isinstance(journal, FileJournal)
    return journal


async def until(flush: FakeFlush, calls: int) -> None:
    while len(flush.sizes) < calls:
        await asyncio.sleep(0.001)


async def test_the_event_loop_goes_on_while_the_disk_is_slow(journal: FileJournal, flush: FakeFlush) -> None:
    syncing = asyncio.ensure_future(journal.sync())
    await until(flush, 1)
    journal.append(*ENTRIES)
    assert not syncing.done()
    flush.go.set()
    await syncing
    assert flush.threads[0] != threading.get_ident()


async def test_all_who_come_during_one_flush_share_the_next(journal: FileJournal, flush: FakeFlush) -> None:
    waiting = []
    for entry in ENTRIES:
        journal.append(entry)
        waiting.append(asyncio.ensure_future(journal.sync()))
        await asyncio.sleep(0)
    await until(flush, 1)
    flush.go.set()
    await asyncio.wait(waiting)
    assert len(flush.sizes) == 2
    assert flush.sizes[1] == journal._path.stat().st_size


async def test_entries_appended_during_a_flush_are_flushed_by_the_next(
    journal: FileJournal, flush: FakeFlush
) -> None:
    flush.go.set()
    journal.append(*ENTRIES[:1])
    await journal.sync()
    await journal.sync()
    assert len(flush.sizes) == 1, "there was nothing new"
    journal.append(*ENTRIES[1:])
    await journal.sync()
    assert len(flush.sizes) == 2


async def test_a_cancelled_wait_does_not_count_as_flushed(journal: FileJournal, flush: FakeFlush) -> None:
    journal.append(*ENTRIES)
    waiting = asyncio.ensure_future(journal.sync())
    await until(flush, 1)
    waiting.cancel()
    flush.go.set()
    await asyncio.wait([waiting])
    await journal.sync()
    assert len(flush.sizes) == 2


async def test_the_folder_is_flushed_once_after_creation(
    journal: FileJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders: list[Path] = []
    monkeypatch.setattr(module, "flush_folder", folders.append)
    journal.append(*ENTRIES[:1])
    await journal.sync()
    journal.append(*ENTRIES[1:])
    await journal.sync()
    assert folders == [journal._path.parent]


@pytest.mark.parametrize("fails", [False, True])
async def test_a_journal_that_was_closed_during_a_flush_does_not_claim_to_be_durable(
    journal: FileJournal, flush: FakeFlush, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    def broken(fd: int) -> None:
        flush(fd)
        if fails:
            raise OSError(9, "Bad file descriptor")

    monkeypatch.setattr(module, "_flush", broken)
    journal.append(*ENTRIES)
    waiting = [asyncio.ensure_future(journal.sync()) for _ in range(2)]
    await until(flush, 1)
    journal.close()
    flush.go.set()
    for wait in waiting:
        with pytest.raises(JournalError, match="is closed"):
            await wait
    assert journal.trouble == ""
    assert len(flush.sizes) == 1
