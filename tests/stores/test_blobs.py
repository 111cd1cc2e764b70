"""Large contents are kept once, whole, private, and proved when they are read."""

import asyncio
import errno
import hashlib
import os
import subprocess
import threading
import time
from pathlib import Path

import pytest

from agls.stores.blobs import BlobError, Blobs


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    return Blobs(tmp_path / "state")


def kept(tmp_path: Path) -> list[Path]:
    return [path for path in (tmp_path / "state" / "blobs").rglob("*") if path.is_file()]


@pytest.mark.parametrize("data", [b"", b"hello", bytes(range(256)) * 20_000])
async def test_kept_content_is_read_back_under_its_hash(blobs: Blobs, tmp_path: Path, data: bytes) -> None:
    name = await blobs.keep(data)
    assert name == hashlib.sha256(data).hexdigest()
    assert await blobs.read(name) == data
    assert await Blobs(tmp_path / "state").read(name) == data


async def test_the_same_bytes_are_kept_once_and_not_written_again(blobs: Blobs, tmp_path: Path) -> None:
    await blobs.keep(b"hello")
    (first,) = kept(tmp_path)
    before = first.stat()
    os.utime(first, (1, 1))
    assert await blobs.keep(b"hello") == await Blobs(tmp_path / "state").keep(b"hello")
    (only,) = kept(tmp_path)
    assert only.stat().st_ino == before.st_ino
    assert only.stat().st_mtime >= before.st_mtime  # it is young again


async def test_files_lie_in_private_folders_by_the_first_two_digits(blobs: Blobs, tmp_path: Path) -> None:
    name = await blobs.keep(b"hello")
    path = tmp_path / "state" / "blobs" / name[:2] / name[2:]
    assert path.stat().st_mode & 0o777 == 0o600
    assert {folder.stat().st_mode & 0o777 for folder in (path.parent, path.parent.parent)} == {0o700}


async def test_a_damaged_content_is_refused_and_mended_when_it_is_kept_again(
    blobs: Blobs, tmp_path: Path
) -> None:
    name = await blobs.keep(b"hello")
    for damage in (b"", b"hellO"):
        kept(tmp_path)[0].write_bytes(damage)
        with pytest.raises(BlobError, match="damaged"):
            await blobs.read(name)
        await blobs.keep(b"hello")
        assert await blobs.read(name) == b"hello"


@pytest.mark.parametrize("name", ["", "x" * 64, "../" * 20, "A" * 64, "ab" * 31, "ab" * 32 + "\n"])
async def test_name_that_is_no_hash_is_refused(blobs: Blobs, name: str) -> None:
    with pytest.raises(BlobError, match="64 hex digits"):
        await blobs.read(name)


async def test_a_missing_content_is_named(blobs: Blobs) -> None:
    with pytest.raises(BlobError, match="ab" * 32):
        await blobs.read("ab" * 32)


