"""Large contents are kept once, whole, private, and proved when they are read."""

import errno
import hashlib
import os
import threading
import time
from pathlib import Path

import pytest

from aglet.stores.blobs import BlobError, Blobs


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    return Blobs(tmp_path / "state")


def kept(tmp_path: Path) -> list[Path]:
    return [path for path in (tmp_path / "state" / "blobs").rglob("*") if path.is_file()]


@pytest.mark.parametrize("data", [b"", b"hello", bytes(range(256)) * 20_000])
async def test_what_is_kept_is_given_back(blobs: Blobs, tmp_path: Path, data: bytes) -> None:
    name = await blobs.keep(data)
    assert name == hashlib.sha256(data).hexdigest()
    assert await blobs.read(name) == data
    assert await Blobs(tmp_path / "state").read(name) == data


async def test_the_same_bytes_are_kept_once_and_not_written_again(blobs: Blobs, tmp_path: Path) -> None:
    await blobs.keep(b"hello")
    before = kept(tmp_path)[0].stat()
    assert await blobs.keep(b"hello") == await Blobs(tmp_path / "state").keep(b"hello")
    (only,) = kept(tmp_path)
    assert (only.stat().st_ino, only.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


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
async def test_what_is_no_name_is_refused(blobs: Blobs, name: str) -> None:
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
async def test_a_disk_that_refuses_is_named_and_nothing_half_is_left(
    blobs: Blobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    await blobs.keep(b"before")

    def refuse(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, call, refuse)
        with pytest.raises(BlobError, match="No space left"):
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


async def test_what_a_crash_left_unfinished_is_removed_but_not_what_is_being_written(
    blobs: Blobs, tmp_path: Path
) -> None:
    folder = tmp_path / "state" / "blobs"
    folder.mkdir(parents=True)
    for name, age in (("new-old", 7200), ("new-fresh", 10)):
        (folder / name).write_bytes(b"half")
        os.utime(folder / name, (time.time() - age,) * 2)
    await blobs.keep(b"hello")
    assert not (folder / "new-old").exists()
    assert (folder / "new-fresh").exists()
