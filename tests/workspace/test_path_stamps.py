"""Looks at paths: repeated when anything changed at them, and only then."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agls.workspace.path_stamps import LooksAtPaths, PathStamps

OLD = time.time() - 100


class Looked:
    """A look for one file, and how often it was made."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._looks = LooksAtPaths[str](remembered=2)
        self.count = 0

    def text(self) -> str:
        return self._looks.get("key", self._look)

    def _look(self, looked_at: PathStamps) -> str:
        self.count += 1
        return self._path.read_text() if looked_at.exists(str(self._path)) else ""


@pytest.fixture
def looked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Looked:
    monkeypatch.setattr("agls.workspace.path_stamps.TICK", 0)  # as if all of this had happened a while ago
    return Looked(tmp_path / "folder" / "deeper" / "file")


def test_nothing_is_looked_at_again_while_it_is_as_it_was(looked: Looked) -> None:
    assert [looked.text() for _ in range(3)] == ["", "", ""]
    assert looked.count == 1


def test_file_that_comes_into_a_folder_that_comes_is_found(looked: Looked, tmp_path: Path) -> None:
    assert looked.text() == ""
    (tmp_path / "folder").mkdir()
    assert looked.text() == ""
    (tmp_path / "folder" / "deeper").mkdir()
    assert looked.text() == ""
    (tmp_path / "folder" / "deeper" / "file").write_text("there")
    assert looked.text() == "there"


def _change(file: Path) -> None:
    file.write_text("else")


def _change_and_set_the_time_back(file: Path) -> None:
    before = file.stat()
    file.write_text("else")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def _replace(file: Path) -> None:
    file.with_name("new").write_text("else")
    file.with_name("new").replace(file)


@pytest.mark.parametrize("change", [_change, _change_and_set_the_time_back, _replace])
def test_file_that_changes_is_looked_at_again(
    looked: Looked, tmp_path: Path, change: Callable[[Path], None]
) -> None:
    file = tmp_path / "folder" / "deeper" / "file"
    file.parent.mkdir(parents=True)
    file.write_text("text")
    assert [looked.text(), looked.text()] == ["text", "text"]
    change(file)
    assert looked.text() == "else"


def test_target_of_a_link_that_led_nowhere_is_found_when_it_comes(looked: Looked, tmp_path: Path) -> None:
    (tmp_path / "folder").symlink_to(tmp_path / "elsewhere" / "shared")
    (tmp_path / "elsewhere").mkdir()
    assert looked.text() == ""
    (tmp_path / "elsewhere" / "shared" / "deeper").mkdir(parents=True)
    (tmp_path / "elsewhere" / "shared" / "deeper" / "file").write_text("there")
    assert looked.text() == "there"


def test_what_changed_just_now_is_looked_at_again(tmp_path: Path) -> None:
    looked = Looked(tmp_path / "file")
    (tmp_path / "file").write_text("text")
    assert [looked.text(), looked.text()] == ["text", "text"]
    assert looked.count == 2, "another change in the same tick of the clock would not show"


def test_the_oldest_looks_are_forgotten(tmp_path: Path) -> None:
    looks, asked = LooksAtPaths[str](remembered=2), list[str]()
    os.utime(tmp_path, (OLD, OLD))
    for key in ("a", "b", "c", "a"):
        looks.get(key, lambda _, key=key: asked.append(key) or key)
    assert asked == ["a", "b", "c", "a"]
