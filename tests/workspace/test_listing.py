"""Listing folders, and finding every file that is not ignored."""

import asyncio
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agls.engine.ports import Workspace, WorkspaceError
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.fake_editor import FakeEditor
from support.patience import within
from support.walks import found


def _plant(root: Path, *files: str, **contents: str) -> None:
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")


def _write(root: Path, name: str, *lines: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text("\n".join(lines) + "\n")


async def test_a_folder_is_listed_with_kinds_and_sizes(workspace: Workspace, root: Path) -> None:
    _plant(root, "b.txt", "sub/x", ".git/config", ".hidden")
    (root / "link").symlink_to("/etc")
    os.mkfifo(root / "pipe")
    entries = [(entry.name, entry.kind, entry.size) for entry in await workspace.list()]
    assert entries == [
        (".git", "dir", 0),
        (".hidden", "file", 1),
        ("b.txt", "file", 1),
        ("link", "link", 0),
        ("pipe", "other", 0),
        ("sub", "dir", 0),
    ]


async def test_a_name_that_is_not_utf8_is_listed_but_not_offered(workspace: Workspace, root: Path) -> None:
    try:
        (root / "bad\udcff").write_text("x")
    except OSError:
        pytest.skip("this file system wants UTF-8")
    assert [entry.name for entry in await workspace.list()] == ["bad\\xff"]
    assert await found(workspace) == []


async def test_ignore_files_hold_where_they_lie_and_the_nearest_wins(
    workspace: Workspace, root: Path
) -> None:
    _plant(
        root, "a.log", "keep.log", "src/a.log", "src/keep.log", "src/b.py", "build/out.o", "src/build/x.py",
        "node_modules/m/index.js", "docs/draft.md", "docs/final.md", "docs/deep/draft.md", "only-git.txt",
    )  # fmt: skip
    _write(root, ".gitignore", "*.log", "!keep.log", "/build/", "node_modules", "only-git.txt")
    _write(root, "src/.gitignore", "keep.log", "!a.log")
    _write(root, "docs/.gitignore", "draft.md", "!deep/draft.md")
    _write(root, ".ignore", "!only-git.txt")
    assert await found(workspace) == [
        ".gitignore", ".ignore", "docs/.gitignore", "docs/deep/draft.md", "docs/final.md", "keep.log",
        "only-git.txt", "src/.gitignore", "src/a.log", "src/b.py", "src/build/x.py",
    ]  # fmt: skip


async def test_ignore_file_of_the_agent_is_the_strongest_of_its_folder(
    workspace: Workspace, root: Path
) -> None:
    _plant(root, "a.log", "notes/n.md", "fixtures/f.txt", "src/b.py", "src/c.py", "src/deep/b.py")
    _write(root, ".gitignore", "*.log", "notes/")
    _write(root, ".ignore", "!a.log")
    _write(root, ".aglsignore", "a.log", "!notes/", "fixtures/")
    _write(root, "src/.aglsignore", "/b.py")
    assert await found(workspace) == [
        ".aglsignore", ".gitignore", ".ignore", "notes/n.md", "src/.aglsignore", "src/c.py", "src/deep/b.py",
    ]  # fmt: skip
    assert await found(workspace, "fixtures") == ["fixtures/f.txt"]


async def test_the_repository_s_own_exclude_file_is_the_weakest(workspace: Workspace, root: Path) -> None:
    _plant(root, "mine.txt", "secret.txt", "sub/.git/HEAD", "sub/x")
    _write(root, ".git/info/exclude", "*.txt")
    _write(root, ".gitignore", "!mine.txt")
    assert await found(workspace) == [".gitignore", "mine.txt", "sub/x"]


async def test_ignored_folder_is_walked_when_asked_for_by_name(workspace: Workspace, root: Path) -> None:
    _plant(root, "vendor/lib/a.c", "vendor/lib/b.log", "src/c.c", "src/d.log")
    _write(root, ".gitignore", "vendor", "*.log")
    assert await found(workspace, "vendor/lib") == ["vendor/lib/a.c", "vendor/lib/b.log"]
    assert await found(workspace, "src") == ["src/c.c"]
    assert await found(workspace, "src/d.log") == ["src/d.log"]


async def test_links_are_not_followed(workspace: Workspace, root: Path, outside: Path) -> None:
    _plant(root, "real/a")
    (root / "alias").symlink_to("real")
    (root / "away").symlink_to(outside)
    (root / ".gitignore").symlink_to(outside / "canary.txt")
    assert await found(workspace) == ["real/a"]


async def test_file_left_by_a_killed_write_is_hidden_and_can_be_removed(
    workspace: OpenWorkspace, root: Path
) -> None:
    _plant(root, "sub/.agls-write-0123", "sub/.agls-write-4567", "a")
    os.utime(root / "sub" / ".agls-write-0123", (0, 0))
    assert await found(workspace) == ["a"]
    assert await workspace.clean() == ["sub/.agls-write-0123"]
    assert [entry.name for entry in await workspace.list("sub")] == [".agls-write-4567"]


async def test_file_left_by_a_dead_process_is_removed_at_once(workspace: OpenWorkspace, root: Path) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    _plant(root, f".agls-write-{gone.pid}-1", f".agls-write-{os.getpid()}-2", ".agls-write-x-3")
    assert await workspace.clean() == [f".agls-write-{gone.pid}-1"]


async def test_a_file_that_vanishes_while_it_is_listed_has_no_size(
    workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _plant(root, "a")
    real = os.scandir

    @contextmanager
    def scandir(folder: int) -> Iterator[list[os.DirEntry[str]]]:
        with real(folder) as entries:
            found = list(entries)
        (root / "a").unlink()
        yield found

    monkeypatch.setattr(os, "scandir", scandir)
    assert [(entry.name, entry.size) for entry in await workspace.list()] == [("a", 0)]


async def test_an_ignore_file_that_is_no_file_is_passed_over(workspace: Workspace, root: Path) -> None:
    _plant(root, "a")
    (root / ".gitignore").mkdir()
    os.mkfifo(root / ".ignore")
    assert await found(workspace) == ["a"]


async def test_a_folder_that_may_not_be_read_is_passed_over(
    workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _plant(root, "a", "closed/b")
    real = os.scandir

    def scandir(folder: int) -> object:
        if "closed" in str(Path(f"/proc/self/fd/{folder}").readlink()):
            raise PermissionError
        return real(folder)

    monkeypatch.setattr(os, "scandir", scandir)
    assert await found(workspace) == ["a"]
    with pytest.raises(WorkspaceError):
        await found(workspace, "closed")


async def test_listing_of_a_missing_folder_is_refused(workspace: Workspace) -> None:
    for operation in (found(workspace, "missing"), workspace.list("missing")):
        with pytest.raises(WorkspaceError, match="missing does not exist"):
            await operation


async def test_a_tree_500_deep_is_walked(workspace: Workspace, root: Path) -> None:
    here = os.open(root, os.O_RDONLY)
    for _ in range(500):
        os.mkdir("folder", dir_fd=here)
        deeper = os.open("folder", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(os.open("leaf", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
    assert await found(workspace) == ["folder/" * 500 + "leaf"]
    assert (await workspace.read("folder/" * 500 + "leaf")).text == ""


async def test_a_large_tree_is_walked_while_the_loop_runs_and_can_be_left(
    workspace: Workspace, root: Path
) -> None:
    _write(root, ".gitignore", "*.o", "dist", "*.pyc")
    for folder in range(100):
        (root / f"f{folder:03}").mkdir()
        for file in range(100):
            os.close(os.open(root / f"f{folder:03}" / f"{file}.py", os.O_CREAT | os.O_WRONLY))
    assert len(await found(workspace)) == 10_001
    for watch in within(0.15):
        with watch, pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await found(workspace)


async def test_files_of_another_root_have_absolute_names(
    root: Path, tmp_path: Path, processes: Processes
) -> None:
    _plant(root, "a", "nested/b")
    _plant(tmp_path / "lib", "c")
    extra = [str(tmp_path / "lib"), str(root / "nested")]
    workspace = OpenWorkspace(str(root), extra, FakeEditor(), processes)
    assert workspace.roots == (str(root), *extra)
    assert workspace.root == str(root)
    assert await found(workspace) == ["a", "nested/b"]
    assert await found(workspace, extra[0]) == [str(tmp_path / "lib" / "c")]
    assert workspace.place("../lib/c").inside
    assert workspace.place(str(tmp_path / "lib" / "c")).shown == str(tmp_path / "lib" / "c")
    assert workspace.place("nested/b").shown == "nested/b"


async def test_a_tree_of_3_000_levels_does_not_hold_up_a_walk(workspace: Workspace, root: Path) -> None:
    handles = [os.open(root, os.O_RDONLY)]
    for depth in range(3_000):
        if depth in (0, 1_000, 2_000, 2_500):
            os.close(os.open("leaf", os.O_CREAT | os.O_WRONLY, dir_fd=handles[-1]))
        os.mkdir("x", dir_fd=handles[-1])
        handles.append(os.open("x", os.O_RDONLY, dir_fd=handles[-1]))
        os.close(handles.pop(0))
    os.close(handles.pop())
    for watch in within(4.0):
        with watch:
            names = await found(workspace)
    assert [name.count("/") for name in names] == [0, 1_000, 2_000], (
        "the others nobody can open by their path"
    )
    assert all([(await workspace.read(name)).text == "" for name in names])
    subprocess.run(("rm", "-rf", str(root / "x")), check=True)  # Python would recurse


async def test_hidden_files_are_in_no_list(
    tmp_path: Path, root: Path, editor: FakeEditor, processes: Processes
) -> None:
    _plant(root, "a.txt", "secrets/key", "secrets/deep/key", "src/b.py")
    _plant(tmp_path, "second/secrets/key", "second/c.txt")
    (tmp_path / "alias").symlink_to(root)
    for name in ("secrets/new", "src/new.py", "a.txt"):
        editor.open((root / name).as_uri(), "unsaved")
    named = str(tmp_path / "alias")
    hidden = (
        "secrets(/.*)?",
        re.escape(f"{named}/src/by the name of the link"),
        re.escape(f"{root}/src/real"),
    )
    _plant(root, "src/by the name of the link", "src/real")
    workspace = OpenWorkspace(named, (str(tmp_path / "second"),), editor, processes, hidden=hidden)
    assert await found(workspace) == ["a.txt", "src/b.py", "src/new.py"]
    assert await found(workspace, str(tmp_path / "second")) == [str(tmp_path / "second" / "c.txt")]
    assert [entry.name for entry in await workspace.list()] == ["a.txt", "src"]
    assert (
        workspace.unsaved() == [file.place.shown for file in workspace.buffers()] == ["src/new.py", "a.txt"]
    )
    assert (await workspace.read("secrets/key")).text == "x", "that is for the permissions to judge"
    (root / "secrets/.agls-write-0123456789abcdef").write_text("left over")
    os.utime(root / "secrets/.agls-write-0123456789abcdef", (1, 1))
    assert await workspace.clean() == ["secrets/.agls-write-0123456789abcdef"]
