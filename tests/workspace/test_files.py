"""Reading and writing files on the disk: nothing lost, nothing torn, nothing left over."""

import asyncio
import codecs
import errno
import os
import stat
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from agls.engine.ports import Stale, Workspace, WorkspaceError
from agls.engine.vocabulary import FileVersion
from agls.workspace.decoding import Binary, decode
from agls.workspace.processes import Processes
from agls.workspace.texts import encode, hash_of
from agls.workspace.workspace import OpenWorkspace
from support.fake_editor import FakeEditor
from support.patience import TRIES

pytestmark = pytest.mark.promise("P12")

LINE = st.sampled_from([b"\n", b"\r\n", b"\r", b"word", b"\xc3\xa4", b"\xe9", b"x = 1", b"\t", b""])
BODY = st.lists(LINE, max_size=20).map(b"".join)
MARKED = st.sampled_from([b"", codecs.BOM_UTF8])
UTF16 = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20).map(
    lambda text: codecs.BOM_UTF16_LE + text.encode("utf-16-le")
)


def everything(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*")}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.one_of(st.tuples(MARKED, BODY).map(b"".join), UTF16, st.binary(max_size=60)),
    at=st.integers(0, 60),
)
@example(data=b"a\r\nb\nc\rd", at=3)
def test_every_byte_outside_the_edit_is_kept(root: Path, data: bytes, at: int) -> None:
    file = root / "file"
    file.write_bytes(data)
    workspace = OpenWorkspace(str(root), (), FakeEditor(), Processes())

    async def edit() -> None:
        seen = await workspace.read("file")
        assert seen.version.hash == hash_of(data)
        text = seen.text[:at] + "EDIT" + seen.text[at:]
        change = await workspace.write("file", text, expected=seen.version)
        encoding = decode(data)[1]
        offset = len(encode(seen.text[:at], encoding))
        inserted = "EDIT".encode(encoding.name)
        assert file.read_bytes() == data[:offset] + inserted + data[offset:]
        assert change.result.hash == hash_of(file.read_bytes())
        back = await workspace.write("file", seen.text, expected=change.result)
        assert back.result == seen.version
        assert file.read_bytes() == data

    try:
        decode(data)
    except Binary:
        with pytest.raises(WorkspaceError, match="not a text file"):
            asyncio.run(edit())
        assert file.read_bytes() == data
    else:
        asyncio.run(edit())


async def test_a_new_file_is_made_with_its_folders(workspace: Workspace, root: Path) -> None:
    change = await workspace.write("a/b/c.txt", "x\ny", expected=None)
    file = root / "a" / "b" / "c.txt"
    assert file.read_bytes() == b"x\ny"
    assert stat.S_IMODE(file.stat().st_mode) == 0o666 & ~_umask()
    assert (change.change, change.via, change.uri) == ("added", "disk", file.as_uri())
    assert (change.base, change.result) == (FileVersion(), FileVersion(hash_of(b"x\ny")))
    assert (change.insertions, change.deletions) == (2, 0)
    assert everything(root) == {"a", "b", "c.txt"}


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o640])
async def test_mode_owner_and_attributes_are_kept(workspace: Workspace, root: Path, mode: int) -> None:
    file = root / "tool.sh"
    file.write_text("old")
    file.chmod(mode)
    tagged = True
    try:
        os.setxattr(file, "user.note", b"kept")
    except OSError:
        tagged = False
    owner = (12345, 12345) if os.geteuid() == 0 else (os.geteuid(), os.getegid())
    os.chown(file, *owner)
    seen = await workspace.read("tool.sh")
    assert seen.mode == mode
    change = await workspace.write("tool.sh", "new", expected=seen.version, label="Edit")
    status = file.stat()
    assert (stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid) == (mode, *owner)
    assert not tagged or os.getxattr(file, "user.note") == b"kept"
    assert (change.change, change.base, change.insertions, change.deletions) == (
        "modified",
        seen.version,
        1,
        1,
    )
    assert "-old\n" in change.patch


async def test_writing_what_is_there_already_leaves_the_file_alone(workspace: Workspace, root: Path) -> None:
    (root / "a").write_text("same")
    before = (root / "a").stat()
    seen = await workspace.read("a")
    change = await workspace.write("a", "same", expected=seen.version)
    assert (root / "a").stat().st_ino == before.st_ino
    assert (change.patch, change.result) == ("", seen.version)


