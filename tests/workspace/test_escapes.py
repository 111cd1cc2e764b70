"""No path leads out of the workspace: every way of spelling it, every operation, and races."""

import errno
import os
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from agls.engine.ports import Command, PathOutside, Workspace, WorkspaceError
from agls.engine.vocabulary import FileVersion
from agls.workspace import handles
from support.fake_editor import FakeEditor
from support.walks import found

from .conftest import CANARY

pytestmark = pytest.mark.promise("P4")

SPELLINGS = {
    "absolute": "{outside}/canary.txt",
    "double slash": "//{outside}/canary.txt",
    "parent": "../elsewhere/canary.txt",
    "parent from below": "src/../../elsewhere/canary.txt",
    "parent from a missing folder": "nowhere/../../elsewhere/canary.txt",
    "parent after dots": "./././../elsewhere/canary.txt",
    "absolute through the root": "{root}/../elsewhere/canary.txt",
    "many parents": "../" * 60 + "{outside}/canary.txt",
    "sibling with the same prefix": "{root}-evil/canary.txt",
    "link to a file": "link.txt",
    "link to a folder": "folder/canary.txt",
    "link to a folder, relative": "relative/canary.txt",
    "link to a link": "chain/canary.txt",
    "link in a linked folder": "src/inner/chain/canary.txt",
    "parent after a link": "folder/../elsewhere/canary.txt",
    "link to the parent": "up/elsewhere/canary.txt",
    "link to /": "slash{outside}/canary.txt",
    "dangling link": "dangling/new.txt",
    "magic link to the root": "/proc/self/root{outside}/canary.txt",
    "magic link to the folder": "/proc/self/cwd/../canary.txt",
    "link to a magic link": "magic{outside}/canary.txt",
    "descriptor": "/dev/fd/0",
    "descriptor of the process": "/proc/self/fd/0",
    "standard input": "/dev/stdin",
    "memory": "/proc/self/mem",
    "environment": "/proc/self/environ",
    "device": "/dev/zero",
    "uri": "file://{outside}/canary.txt",
    "uri with dots": "file://{root}/../elsewhere/canary.txt",
    "uri with encoded dots": "file://{root}/%2e%2e/elsewhere/canary.txt",
    "uri with encoded slashes": "file://{root}/..%2felsewhere%2fcanary.txt",
    "uri with an encoded NUL": "file://{root}/a%00/../../elsewhere/canary.txt",
    "uri of another machine": "file://evil.example{outside}/canary.txt",
    "uri in capitals": "FILE://{outside}/canary.txt",
    "NUL": "src\0/../../elsewhere/canary.txt",
    "NUL at the end": "{outside}/canary.txt\0.py",
    "surrogate": "\ud800/../../elsewhere/canary.txt",
    "password file": "/etc/passwd",
    "too long": "a/" * 20_000 + "../" * 20_000 + "../elsewhere/canary.txt",
}  # fmt: skip
NAMES_OF_NOTHING = {
    "home": "~/canary.txt",
    "home of somebody": "~root/canary.txt",
    "variable": "$HOME/canary.txt",
    "braced variable": "${HOME}/canary.txt",
    "backslashes": "..\\elsewhere\\canary.txt",
    "drive": "C:\\canary.txt",
    "UNC": "\\\\server\\share\\canary.txt",
    "stream": "src/a.py::$DATA",
    "glob": "../elsewher?/canary.txt"[3:],
    "braces": "{a,b}/canary.txt",
    "command": "$(id)/canary.txt",
    "full-width dots": "．．/elsewhere/canary.txt",
    "one-dot leader": "․․/elsewhere/canary.txt",
    "fraction slash": "..⁄elsewhere⁄canary.txt",
    "encoded dots in a plain path": "%2e%2e/elsewhere/canary.txt",
    "overlong": "..\u00c0\u00af/canary.txt",
    "three dots": ".../canary.txt",
    "trailing space": ".. /canary.txt",
    "newline": "..\n/canary.txt",
    "uri without a slash": "file:canary.txt",
    "other scheme": "https://example.org/canary.txt",
    "untitled": "untitled:canary.txt",
}
NEW = "somebody wrote this"
Operation = Callable[[Workspace, str], Awaitable[object]]


async def _overwrite(workspace: Workspace, path: str) -> object:
    return await workspace.write(path, NEW, expected=FileVersion("0" * 64))


OPERATIONS: dict[str, Operation] = {
    "read": lambda workspace, path: workspace.read(path),
    "create": lambda workspace, path: workspace.write(path, NEW, expected=None),
    "overwrite": _overwrite,
    "list": lambda workspace, path: workspace.list(path),
    "walk": found,
    "run": lambda workspace, path: workspace.run(Command(("touch", "pwned"), cwd=path), lambda text: None),
}


