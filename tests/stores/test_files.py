"""A journal in a file survives cuts, flipped bytes, thieves and strangers; what is lost is said."""

import fcntl
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

import pytest

from agls.engine.facts import Entry, Noted
from agls.engine.ports import JournalBusy, JournalError
from agls.stores import files
from agls.stores.files import FileStore
from agls.stores.journal import FileJournal
from support.patience import within
from support.store_samples import SAMPLES, conversation, entries_of

pytestmark = pytest.mark.promise("P6", "P13")

ENTRIES = entries_of(SAMPLES[:6])
MORE = entries_of(SAMPLES[6:9], after=6)


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    return FileStore(tmp_path / "state")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "sessions" / "ses_1.jsonl"


@pytest.fixture
def whole(store: FileStore, path: Path) -> bytes:
    """The bytes of a sound journal with `ENTRIES`, which nobody has open."""
    journal = store.create("ses_1")
    journal.append(*ENTRIES)
    journal.close()
    return path.read_bytes()


def opened(store: FileStore) -> FileJournal:
    journal = store.open("ses_1")
    assert isinstance(journal, FileJournal)
    return journal


def set_aside(path: Path) -> list[bytes]:
    return [file.read_bytes() for file in sorted(path.parent.glob("*.damaged-*"))]


EVERY = pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.slow)])  # byte

# --- damage --------------------------------------------------------------------------------------


@EVERY
def test_a_journal_cut_anywhere_in_its_last_records_keeps_all_before_and_goes_on(
    store: FileStore, path: Path, whole: bytes, every: int
) -> None:
    ends = [index + 1 for index, byte in enumerate(whole) if byte == ord("\n")]
    for cut in sorted({*range(ends[-4], len(whole), every), *ends[-4:-1], *(end - 1 for end in ends[-4:])}):
        sound = [end for end in ends if end <= cut]
        path.write_bytes(whole[:cut])
        kept = ENTRIES[: len(sound) - 1]
        assert store.peek("ses_1") == kept
        assert path.read_bytes() == whole[:cut], "a reader changes nothing"
        journal = opened(store)
        assert journal.entries() == kept
        torn = whole[sound[-1] : cut]
        assert set_aside(path) == ([torn] if torn else [])
        assert bool(journal.damage) == bool(torn)
        journal.append(*ENTRIES[len(kept) :])
        journal.close()
        assert store.peek("ses_1") == ENTRIES
        again = opened(store)
        assert again.damage == ""
        again.close()
        for file in path.parent.glob("*.damaged-*"):
            file.unlink()


@EVERY
def test_every_flipped_byte_of_a_record_is_found_and_all_before_is_kept(
    store: FileStore, path: Path, whole: bytes, every: int
) -> None:
    lines = whole.splitlines(keepends=True)
    start = sum(map(len, lines[:-2]))
    for index in range(start, start + len(lines[-2]), every):
        flipped = bytearray(whole)
        flipped[index] ^= 0x21
        path.write_bytes(flipped)
        assert store.peek("ses_1") == ENTRIES[:-2]
        journal = opened(store)
        assert journal.entries() == ENTRIES[:-2]
        assert f"line {len(lines) - 1}:" in journal.damage
        assert set_aside(path) == [bytes(flipped[start:])]
        journal.append(*ENTRIES[-2:])
        journal.close()
        assert store.peek("ses_1") == ENTRIES
        next(path.parent.glob("*.damaged-*")).unlink()


def test_a_flipped_byte_in_the_header_costs_nothing_but_the_epoch(
    store: FileStore, path: Path, whole: bytes
) -> None:
    before = opened(store)
    before.close()
    for index in range(whole.index(b"\n")):
        flipped = bytearray(whole)
        flipped[index] ^= 0x21
        path.write_bytes(flipped)
        assert store.peek("ses_1") == ENTRIES
        journal = opened(store)
        assert journal.entries() == ENTRIES
        assert "line 1:" in journal.damage
        assert journal.epoch not in {"", before.epoch}
        journal.append(*MORE)
        journal.close()
        again = opened(store)
        assert (again.epoch, again.entries()) == (journal.epoch, ENTRIES + MORE)
        again.close()


def test_a_missing_repeated_or_moved_record_is_found(store: FileStore, path: Path, whole: bytes) -> None:
    header, one, two, *rest = whole.splitlines(keepends=True)
    for lines, kept in (
        ([header, one, *rest], ENTRIES[:1]),
        ([header, one, one, two, *rest], ENTRIES[:1]),
        ([header, two, one, *rest], []),
    ):
        path.write_bytes(b"".join(lines))
        assert store.peek("ses_1") == kept
        journal = opened(store)
        assert "should stand" in journal.damage
        journal.close()