async def test_a_file_that_changed_since_it_was_read_is_not_overwritten(
    workspace: Workspace, root: Path
) -> None:
    (root / "a").write_text("one")
    seen = await workspace.read("a")
    (root / "a").write_text("two")
    with pytest.raises(Stale, match=r"changed in the meantime. Read it again"):
        await workspace.write("a", "mine", expected=seen.version)
    (root / "a").unlink()
    with pytest.raises(Stale, match="does not exist any more"):
        await workspace.write("a", "mine", expected=seen.version)
    assert everything(root) == set()


async def test_a_file_that_exists_is_not_created_again(workspace: Workspace, root: Path) -> None:
    (root / "a").write_text("one")
    for absent in (None, FileVersion()):
        with pytest.raises(Stale, match="exists already"):
            await workspace.write("a", "mine", expected=absent)
    assert (root / "a").read_text() == "one"


@pytest.mark.parametrize("expected", ["absent", "seen"])
async def test_change_just_before_the_rename_is_noticed(
    workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch, expected: str
) -> None:
    if expected == "seen":
        (root / "a").write_text("one")
    version = (await workspace.read("a")).version if expected == "seen" else None
    _before(monkeypatch, "fsync", lambda: (root / "a").write_text("theirs"))
    with pytest.raises(Stale):
        await workspace.write("a", "mine", expected=version)
    assert (root / "a").read_text() == "theirs"
    assert everything(root) == {"a"}


async def test_a_file_removed_just_before_the_rename_stays_removed(
    workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a").write_text("one")
    seen = await workspace.read("a")
    _before(monkeypatch, "fsync", lambda: (root / "a").unlink(missing_ok=True))
    with pytest.raises(Stale, match="removed or changed"):
        await workspace.write("a", "mine", expected=seen.version)
    assert everything(root) == set()


def _before(monkeypatch: pytest.MonkeyPatch, name: str, action: Callable[[], object]) -> None:
    real = getattr(os, name)

    def call(*arguments: object, **options: object) -> object:
        action()
        return real(*arguments, **options)

    monkeypatch.setattr(os, name, call)


CALLS = [
    (True, "write"),
    (True, "fsync"),
    (True, "fchmod"),
    (True, "rename"),
    (False, "write"),
    (False, "fsync"),
    (False, "link"),
]


@pytest.mark.parametrize(("exists", "call"), CALLS)
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS])
async def test_a_disk_that_refuses_leaves_everything_as_it_was(
    workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch, exists: bool, call: str, code: int
) -> None:
    path = "a" if exists else "new/folder/a"
    if exists:
        (root / "a").write_text("one")
    before = everything(root)
    version = (await workspace.read("a")).version if exists else None

    def fail(*arguments: object, **options: object) -> object:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as broken:
        broken.setattr(os, call, fail)
        with pytest.raises(WorkspaceError, match=path) as refused:
            await workspace.write(path, "mine", expected=version)
    full = f"the disk of {(root / path).parent} is full ("
    assert (full in str(refused.value)) is (code == errno.ENOSPC)
    assert everything(root) == before
    assert not exists or (root / "a").read_text() == "one"
    await workspace.write(path, "mine", expected=version)
    assert (root / path).read_text() == "mine"


async def test_a_write_that_comes_up_short_is_continued(
    workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: real(handle, bytes(data[:3])))
    await workspace.write("a", "0123456789", expected=None)
    assert (root / "a").read_text() == "0123456789"


async def test_a_read_only_file_is_not_written(workspace: Workspace, root: Path) -> None:
    (root / "a").write_text("one")
    (root / "a").chmod(0o444)
    seen = await workspace.read("a")
    with pytest.raises(WorkspaceError, match=r"read-only \(mode 0444\)"):
        await workspace.write("a", "two", expected=seen.version)
    assert (root / "a").read_text() == "one"
    assert everything(root) == {"a"}


async def test_of_many_writers_with_the_same_expectation_one_wins(workspace: Workspace, root: Path) -> None:
    (root / "a").write_text("start")
    seen = await workspace.read("a")

    async def write(number: int) -> str:
        try:
            await workspace.write("a", f"writer {number}", expected=seen.version)
        except Stale:
            return "stale"
        return f"writer {number}"

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(write(number)) for number in range(12)]
    winners = [task.result() for task in tasks if task.result() != "stale"]
    assert winners == [(root / "a").read_text()]
    assert everything(root) == {"a"}


async def test_of_many_creators_one_wins(workspace: Workspace, root: Path) -> None:
    async def create(number: int) -> bool:
        try:
            await workspace.write("deep/a", str(number), expected=None)
        except Stale:
            return False
        return True

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(create(number)) for number in range(12)]
    assert [task.result() for task in tasks].count(True) == 1
    assert everything(root) == {"deep", "a"}


