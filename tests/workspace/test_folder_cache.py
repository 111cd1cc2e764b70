"""The names in folders are remembered while the folders stay as they are."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agls.workspace import folder_cache
from agls.workspace.folder_cache import Entries, FolderCache


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").touch()
    (tmp_path / "below").mkdir()
    (tmp_path / "link").symlink_to("a.txt")
    return tmp_path


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """No folder changed just now."""
    monkeypatch.setattr(folder_cache, "_SETTLED", -(1 << 62))


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The folders that were read."""
    read: list[int] = []
    real: Callable[[int], Entries] = folder_cache._read

    def noted(handle: int) -> Entries:
        read.append(handle)
        return real(handle)

    monkeypatch.setattr(folder_cache, "_read", noted)
    return read


def entries(cache: FolderCache, folder: Path) -> Entries:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return cache.entries(handle, (folder.name,))
    finally:
        os.close(handle)


@pytest.mark.usefixtures("settled")
def test_unchanged_folder_is_read_once(folder: Path, reads: list[int]) -> None:
    cache = FolderCache()
    assert entries(cache, folder) == entries(cache, folder) == Entries(("a.txt",), ("below",))
    assert len(reads) == 1


@pytest.mark.usefixtures("settled")
def test_changed_folder_is_read_again(folder: Path) -> None:
    cache = FolderCache()
    entries(cache, folder)
    (folder / "a.txt").rename(folder / "b.txt")
    os.utime(folder, (0, 0))
    assert entries(cache, folder).files == ("b.txt",)
    (folder / "b.txt").unlink()
    (folder / "b.txt").mkdir()
    os.utime(folder, (0, 0))
    assert entries(cache, folder).files == (), "the time of the last change cannot be set back unseen"
    assert set(entries(cache, folder).folders) == {"b.txt", "below"}


def test_folder_that_changed_just_now_is_read_again(folder: Path, reads: list[int]) -> None:
    cache = FolderCache()
    (folder / "c.txt").touch()
    entries(cache, folder)
    entries(cache, folder)
    assert len(reads) == 2


@pytest.mark.usefixtures("settled")
def test_full_cache_begins_anew(folder: Path, reads: list[int]) -> None:
    cache = FolderCache(most=3)
    for _ in range(3):
        entries(cache, folder)
    assert len(reads) == 1
    entries(cache, folder / "below")
    entries(cache, folder / "below")
    assert len(reads) == 3, "what was in it went when it was full, and this is remembered"
    entries(cache, folder)
    assert len(reads) == 4
