"""Deleted files go to the user's trash, as its specification has it, and are deleted where there is none."""

import os
import re
from pathlib import Path

import pytest

from agls.engine.ports import Stale, WantedFile
from agls.engine.vocabulary import FileVersion
from agls.workspace.editor import NoEditor
from agls.workspace.processes import Processes
from agls.workspace.texts import hash_of
from agls.workspace.workspace import OpenWorkspace

HASH = hash_of(b"x = 1\n")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    (folder / ".local/share/Trash").mkdir(parents=True, mode=0o700)
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "a project"
    folder.mkdir()
    (folder / "a.py").write_text("x = 1\n")
    return folder


def opened(root: Path, **environment: Path) -> OpenWorkspace:
    variables = {name: str(path) for name, path in environment.items()}
    return OpenWorkspace(str(root), (), NoEditor(), Processes(variables))


def gone(path: str = "a.py", *, trash: bool = True) -> WantedFile:
    return WantedFile(path, None, FileVersion(HASH), trash=trash)


async def test_deleted_file_is_in_the_trash_with_the_note_of_where_it_was(root: Path, home: Path) -> None:
    (change,) = await opened(root, HOME=home).change([gone()])
    assert (change.change, change.trashed, change.result.hash) == ("deleted", True, "")
    assert not (root / "a.py").exists()
    trash = home / ".local/share/Trash"
    assert (trash / "files/a.py").read_text() == "x = 1\n"
    note = (trash / "info/a.py.trashinfo").read_text()
    where = str(root / "a.py").replace(" ", "%20")
    assert re.fullmatch(
        rf"\[Trash Info\]\nPath={re.escape(where)}\nDeletionDate=\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d\n", note
    )


async def test_name_that_is_taken_in_the_trash_gets_another_one(root: Path, home: Path) -> None:
    for _ in range(3):
        (root / "a.py").write_text("x = 1\n")
        await opened(root, HOME=home).change([gone()])
    trash = home / ".local/share/Trash"
    names = {"a.py", "a 2.py", "a 3.py"}
    assert {path.name for path in (trash / "files").iterdir()} == names
    assert {path.name.removesuffix(".trashinfo") for path in (trash / "info").iterdir()} == names


async def test_file_without_a_note_in_the_trash_is_not_written_over(root: Path, home: Path) -> None:
    """Other programs leave such files."""
    (home / ".local/share/Trash/files").mkdir()
    (home / ".local/share/Trash/files/a.py").write_text("another\n")
    await opened(root, HOME=home).change([gone()])
    assert (home / ".local/share/Trash/files/a.py").read_text() == "another\n"
    assert [path.name for path in (home / ".local/share/Trash/info").iterdir()] == ["a 2.py.trashinfo"]


async def test_trash_of_another_data_folder_counts(root: Path, home: Path, tmp_path: Path) -> None:
    (tmp_path / "data/Trash").mkdir(parents=True)
    await opened(root, HOME=home, XDG_DATA_HOME=tmp_path / "data").change([gone()])
    assert (tmp_path / "data/Trash/files/a.py").exists()


@pytest.mark.parametrize("kind", ["none", "link", "file"])
async def test_file_is_deleted_where_there_is_no_trash(root: Path, home: Path, kind: str) -> None:
    """A headless machine has none, and a link is none: it could lead anywhere."""
    trash = home / ".local/share/Trash"
    trash.rmdir()
    if kind == "link":
        trash.symlink_to(root)
    elif kind == "file":
        trash.write_text("")
    (change,) = await opened(root, HOME=home).change([gone()])
    assert (change.change, change.trashed) == ("deleted", False)
    assert sorted(path.name for path in root.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="needs a second file system")
@pytest.mark.parametrize("own", [True, False])
async def test_file_on_another_file_system_goes_to_the_trash_of_that_one(home: Path, own: bool) -> None:
    """Nothing is copied to another disk, and no trash is made where the user has none."""
    folder = Path("/dev/shm") / f"agls-trash-{os.getpid()}"
    trash = Path(f"/dev/shm/.Trash-{os.getuid()}")
    made = own and not trash.exists()
    folder.mkdir()
    try:
        if made:
            trash.mkdir(mode=0o700)
        (folder / "a.py").write_text("x = 1\n")
        name = f"only-here-{os.getpid()}.py"
        (folder / "a.py").rename(folder / name)
        (change,) = await opened(folder, HOME=home).change([gone(name)])
        assert not (folder / name).exists()
        assert change.trashed is (own or trash.exists())
        assert not (home / ".local/share/Trash/files").exists()
        if own:
            note = (trash / f"info/{name}.trashinfo").read_text()
            assert f"Path={folder.name}/{name}\n" in note, "relative to the top of its file system"
            (trash / f"files/{name}").unlink()
            (trash / f"info/{name}.trashinfo").unlink()
    finally:
        folder.rmdir()
        if made:
            (trash / "files").rmdir()
            (trash / "info").rmdir()
            trash.rmdir()


async def test_file_that_was_changed_meanwhile_is_not_deleted(root: Path, home: Path) -> None:
    (root / "a.py").write_text("y = 2\n")
    with pytest.raises(Stale, match="changed in the meantime"):
        await opened(root, HOME=home).change([gone()])
    assert (root / "a.py").exists()
    assert not (home / ".local/share/Trash/files").exists()


async def test_trash_is_not_used_where_it_is_not_wanted(root: Path, home: Path) -> None:
    (change,) = await opened(root, HOME=home).change([gone(trash=False)])
    assert (change.trashed, (root / "a.py").exists()) == (False, False)
