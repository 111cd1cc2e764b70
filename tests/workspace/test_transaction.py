"""Several files changed at once: all of them, or none."""

import asyncio
from pathlib import Path

import pytest

from agls.engine.ports import Stale, WantedFile, WorkspaceError
from agls.engine.vocabulary import FileVersion
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.fake_editor import FakeEditor

pytestmark = pytest.mark.promise("P12")


@pytest.fixture
def workspace(root: Path, editor: FakeEditor, processes: Processes) -> OpenWorkspace:
    for name in ("a", "b", "c"):
        (root / name).write_text(f"{name}\n")
    return OpenWorkspace(str(root), (), editor, processes)


async def wanted(workspace: OpenWorkspace, path: str, text: str | None, source: str = "") -> WantedFile:
    return WantedFile(path, text, (await workspace.read(path)).version, source)


def texts(root: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in root.iterdir()}


BEFORE = {"a": "a\n", "b": "b\n", "c": "c\n"}


async def test_files_are_changed_in_order(workspace: OpenWorkspace, root: Path) -> None:
    files = [
        await wanted(workspace, "a", "A\n"),
        WantedFile("d", None, None, source="b"),
        await wanted(workspace, "b", None),
    ]
    changes = await workspace.change(files)
    assert [change.change for change in changes] == ["modified", "added", "deleted"]
    assert texts(root) == {"a": "A\n", "c": "c\n", "d": "b\n"}


@pytest.mark.parametrize(
    ("path", "expected", "told"),
    [
        ("b", None, "exists already"),
        ("d", FileVersion("0" * 64), "does not exist any more"),
        ("b", FileVersion("0" * 64), "was changed in the meantime"),
    ],
)
async def test_file_that_is_not_as_expected_is_found_before_anything_is_done(
    workspace: OpenWorkspace, root: Path, path: str, expected: FileVersion | None, told: str
) -> None:
    with pytest.raises(Stale, match=told) as problem:
        await workspace.change([await wanted(workspace, "a", "A\n"), WantedFile(path, "x\n", expected)])
    assert problem.value.effects == "none"
    assert texts(root) == BEFORE


async def test_file_that_cannot_be_read_is_found_before_anything_is_done(
    workspace: OpenWorkspace, root: Path
) -> None:
    with (root / "b").open("wb") as sparse:
        sparse.truncate(60_000_000)
    with pytest.raises(WorkspaceError, match="the limit is"):
        await workspace.change([await wanted(workspace, "a", "A\n"), WantedFile("b", None, FileVersion("x"))])
    assert (root / "a").read_text() == "a\n"


async def test_files_that_cannot_be_restored_are_named(
    workspace: OpenWorkspace, root: Path, editor: FakeEditor
) -> None:
    uri = (root / "c").as_uri()
    editor.open(uri, "c\n")

    def interfere() -> None:
        (root / "a").write_text("somebody else's\n")
        editor.type(uri, "typed\n")

    editor.meanwhile(interfere)
    files = [await wanted(workspace, name, f"{name.upper()}\n") for name in ("a", "b", "c")]
    with pytest.raises(Stale, match=r"could not be taken back: a \(a was changed") as problem:
        await workspace.change(files)
    assert problem.value.effects == "partial"
    assert texts(root) == {"a": "somebody else's\n", "b": "b\n", "c": "c\n"}
    assert editor.buffer(uri).text == "typed\n"  # type: ignore[union-attr]


async def test_changes_of_a_cancelled_call_are_undone(
    workspace: OpenWorkspace, root: Path, editor: FakeEditor
) -> None:
    editor.open((root / "c").as_uri(), "c\n")
    files = [await wanted(workspace, name, f"{name.upper()}\n") for name in ("a", "b", "c")]
    call = asyncio.ensure_future(workspace.change(files))

    def cancel() -> None:
        call.cancel()
        editor.refuse()

    editor.meanwhile(cancel)
    with pytest.raises(asyncio.CancelledError):
        await call
    assert texts(root) == BEFORE


async def test_moved_text_keeps_its_encoding_and_its_mode(workspace: OpenWorkspace, root: Path) -> None:
    (root / "a").write_bytes("\ufeffä\r\n".encode("utf-16-le"))
    (root / "a").chmod(0o640)
    files = [WantedFile("d", "ö\r\n", None, source="a"), await wanted(workspace, "a", None)]
    await workspace.change(files)
    assert (root / "d").read_bytes() == "\ufeffö\r\n".encode("utf-16-le")
    assert (root / "d").stat().st_mode & 0o777 == 0o640


async def test_outside_file_is_not_changed(workspace: OpenWorkspace, root: Path, outside: Path) -> None:
    files = [
        await wanted(workspace, "a", "A\n"),
        WantedFile(str(outside / "new.txt"), "x\n", None),
    ]
    with pytest.raises(WorkspaceError, match="outside the workspace"):
        await workspace.change(files)
    with pytest.raises(WorkspaceError, match="outside the workspace"):
        await workspace.change([WantedFile("d", None, None, source=str(outside / "canary.txt"))])
    assert texts(root) == BEFORE