async def test_a_link_in_place_of_a_content_is_not_followed(blobs: Blobs, tmp_path: Path) -> None:
    name = await blobs.keep(b"hello")
    (path,) = kept(tmp_path)
    path.replace(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BlobError, match="cannot be read"):
        await blobs.read(name)


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
async def test_failing_disk_is_named_and_no_partial_file_is_left(
    blobs: Blobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    await blobs.keep(b"before")

    def refuse(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, call, refuse)
        with pytest.raises(
            BlobError, match=r"^5 bytes cannot be kept: the disk of .*blobs.* is full \([\d,]+ KiB free\)\.$"
        ):
            await blobs.keep(b"hello")
    assert len(kept(tmp_path)) == 1
    assert await blobs.read(await blobs.keep(b"hello")) == b"hello"


async def test_a_large_content_is_written_in_pieces_off_the_loop(
    blobs: Blobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[int, int]] = []
    write = os.write

    def short_write(fd: int, data: bytes) -> int:
        calls.append((threading.get_ident(), len(data)))
        return write(fd, data[:300_000])

    monkeypatch.setattr(os, "write", short_write)
    data = os.urandom(3_000_000)
    name = await blobs.keep(data)
    assert max(size for _, size in calls) <= 1 << 20
    assert threading.get_ident() not in {thread for thread, _ in calls}
    assert await blobs.read(name) == data


async def test_unfinished_files_of_dead_processes_are_removed(blobs: Blobs, tmp_path: Path) -> None:
    folder = tmp_path / "state" / "blobs"
    folder.mkdir(parents=True)
    gone = subprocess.Popen(["true"])
    gone.wait()
    dead, nobody, mine, init = f"new-{gone.pid}-x", "new-x", f"new-{os.getpid()}-x", "new-1-x"
    for name in (dead, nobody, mine, init):
        (folder / name).write_bytes(b"half")
    await blobs.keep(b"hello")
    assert sorted(path.name for path in folder.glob("new-*")) == sorted([mine, init])


# --- collecting ------------------------------------------------------------------------------------

DAY = 86_400.0


async def aged(tmp_path: Path, days: float, data: bytes) -> str:
    """A content that was kept last so many days ago."""
    name = await Blobs(tmp_path / "state").keep(data)
    when = time.time() - days * DAY
    os.utime(tmp_path / "state/blobs" / name[:2] / name[2:], (when, when))
    return name


def name_in_session(tmp_path: Path, *names: str, file: str = "ses_1.jsonl") -> None:
    folder = tmp_path / "state/sessions"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text("".join(f'{{"hash":"{name}"}}\n' for name in names))


def names(tmp_path: Path) -> set[str]:
    return {path.parent.name + path.name for path in (tmp_path / "state/blobs").glob("??/*")}


async def test_old_content_that_no_session_names_is_removed(blobs: Blobs, tmp_path: Path) -> None:
    old, young = await aged(tmp_path, 31, b"old"), await aged(tmp_path, 29, b"young")
    named, set_aside = await aged(tmp_path, 31, b"named"), await aged(tmp_path, 31, b"set aside")
    name_in_session(tmp_path, named)
    name_in_session(tmp_path, set_aside, file="ses_2.jsonl.damaged-1")
    assert await blobs.collect(30 * DAY, 1 << 30) == len(b"old")
    assert names(tmp_path) == {young, named, set_aside}
    assert old not in names(tmp_path)


async def test_when_there_is_too_much_the_oldest_unnamed_go_first(blobs: Blobs, tmp_path: Path) -> None:
    kept = [await aged(tmp_path, days, bytes([48 + days]) * 100) for days in (3, 2, 1)]
    now = await blobs.keep(b"n" * 100)
    named = await aged(tmp_path, 4, b"x" * 100)
    name_in_session(tmp_path, named)
    assert await blobs.collect(30 * DAY, 300) == 200
    assert names(tmp_path) == {named, kept[2], now}


async def test_content_kept_within_the_hour_is_never_removed(blobs: Blobs, tmp_path: Path) -> None:
    now, earlier = await blobs.keep(b"now"), await aged(tmp_path, 0.1, b"earlier")
    assert await blobs.collect(0, 0) == len(b"earlier")
    assert names(tmp_path) == {now}
    assert earlier not in names(tmp_path)


async def test_a_name_is_found_across_the_pieces_a_file_is_read_in(blobs: Blobs, tmp_path: Path) -> None:
    found = [await aged(tmp_path, 31, str(number).encode()) for number in range(64)]
    for number, name in enumerate(found):
        folder = tmp_path / "state/sessions"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"ses_{number}.jsonl").write_text(" " * ((1 << 18) - number) + f'"{name}"')
    assert await blobs.collect(30 * DAY, 0) == 0
    assert names(tmp_path) == set(found)


async def test_collection_happens_once_a_day(blobs: Blobs, tmp_path: Path) -> None:
    assert await blobs.collect(DAY, 0) == 0
    assert not (tmp_path / "state").exists()  # and nothing is made for it
    first = Blobs(tmp_path / "state")
    await aged(tmp_path, 2, b"one")
    assert await first.collect(DAY, 1 << 30) == 3
    await aged(tmp_path, 2, b"two")
    assert await first.collect(DAY, 1 << 30) == 0
    assert await Blobs(tmp_path / "state").collect(DAY, 1 << 30) == 0
    os.utime(tmp_path / "state/blobs/collected", (1, 1))
    assert await Blobs(tmp_path / "state").collect(DAY, 1 << 30) == 3


async def test_collection_with_an_unreadable_session_removes_nothing(blobs: Blobs, tmp_path: Path) -> None:
    old = await aged(tmp_path, 31, b"old")
    (tmp_path / "state/sessions/ses_1.jsonl").mkdir(parents=True)
    with pytest.raises(OSError, match="ses_1"):
        await blobs.collect(DAY, 0)
    assert names(tmp_path) == {old}


async def test_content_kept_during_a_collection_stays(blobs: Blobs, tmp_path: Path) -> None:
    old = await aged(tmp_path, 31, b"old")
    other, folder = Blobs(tmp_path / "state"), tmp_path / "state/sessions"
    folder.mkdir()
    os.mkfifo(folder / "ses_1.jsonl")  # the collector, which has made its list, waits here for a writer
    collecting = asyncio.ensure_future(blobs.collect(30 * DAY, 0))
    writer = await asyncio.to_thread(os.open, folder / "ses_1.jsonl", os.O_WRONLY)
    assert await other.keep(b"old") == old
    os.close(writer)
    assert await collecting == 0
    assert names(tmp_path) == {old}


async def test_a_cancelled_collection_removes_nothing_more(blobs: Blobs, tmp_path: Path) -> None:
    old, folder = await aged(tmp_path, 31, b"old"), tmp_path / "state/sessions"
    folder.mkdir()
    os.mkfifo(folder / "ses_1.jsonl")
    collecting = asyncio.ensure_future(blobs.collect(30 * DAY, 0))
    writer = await asyncio.to_thread(os.open, folder / "ses_1.jsonl", os.O_WRONLY)
    collecting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await collecting
    os.close(writer)
    await asyncio.get_running_loop().shutdown_default_executor()  # the thread has ended
    assert names(tmp_path) == {old}
    assert not (tmp_path / "state/blobs/collected").exists(), "it was not done: it is due again"