def test_numbers_that_are_given_again_after_a_loss_have_another_epoch(
    store: FileStore, path: Path, whole: bytes
) -> None:
    sound = opened(store)
    sound.close()
    path.write_bytes(whole[:-1])
    mended = opened(store)
    mended.close()
    again = opened(store)
    again.close()
    assert sound.epoch != mended.epoch == again.epoch


def test_damage_is_logged_and_each_damaged_end_is_kept_under_its_own_name(
    store: FileStore, path: Path, whole: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    for number in (1, 2, 3):
        with path.open("ab") as file:
            file.write(b"garbage %d" % number)
        journal = opened(store)
        assert journal.damage.endswith(f"ses_1.jsonl.damaged-{number}")
        assert journal.damage in caplog.text
        journal.close()
    assert set_aside(path) == [b"garbage 1", b"garbage 2", b"garbage 3"]
    assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o600}


def test_a_damaged_session_is_not_touched_when_its_end_cannot_be_kept(
    store: FileStore, path: Path, whole: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_bytes(whole + b"torn")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", refusing(28))
        with pytest.raises(JournalError, match=r"No space left.*Make room"):
            store.open("ses_1")
    assert path.read_bytes() == whole + b"torn"
    assert set_aside(path) == []
    assert opened(store).entries() == ENTRIES


def refusing(error: int) -> Callable[..., int]:
    def refuse(*_: object) -> int:
        raise OSError(error, os.strerror(error))

    return refuse


def test_file_that_is_no_journal_is_refused_and_not_changed(
    store: FileStore, path: Path, whole: bytes
) -> None:
    header, first = whole.splitlines(keepends=True)[:2]
    for content in (b"", b"\n", b"hello\n", header[:50], header[:-1] + b"X" + first, b"hello\nworld\n"):
        path.write_bytes(content)
        for ask in (store.open, store.peek):
            with pytest.raises(JournalError, match="no session"):
                ask("ses_1")
        assert path.read_bytes() == content


def test_a_file_of_a_newer_agls_is_refused_and_left_alone(store: FileStore, path: Path, whole: bytes) -> None:
    rest = b'{"journal":2,"what":"ever"}]'
    content = b'["%08x",' % crc32(rest) + rest + b"\n"
    for data in (content, whole + content):
        path.write_bytes(data)
        for ask in (store.open, store.peek):
            with pytest.raises(JournalError, match="update agls"):
                ask("ses_1")
        assert path.read_bytes() == data


# --- strangers -----------------------------------------------------------------------------------


def test_folders_and_files_are_private_whatever_the_umask(tmp_path: Path) -> None:
    state = tmp_path / "made" / "state"
    before = os.umask(0)
    try:
        FileStore(state).create("ses_1").close()
    finally:
        os.umask(before)
    assert state.stat().st_mode & 0o777 == 0o700
    assert (state / "sessions").stat().st_mode & 0o777 == 0o700
    assert (state / "sessions" / "ses_1.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_folder_that_was_open_to_others_is_closed(store: FileStore, path: Path) -> None:
    path.parent.mkdir(parents=True, mode=0o755)
    store.create("ses_1").close()
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_links_pipes_and_folders_in_place_of_a_journal_are_refused(
    store: FileStore, path: Path, whole: bytes, tmp_path: Path
) -> None:
    path.replace(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    for ask in (store.open, store.peek):
        with pytest.raises(JournalError, match="cannot be opened"):
            ask("ses_1")
    with pytest.raises(JournalError, match="already"):
        store.create("ses_1")
    path.unlink()
    os.mkfifo(path)
    for ask in (store.open, store.peek):
        with pytest.raises(JournalError, match="not a regular file"):
            ask("ses_1")
    path.unlink()
    path.mkdir()
    for ask in (store.open, store.peek):
        with pytest.raises(JournalError, match=r"not a regular file|cannot be opened"):
            ask("ses_1")


def test_a_line_is_followed_when_it_is_written_to_its_end(store: FileStore, path: Path, whole: bytes) -> None:
    begun = whole.index(b"\n") + 1
    path.write_bytes(whole[:begun])
    tail = store.follow("ses_1")
    seen = 0
    for end in range(begun, len(whole) + 1):
        path.write_bytes(whole[:end])
        tail.more()
        seen = whole[begun:end].count(b"\n")
        assert tail.entries() == ENTRIES[:seen]
    assert seen == len(ENTRIES)
    tail.close()


@pytest.mark.parametrize("harm", ["flipped", "cut", "repeated", "mended", "replaced"])
def test_following_stops_when_the_file_is_no_longer_the_same_session(
    store: FileStore, path: Path, whole: bytes, harm: str
) -> None:
    tail = store.follow("ses_1")
    last = whole.splitlines(keepends=True)[-1]
    if harm == "replaced":
        path.with_name("other").write_bytes(whole)
        path.with_name("other").replace(path)
    elif harm == "mended":
        path.write_bytes(whole + last[:10])
        opened(store).close()
    else:
        changed = {"flipped": whole + last.replace(b"1", b"2"), "cut": whole[:-5], "repeated": whole + last}
        path.write_bytes(changed[harm])
    for _ in range(2):
        with pytest.raises(JournalError, match="cannot be read on"):
            tail.more()
        assert tail.entries() == ENTRIES
    tail.close()


def test_a_file_that_nothing_was_written_to_is_no_session_yet(store: FileStore, path: Path) -> None:
    store.create("ses_2").close()
    path.touch()
    journal = store.create("ses_1", "asked for")
    with pytest.raises(JournalBusy):
        path.write_bytes(b"")
        store.create("ses_1")
    journal.close()


def test_request_key_of_a_session_survives_damage_of_its_end(store: FileStore, path: Path) -> None:
    journal = store.create("ses_1", "asked for")
    journal.append(*ENTRIES)
    journal.close()
    path.write_bytes(path.read_bytes()[:-5])
    for _ in range(2):
        again = opened(store)
        assert again.asked == "asked for"
        again.close()


def test_a_state_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(JournalError, match=f"{tmp_path}/file/state/sessions"):
        FileStore(tmp_path / "file" / "state").create("ses_1")


def test_a_state_folder_that_cannot_be_listed_is_named(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="cannot be listed: File name too long"):
        FileStore(tmp_path / ("x" * 300)).list()


def test_a_file_system_without_locks_is_refused(
    store: FileStore, whole: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fcntl.flock", refusing(37))
    with pytest.raises(JournalError, match="local disk"):
        store.open("ses_1")


def test_a_disk_that_cannot_be_read_is_named(
    store: FileStore, whole: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agls.stores.journal_reader.read_all", refusing(5))
    with pytest.raises(JournalError, match="cannot be read: Input/output error"):
        store.open("ses_1")


# --- the one writer ------------------------------------------------------------------------------


@pytest.fixture
def held(store: FileStore, whole: bytes) -> FileJournal:
    return opened(store)


def fenced(journal: FileJournal, path: Path, because: str) -> None:
    """The journal refuses, says why, and never writes again, not even when it closes."""
    before = path.read_bytes() if path.exists() else None
    for _ in range(2):
        with pytest.raises(JournalError, match=because):
            journal.append(*MORE)
    assert journal.entries() == ENTRIES
    journal.close()
    assert (path.read_bytes() if path.exists() else None) == before


def test_a_writer_whose_file_was_deleted_stops(held: FileJournal, path: Path) -> None:
    path.unlink()
    fenced(held, path, "deleted")


def test_a_writer_whose_file_was_replaced_stops(held: FileJournal, path: Path, whole: bytes) -> None:
    path.with_name("new").write_bytes(whole)
    path.with_name("new").replace(path)
    fenced(held, path, "replaced")


async def test_a_writer_whose_file_was_changed_by_another_stops(held: FileJournal, path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"x")
    with pytest.raises(JournalError, match="changed by another program"):
        await held.sync()
    fenced(held, path, "changed by another program")


def test_a_writer_whose_lock_was_taken_stops(
    held: FileJournal, path: Path, store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl.flock(held._fd, fcntl.LOCK_UN)
    thief = opened(store)
    fenced(held, path, "took the lock")
    thief.append(*MORE)
    assert store.peek("ses_1") == ENTRIES + MORE


def test_two_journals_never_share_a_file_that_was_swapped_while_it_was_opened(
    store: FileStore, path: Path, whole: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = files._lock

    def swap_and_lock(fd: int, locked: Path) -> None:
        path.unlink()
        path.write_bytes(whole)
        lock(fd, locked)

    monkeypatch.setattr(files, "_lock", swap_and_lock)
    with pytest.raises(JournalError, match="replaced"):
        store.open("ses_1")


# --- size ----------------------------------------------------------------------------------------


def test_a_session_of_a_thousand_events_opens_in_less_than_a_second(store: FileStore, path: Path) -> None:
    facts = [entry.fact for entry in conversation("hello " * 100)]
    thousand = entries_of([*facts * 160, *SAMPLES * 2])
    assert len(thousand) > 1000
    journal = store.create("ses_1")
    journal.append(*thousand)
    journal.close()
    for watch in within(1.0):
        with watch:
            again = opened(store)
        assert again.entries() == thousand
        again.close()


def test_a_fact_of_many_megabytes_is_kept(store: FileStore) -> None:
    big = Entry(1, 1.0, Noted("room", "big", {"text": "ä" * 3_000_000}))
    journal = store.create("ses_1")
    journal.append(big)
    assert store.peek("ses_1") == [big]


def test_importing_the_stores_does_not_import_the_catalogue() -> None:
    script = (
        "import sys, agls.stores.files, agls.stores.memory\nassert 'agls.stores.catalogue' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_opening_a_sound_journal_says_nothing(
    store: FileStore, whole: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        opened(store).append(*MORE)
    assert caplog.records == []
