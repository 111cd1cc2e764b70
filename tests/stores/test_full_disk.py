"""When the disk refuses, nothing is lost while the process lives, and all is written when it can be."""

import errno
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agls.engine.facts import Entry
from agls.stores.files import FileStore
from support.store_samples import SAMPLES, entries_of

pytestmark = pytest.mark.promise("P6")

ENTRIES = entries_of(SAMPLES)
BATCHES = [ENTRIES[:2], ENTRIES[2:3], ENTRIES[3:9], ENTRIES[9:]]


class FakeDisk:
    """Writes at most `room` bytes to journals in one go and refuses from call `start` for `count` calls.

    Half of what the first refused call was given is written: a torn line.
    """

    def __init__(self, error: int, start: int, count: int, room: int = 1 << 30) -> None:
        self.error, self.start, self.count, self.room = error, start, count, room
        self.calls = 0
        self._write, self._torn = os.write, False

    def write(self, fd: int, data: bytes) -> int:
        """`os.write` with little room."""
        self.calls += 1
        refused = self.start <= self.calls < self.start + self.count
        if refused and not self._torn:
            self._torn = True
            return self._write(fd, data[: len(data) // 2])
        if refused:
            raise OSError(self.error, os.strerror(self.error))
        return self._write(fd, data[: self.room])


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    return FileStore(tmp_path)


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
@pytest.mark.parametrize("start", range(1, 8))
@pytest.mark.parametrize("count", [1, 2, 4])
def test_a_disk_that_refuses_at_any_call_loses_nothing_when_it_recovers(
    store: FileStore, monkeypatch: pytest.MonkeyPatch, error: int, start: int, count: int
) -> None:
    disk = FakeDisk(error, start, count)
    journal = store.create("ses_1")
    monkeypatch.setattr(os, "write", disk.write)
    written: list[Entry] = []
    for batch in BATCHES:
        journal.append(*batch)
        written += batch
        assert journal.entries() == written
        found = store.peek("ses_1")
        assert found == written[: len(found)], "what is in the file is a beginning of what happened"
        assert (journal.trouble == "") == (len(found) == len(written))
    for _ in range(count):
        journal.append()
    assert journal.trouble == ""
    assert store.peek("ses_1") == ENTRIES
    journal.close()
    assert store.open("ses_1").entries() == ENTRIES


def test_short_writes_are_finished(store: FileStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "write", FakeDisk(0, 0, 0, room=7).write)
    store.create("ses_1").append(*ENTRIES)
    assert store.peek("ses_1") == ENTRIES


def test_a_batch_is_one_write(store: FileStore, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = FakeDisk(0, 0, 0)
    journal = store.create("ses_1")
    monkeypatch.setattr(os, "write", disk.write)
    journal.append(*ENTRIES)
    assert disk.calls == 1


def test_the_trouble_says_what_to_do(
    store: FileStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    journal = store.create("ses_1")
    monkeypatch.setattr(os, "write", FakeDisk(errno.ENOSPC, 1, 99).write)
    journal.append(*BATCHES[0])
    assert re.match(
        r"The disk of \S+/sessions is full \([\d,]+ KiB free\): the latest steps of this session are only in "
        r"memory\. Free some space there;",
        journal.trouble,
    )
    journal.append(*BATCHES[1])
    assert len(caplog.records) == 1, "said once, not with every step"
    journal.close()
    assert "unsaved" in caplog.records[-1].message


def test_closing_a_journal_writes_what_a_full_disk_held_back(
    store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = store.create("ses_1")
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", FakeDisk(errno.ENOSPC, 1, 99).write)
        journal.append(*ENTRIES)
    journal.close()
    assert store.peek("ses_1") == ENTRIES


def test_a_session_can_be_made_on_a_full_disk_and_is_saved_later(
    store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", FakeDisk(errno.ENOSPC, 1, 99).write)
        journal = store.create("ses_1")
        assert journal.trouble
        journal.append(*BATCHES[0])
    for batch in BATCHES[1:]:
        journal.append(*batch)
    assert journal.trouble == ""
    assert store.peek("ses_1") == ENTRIES


def refusing(error: int) -> Callable[..., int]:
    def refuse(*_: object) -> int:
        raise OSError(error, os.strerror(error))

    return refuse


def test_disk_that_fails_every_call_is_a_journal_error(
    store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = store.create("ses_1")
    with monkeypatch.context() as patch:
        for call in ("write", "fstat", "ftruncate"):
            patch.setattr(os, call, refusing(errno.EIO))
        journal.append(*BATCHES[0])
        journal.append(*BATCHES[1])
        assert journal.trouble.startswith("Input/output error")
    journal.append(*BATCHES[2])
    assert store.peek("ses_1") == [*BATCHES[0], *BATCHES[1], *BATCHES[2]]


async def test_entries_of_a_failed_flush_are_written_again(
    store: FileStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    journal = store.create("ses_1")
    journal.append(*BATCHES[0])
    await journal.sync()
    journal.append(*BATCHES[1])
    path = tmp_path / "sessions" / "ses_1.jsonl"
    with monkeypatch.context() as patch:
        patch.setattr("agls.stores.journal._flush", refusing(errno.EIO))
        await journal.sync()
        assert journal.trouble.startswith("Input/output error")
        whole = path.read_bytes()
        lost = whole.rindex(b"\n", 0, -1) + 1
        path.write_bytes(whole[:lost] + bytes(len(whole) - lost))
        journal.append()
        assert path.read_bytes() == whole
        assert journal.trouble, "that it was written does not mean that the disk has it"
    await journal.sync()
    assert journal.trouble == ""
    journal.append(*BATCHES[2])
    await journal.sync()
    assert store.peek("ses_1") == [*BATCHES[0], *BATCHES[1], *BATCHES[2]]


LIMITED = """
import resource, sys
from pathlib import Path
from support.store_samples import SAMPLES, entries_of
from agls.stores.files import FileStore
store = FileStore(Path(sys.argv[1]))
journal = store.create("ses_1")
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, resource.RLIM_INFINITY))
troubles = []
for entry in entries_of(SAMPLES):
    journal.append(entry)
    troubles.append(journal.trouble)
assert not troubles[0] and troubles[-1].startswith("A file in "), troubles
found = store.peek("ses_1")
assert 0 < len(found) < len(SAMPLES) and found == entries_of(SAMPLES)[: len(found)]
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
journal.append()
assert journal.trouble == ""
"""


def test_a_real_limit_of_the_system_is_survived(store: FileStore, tmp_path: Path) -> None:
    tests = str(Path(__file__).parents[1])
    command = [sys.executable, "-c", LIMITED, str(tmp_path)]
    done = subprocess.run(command, env={"PYTHONPATH": tests}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert store.open("ses_1").entries() == ENTRIES