@pytest.mark.parametrize(
    ("name", "make", "says"),
    [
        ("missing", lambda path: None, "does not exist"),
        ("folder", lambda path: path.mkdir(), "is a folder"),
        ("image.png", lambda path: path.write_bytes(b"\x89PNG\0\0"), r"not a text file \(6 bytes\)"),
        ("big", lambda path: path.write_bytes(b"x" * 2001), r"has 2,001 bytes; the limit is 2,000"),
        ("sparse", lambda path: _sparse(path, 1 << 40), r"has 1,099,511,627,776 bytes"),
        ("n" * 300, lambda path: None, "too long"),
    ],
)
async def test_unreadable_file_is_refused_with_the_reason(
    workspace: Workspace, root: Path, name: str, make: Callable[[Path], None], says: str
) -> None:
    make(root / name)
    with pytest.raises(WorkspaceError, match=says):
        await workspace.read(name, max_bytes=2000)


def _sparse(path: Path, size: int) -> None:
    with path.open("wb") as file:
        file.truncate(size)


async def test_a_path_through_a_file_leads_nowhere(workspace: Workspace, root: Path) -> None:
    (root / "a").write_text("one")
    for operation in (workspace.read("a/b"), workspace.list("a"), workspace.write("a/b", "", expected=None)):
        with pytest.raises(WorkspaceError, match="a part of its path is a file, not a folder"):
            await operation
    with pytest.raises(WorkspaceError, match="is a folder"):
        await workspace.read("")


async def test_files_that_lie_about_their_size_are_read_up_to_the_limit(processes: Processes) -> None:
    workspace = OpenWorkspace("/proc/sys/kernel", (), FakeEditor(), processes)
    seen = await workspace.read("ostype")
    assert seen.text == "Linux\n"
    with pytest.raises(WorkspaceError, match="the limit is 3"):
        await workspace.read("ostype", max_bytes=3)


async def test_a_line_of_ten_million_characters_is_read_and_written(workspace: Workspace, root: Path) -> None:
    text = "x" * 10_000_000
    await workspace.write("long", text, expected=None)
    seen = await workspace.read("long")
    change = await workspace.write("long", seen.text + "y", expected=seen.version)
    assert (root / "long").stat().st_size == 10_000_001
    assert len(change.patch) < 210_000


async def test_a_file_system_without_hard_links_still_creates_files(
    workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refuse)
    await workspace.write("a", "one", expected=None)
    assert (root / "a").read_text() == "one"
    _before(monkeypatch, "fsync", lambda: (root / "b").write_text("theirs"))
    with pytest.raises(Stale):
        await workspace.write("b", "mine", expected=None)
    assert (root / "b").read_text() == "theirs"
    assert everything(root) == {"a", "b"}


async def test_the_event_loop_does_not_wait_for_the_disk(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = asyncio.get_running_loop()
    beats: list[float] = []

    async def beat() -> None:
        while True:
            beats.append(loop.time())
            await asyncio.sleep(0.005)

    before, after = "line\n" * 200_000, "Line\n" * 200_000
    worst: list[float] = []
    while not worst or worst[-1] >= 0.1:
        assert len(worst) < TRIES, worst
        beats.clear()
        async with asyncio.TaskGroup() as group:
            heart = group.create_task(beat())
            change = await workspace.write(f"a{len(worst)}", before, expected=None)
            await workspace.write(f"a{len(worst)}", after, expected=change.result)
            await workspace.read(f"a{len(worst)}")
            heart.cancel()
        worst.append(max(late - early for early, late in pairwise(beats)))


@pytest.mark.parametrize(
    ("data", "encoding", "guessed"),
    [
        (b"plain\n", "utf-8", False),
        (codecs.BOM_UTF16_LE + "x\n".encode("utf-16-le"), "utf-16-le", False),
        (b"caf\xe9\n", "latin-1", True),
    ],
)
async def test_a_file_says_how_it_is_encoded(
    workspace: Workspace, root: Path, data: bytes, encoding: str, guessed: bool
) -> None:
    (root / "file").write_bytes(data)
    seen = await workspace.read("file")
    assert (seen.encoding, seen.guessed) == (encoding, guessed)


async def test_editor_gets_reports_of_written_files_only(workspace: Workspace, editor: FakeEditor) -> None:
    change = await workspace.write("new", "x", expected=None)
    await workspace.write("new", "y", expected=change.result)
    with pytest.raises(Stale):
        await workspace.write("new", "z", expected=change.result)
    assert editor.told == [(change.uri, True), (change.uri, False)]