@pytest.fixture
def trap(root: Path, outside: Path) -> Path:
    """A workspace full of links that lead out of it."""
    evil = root.with_name("repo-evil")
    evil.mkdir()
    (evil / "canary.txt").write_text(CANARY)
    (root / "src" / "inner").mkdir(parents=True)
    (root / "src" / "a.py").write_text("a = 1\n")
    links = {
        "link.txt": outside / "canary.txt",
        "folder": outside,
        "relative": "../elsewhere",
        "chain": "folder",
        "src/inner/chain": "../../chain",
        "up": "..",
        "slash": "/",
        "dangling": outside / "missing",
        "magic": "/proc/self/root",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    return root


def _snapshot(folder: Path) -> dict[str, str]:
    return {str(path): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("case", SPELLINGS)
async def test_nothing_outside_is_touched(
    trap: Path, outside: Path, workspace: Workspace, case: str, operation: str
) -> None:
    before = _snapshot(outside)
    path = SPELLINGS[case].format(root=trap, outside=outside)
    with pytest.raises(WorkspaceError) as refusal:
        await OPERATIONS[operation](workspace, path)
    assert "canary" not in str(refusal.value) or "secret" not in str(refusal.value)
    assert _snapshot(outside) == before
    assert not (outside / "missing").exists()


@pytest.mark.parametrize("case", NAMES_OF_NOTHING)
async def test_odd_names_are_ordinary_names_in_the_workspace(
    trap: Path, outside: Path, workspace: Workspace, case: str
) -> None:
    path = NAMES_OF_NOTHING[case]
    assert workspace.place(path).inside
    with pytest.raises(WorkspaceError):
        await workspace.read(path)
    await workspace.write(path, NEW, expected=None)
    assert (await workspace.read(path)).text == NEW
    assert _snapshot(outside) == {str(outside / "canary.txt"): CANARY}


async def test_the_refusal_says_what_to_do(workspace: Workspace, root: Path) -> None:
    with pytest.raises(PathOutside, match=r"/etc/passwd is outside the workspace .* ask the user to allow"):
        await workspace.read("/etc/passwd")


async def test_open_document_outside_the_workspace_is_ignored(
    workspace: Workspace, editor: FakeEditor, outside: Path
) -> None:
    uri = (outside / "canary.txt").as_uri()
    editor.open(uri, "changed")
    assert workspace.unsaved() == []
    with pytest.raises(PathOutside):
        await workspace.read(uri)
    with pytest.raises(PathOutside):
        await workspace.write(uri, NEW, expected=None)
    assert editor.labels == []


async def test_a_hard_link_does_not_carry_a_write_out(
    workspace: Workspace, root: Path, outside: Path
) -> None:
    os.link(outside / "canary.txt", root / "hard.txt")
    seen = await workspace.read("hard.txt")
    await workspace.write("hard.txt", NEW, expected=seen.version)
    assert (root / "hard.txt").read_text() == NEW
    assert (outside / "canary.txt").read_text() == CANARY


async def test_allow_means_exactly_one_path(workspace: Workspace, root: Path, outside: Path) -> None:
    (outside / "other.txt").write_text("other")
    workspace.allow(f"{root}/../elsewhere/canary.txt")
    seen = await workspace.read(str(outside / "canary.txt"))
    assert seen.text == CANARY
    assert seen.place.shown == str(outside / "canary.txt")
    assert not seen.place.inside
    await workspace.write(str(outside / "canary.txt"), NEW, expected=seen.version)
    assert (outside / "canary.txt").read_text() == NEW
    for other in (outside / "other.txt", outside, outside / "canary.txt" / "x"):
        with pytest.raises(PathOutside):
            await workspace.read(str(other))


async def test_an_allowed_folder_is_listed_but_no_place_for_commands(
    workspace: Workspace, outside: Path
) -> None:
    workspace.allow(str(outside))
    assert [entry.name for entry in await workspace.list(str(outside))] == ["canary.txt"]
    with pytest.raises(PathOutside):
        await workspace.run(Command(("true",), cwd=str(outside)), lambda text: None)


async def test_pipes_sockets_and_devices_are_refused_at_once(workspace: Workspace, root: Path) -> None:
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(root / "socket"))
        for name in ("pipe", "socket"):
            with pytest.raises(WorkspaceError, match="not a regular file"):
                await workspace.read(name)
            with pytest.raises(WorkspaceError, match="not a regular file"):
                await workspace.write(name, NEW, expected=None)


async def test_links_that_stay_inside_are_followed_and_kept(workspace: Workspace, root: Path) -> None:
    (root / "real").mkdir()
    (root / "real" / "a.txt").write_text("old")
    (root / "alias").symlink_to("real")
    (root / "b.txt").symlink_to("alias/a.txt")
    (root / "new.txt").symlink_to("real/new.txt")
    place = workspace.place("b.txt")
    assert (place.shown, place.path, place.inside) == ("b.txt", str(root / "real" / "a.txt"), True)
    seen = await workspace.read("b.txt")
    await workspace.write("b.txt", "new", expected=seen.version)
    await workspace.write("new.txt", "made", expected=None)
    assert (root / "b.txt").is_symlink()
    assert (root / "real" / "a.txt").read_text() == "new"
    assert (root / "real" / "new.txt").read_text() == "made"


async def test_a_loop_of_links_ends(workspace: Workspace, root: Path) -> None:
    (root / "a").symlink_to("b")
    (root / "b").symlink_to("a")
    for operation in OPERATIONS.values():
        with pytest.raises(WorkspaceError):
            await operation(workspace, "a")
        with pytest.raises(WorkspaceError):
            await operation(workspace, "a/x")


@pytest.fixture(params=["openat2", "walk"])
def opening(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Both ways of opening beneath a folder."""
    if request.param == "walk":
        monkeypatch.setattr(handles, "has_openat2", lambda: False)
    elif not handles.has_openat2():
        pytest.skip("this kernel has no openat2")
    yield request.param


@pytest.mark.parametrize("name", ["file", "folder/file", "folder/../file", "up/file", "loop"])
def test_a_link_is_never_followed_while_opening(root: Path, outside: Path, opening: str, name: str) -> None:
    (outside / "file").write_text(CANARY)
    (root / "file").symlink_to(outside / "file")
    (root / "folder").symlink_to(outside)
    (root / "up").symlink_to("..")
    (root / "loop").symlink_to("loop")
    with handles.opened(os.open(root, os.O_RDONLY)) as folder, pytest.raises(OSError, match=r"\[Errno"):
        os.close(handles.open_beneath(folder, name.split("/"), os.O_RDONLY))


def test_path_without_links_is_opened(root: Path, opening: str) -> None:
    deep = root / "a" / "b"
    deep.mkdir(parents=True)
    (deep / "c").write_text("found")
    with (
        handles.folder_beneath(str(root), ("a",)) as folder,
        handles.opened(handles.open_beneath(folder, ("b", "c"), os.O_RDONLY)) as file,
    ):
        assert os.read(file, 10) == b"found"


def test_a_kernel_without_openat2_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(folder: int, path: bytes, flags: int) -> int:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    handles.has_openat2.cache_clear()
    with monkeypatch.context() as old:
        old.setattr(handles, "_openat2", refuse)
        assert not handles.has_openat2()
        with handles.folder_beneath("/", ("proc", "sys")) as folder:
            assert os.fstat(folder)
    handles.has_openat2.cache_clear()


def test_a_path_longer_than_the_kernel_takes_is_walked(root: Path) -> None:
    parts = ("d" * 200,) * 30
    with handles.folder_beneath(str(root), parts, create=True) as folder:
        handle = os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=folder)
        os.close(handle)
    with handles.folder_beneath(str(root), parts) as folder:
        assert os.stat("file", dir_fd=folder).st_size == 0


async def test_a_racing_swapper_of_links_gets_nothing(
    workspace: Workspace, root: Path, outside: Path, opening: str
) -> None:
    (outside / "file.txt").write_text(CANARY)
    (root / "good").mkdir()
    (root / "good" / "file.txt").write_text("inside\n")
    stop = threading.Event()

    def swap() -> None:
        for number in count():
            if stop.wait(0.001 if number % 100 == 0 else 0):  # now and then it is a folder for a while
                return
            (root / "good").rename(root / "away")
            (root / "good").symlink_to(outside)
            (root / "good").unlink()
            (root / "away").rename(root / "good")

    swapper = threading.Thread(target=swap)
    swapper.start()
    read = refused = 0
    try:
        for attempt in count():
            if attempt >= 1500 and read and refused:
                break
            try:
                seen = await workspace.read("good/file.txt")
                assert seen.text != CANARY
                read += 1
                if attempt % 3 == 0:
                    await workspace.write("good/file.txt", f"inside {attempt}\n", expected=seen.version)
            except WorkspaceError:
                refused += 1
    finally:
        stop.set()
        swapper.join()
    assert _snapshot(outside) == {str(outside / n): CANARY for n in ("canary.txt", "file.txt")}
