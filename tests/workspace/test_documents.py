"""The editor's truth: whose text counts when a document is open."""

from pathlib import Path

import pytest

from agls.engine.ports import Command, PathOutside, Stale, Workspace, WorkspaceError
from agls.engine.vocabulary import FileVersion, Focus
from agls.workspace.buffer_sync import Buffer
from agls.workspace.editor import NoEditor
from agls.workspace.processes import Processes
from agls.workspace.texts import hash_of
from agls.workspace.workspace import OpenWorkspace
from support.fake_editor import FakeEditor
from support.walks import found

pytestmark = pytest.mark.promise("P12")


@pytest.fixture
def file(root: Path) -> Path:
    path = root / "a.py"
    path.write_text("disk\n")
    return path


@pytest.fixture
def uri(file: Path) -> str:
    return file.as_uri()


async def test_a_clean_document_is_read_as_it_stands(
    workspace: Workspace, editor: FakeEditor, uri: str
) -> None:
    editor.open(uri, "disk\n")
    seen = await workspace.read("a.py")
    assert (seen.text, seen.source, seen.dirty) == ("disk\n", "buffer", False)
    assert seen.version == FileVersion(hash_of("disk\n"), 1)
    assert workspace.unsaved() == []


async def test_unsaved_text_wins_over_the_disk(workspace: Workspace, editor: FakeEditor, uri: str) -> None:
    editor.open(uri, "disk\n")
    editor.type(uri, "unsaved\n")
    seen = await workspace.read("a.py")
    assert (seen.text, seen.source, seen.dirty, seen.version.version) == ("unsaved\n", "buffer", True, 2)
    assert workspace.unsaved() == ["a.py"]
    assert [(b.text, b.dirty, b.place.uri) for b in workspace.buffers()] == [("unsaved\n", True, uri)]


async def test_an_edit_goes_through_the_editor_and_never_to_the_disk(
    workspace: Workspace, editor: FakeEditor, file: Path, uri: str
) -> None:
    editor.open(uri, "unsaved\n")
    seen = await workspace.read("a.py")
    change = await workspace.write("a.py", "edited\n", expected=seen.version, label="Edit a.py")
    assert editor.labels == ["Edit a.py"]
    buffer = editor.buffer(uri)
    assert buffer is not None
    assert (buffer.text, file.read_text()) == ("edited\n", "disk\n")
    assert (change.via, change.change, change.uri) == ("editor", "modified", uri)
    assert change.base == FileVersion(hash_of("unsaved\n"), 1)
    assert change.result == FileVersion(hash_of("edited\n"), 2)
    assert "-unsaved\n+edited\n" in change.patch
    again = await workspace.write("a.py", "twice\n", expected=change.result)
    assert again.base == change.result


async def test_a_clean_document_gives_way_when_the_disk_changed(
    workspace: Workspace, editor: FakeEditor, file: Path, uri: str
) -> None:
    editor.open(uri, "disk\n")
    await editor.sync.settle()
    file.write_text("changed by a formatter\n")
    seen = await workspace.read("a.py")
    assert (seen.text, seen.source, seen.behind) == ("changed by a formatter\n", "disk", True)
    assert workspace.unsaved() == []
    change = await workspace.write("a.py", "changed by a formatter, then me\n", expected=seen.version)
    assert change.via == "editor"
    assert file.read_text() == "changed by a formatter\n"
    after = await workspace.read("a.py")
    assert (after.text, after.dirty, after.behind) == ("changed by a formatter, then me\n", True, False)
    await workspace.write("a.py", "and again\n", expected=after.version)


async def test_newline_that_the_editor_ends_a_saved_file_with_is_no_difference(
    workspace: Workspace, editor: FakeEditor, file: Path, uri: str
) -> None:
    file.write_text("disk")
    editor.open(uri, "disk")
    editor.type(uri, "typed")
    await editor.sync.settle()
    file.write_text("typed\n")  # of which the document says nothing
    await editor.save([Buffer(uri, 2, "typed")], "", "")
    await editor.sync.settle()
    seen = await workspace.read("a.py")
    assert (seen.text, seen.source, seen.dirty, seen.behind) == ("typed", "buffer", False, False)
    change = await workspace.write("a.py", "mine", expected=seen.version)
    assert change.via == "editor"
    after = await workspace.read("a.py")
    assert (after.text, after.dirty, after.behind) == ("mine", True, False)
    file.write_text("changed\n")
    editor.type(uri, "typed")
    assert (await workspace.read("a.py")).behind


async def test_a_command_makes_us_look_first_so_that_its_changes_are_seen(
    workspace: Workspace, editor: FakeEditor, uri: str
) -> None:
    editor.open(uri, "disk\n")
    await workspace.run(Command(("sh", "-c", "echo new > a.py")), lambda text: None)
    assert (await workspace.read("a.py")).text == "new\n"


async def test_when_both_changed_reading_gives_the_document_and_writing_is_refused(
    workspace: Workspace, editor: FakeEditor, file: Path, uri: str
) -> None:
    editor.open(uri, "disk\n")
    await editor.sync.settle()
    editor.type(uri, "unsaved\n")
    file.write_text("changed\n")
    seen = await workspace.read("a.py")
    assert (seen.text, seen.dirty, seen.behind) == ("unsaved\n", True, True)
    with pytest.raises(Stale, match="unsaved changes in the editor, and it was changed on disk as well"):
        await workspace.write("a.py", "mine\n", expected=seen.version)
    assert workspace.unsaved() == ["a.py"]
    file.write_text("unsaved\n")  # the user saves
    await workspace.write("a.py", "mine\n", expected=seen.version)


async def test_a_version_that_was_not_seen_is_refused(
    workspace: Workspace, editor: FakeEditor, uri: str
) -> None:
    on_disk = await workspace.read("a.py")
    editor.open(uri, "disk\n")
    await workspace.write("a.py", "fine: it was opened clean\n", expected=on_disk.version)
    with pytest.raises(Stale, match="changed in the meantime"):
        await workspace.write("a.py", "not any more\n", expected=on_disk.version)
    with pytest.raises(Stale, match="open in the editor"):
        await workspace.write("a.py", "new\n", expected=None)


async def test_typing_while_the_edit_is_on_its_way_wins(
    workspace: Workspace, editor: FakeEditor, uri: str
) -> None:
    editor.open(uri, "disk\n")
    seen = await workspace.read("a.py")
    editor.meanwhile(lambda: editor.type(uri, "typed\n"))
    with pytest.raises(Stale):
        await workspace.write("a.py", "mine\n", expected=seen.version)
    assert [buffer.text for buffer in editor.buffers()] == ["typed\n"]


async def test_a_document_closed_while_the_edit_is_on_its_way_is_not_written(
    workspace: Workspace, editor: FakeEditor, file: Path, uri: str
) -> None:
    editor.open(uri, "disk\n")
    seen = await workspace.read("a.py")
    editor.meanwhile(lambda: editor.close(uri))
    with pytest.raises(Stale):
        await workspace.write("a.py", "mine\n", expected=seen.version)
    assert file.read_text() == "disk\n"
    await workspace.write("a.py", "mine\n", expected=seen.version)
    assert file.read_text() == "mine\n"


async def test_an_editor_that_refuses_is_believed(workspace: Workspace, editor: FakeEditor, uri: str) -> None:
    editor.open(uri, "disk\n")
    seen = await workspace.read("a.py")
    editor.refuse("the document is read-only")
    with pytest.raises(WorkspaceError, match="the document is read-only"):
        await workspace.write("a.py", "mine\n", expected=seen.version)


async def test_an_editor_that_applies_something_else_is_noticed(
    workspace: Workspace, editor: FakeEditor, uri: str
) -> None:
    editor.open(uri, "disk\n")
    seen = await workspace.read("a.py")
    editor.distort(str.upper)
    with pytest.raises(Stale, match="does not hold the new text"):
        await workspace.write("a.py", "mine\n", expected=seen.version)


async def test_line_ends_that_the_editor_normalises_are_no_change(
    workspace: Workspace, editor: FakeEditor, file: Path, uri: str
) -> None:
    file.write_bytes(b"\xef\xbb\xbfa\r\nb\n")
    editor.open(uri, "a\r\nb\r\n")
    assert workspace.unsaved() == []
    seen = await workspace.read("a.py")
    assert not seen.dirty
    editor.distort(lambda text: text.replace("\r\n", "\n").replace("\n", "\r\n"))
    await workspace.write("a.py", "a\nb\nc\n", expected=seen.version)


async def test_a_document_without_a_file_exists_for_reading_and_listing(
    workspace: Workspace, editor: FakeEditor, root: Path
) -> None:
    for name in ("new.py", "sub/deep.py"):
        editor.open((root / name).as_uri(), f"# {name}\n")
    editor.open("untitled:Untitled-1", "nobody's file")
    editor.open("https://example.org/x", "nor this")
    editor.open("file://server/share", "nor this")
    seen = await workspace.read("new.py")
    assert (seen.text, seen.dirty, seen.mode) == ("# new.py\n", True, 0o644)
    assert await found(workspace) == ["new.py", "sub/deep.py"]
    assert await found(workspace, "sub") == ["sub/deep.py"]
    assert [(e.name, e.kind) for e in await workspace.list()] == [("new.py", "file"), ("sub", "dir")]
    assert [(e.name, e.kind) for e in await workspace.list("sub")] == [("deep.py", "file")]
    assert sorted(workspace.unsaved()) == ["new.py", "sub/deep.py", "untitled:Untitled-1"]
    with pytest.raises(Stale, match="exists already"):
        await workspace.write("new.py", "mine", expected=None)
    await workspace.write("new.py", "mine", expected=seen.version)
    assert not (root / "new.py").exists()


async def test_a_document_larger_than_the_limit_is_refused(
    workspace: Workspace, editor: FakeEditor, uri: str
) -> None:
    editor.open(uri, "x" * 100)
    with pytest.raises(WorkspaceError, match="has 100 bytes; the limit is 99"):
        await workspace.read("a.py", max_bytes=99)


async def test_a_document_whose_file_became_binary_is_read_from_the_editor(
    workspace: Workspace, editor: FakeEditor, file: Path, uri: str
) -> None:
    editor.open(uri, "disk\n")
    await editor.sync.settle()
    file.write_bytes(b"\0\1\2")
    assert (await workspace.read("a.py")).text == "disk\n"


async def test_a_document_opened_under_another_name_of_its_file_is_found(
    tmp_path: Path, root: Path, file: Path, editor: FakeEditor, processes: Processes
) -> None:
    (tmp_path / "link").symlink_to(root)
    workspace = OpenWorkspace(str(tmp_path / "link"), (), editor, processes)
    assert workspace.place("a.py").uri == (tmp_path / "link" / "a.py").as_uri()
    editor.open(file.as_uri(), "unsaved\n")
    seen = await workspace.read("a.py")
    assert (seen.text, seen.place.uri) == ("unsaved\n", file.as_uri())
    await workspace.write("a.py", "mine\n", expected=seen.version)
    assert file.read_text() == "disk\n"


async def test_a_document_closed_and_opened_again_is_judged_anew(
    workspace: Workspace, editor: FakeEditor, file: Path, uri: str
) -> None:
    editor.open(uri, "disk\n")
    await editor.sync.settle()
    editor.close(uri)
    await editor.sync.settle()
    file.write_text("changed\n")
    editor.open(uri, "restored by the editor\n")
    seen = await workspace.read("a.py")
    assert (seen.text, seen.dirty) == ("restored by the editor\n", True)
    await workspace.write("a.py", "mine\n", expected=seen.version)


async def test_a_file_that_is_looked_at_again_unchanged_is_not_read_again(
    workspace: Workspace, editor: FakeEditor, file: Path, uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor.open(uri, "disk\n")
    monkeypatch.setattr("agls.workspace.buffer_sync.is_settled", lambda stamp: True)
    assert workspace.unsaved() == []
    monkeypatch.setattr(
        "agls.workspace.buffer_sync.find_stored", lambda *arguments: pytest.fail("read again")
    )
    assert workspace.unsaved() == []


async def test_without_an_editor_the_disk_is_the_truth(root: Path, file: Path, processes: Processes) -> None:
    editor = NoEditor()
    workspace = OpenWorkspace(str(root), (), editor, processes)
    seen = await workspace.read("a.py")
    assert (seen.text, seen.source) == ("disk\n", "disk")
    assert not workspace.unsaved()
    with pytest.raises(WorkspaceError, match="no editor"):
        await editor.replace(FakeEditor({"file:///x": ""}).buffers()[0], "", "")


# --- who changed, over time ----------------------------------------------------------------------


async def test_a_file_that_was_removed_under_a_clean_document_is_gone(
    workspace: Workspace, editor: FakeEditor, file: Path, uri: str
) -> None:
    editor.open(uri, "disk\n")
    await editor.sync.settle()
    file.unlink()
    with pytest.raises(WorkspaceError, match="does not exist"):
        await workspace.read("a.py")
    assert await found(workspace) == []
    assert workspace.unsaved() == []
    change = await workspace.write("a.py", "made anew\n", expected=None)
    assert (change.via, file.exists()) == ("editor", False)
    assert (await workspace.read("a.py")).text == "made anew\n"


async def test_unsaved_text_of_a_removed_file_is_kept(
    workspace: Workspace, editor: FakeEditor, file: Path, uri: str
) -> None:
    editor.open(uri, "disk\n")
    await editor.sync.settle()
    editor.type(uri, "typed\n")
    file.unlink()
    seen = await workspace.read("a.py")
    assert (seen.text, seen.dirty, seen.behind) == ("typed\n", True, True)
    with pytest.raises(Stale, match="changed on disk as well"):
        await workspace.write("a.py", "mine\n", expected=seen.version)


async def test_text_formatted_after_a_save_is_read_from_the_disk(
    workspace: Workspace, editor: FakeEditor, file: Path, uri: str
) -> None:
    editor.open(uri, "disk\n")
    editor.type(uri, "x=1\n")
    editor.saving = lambda uri: file.write_text("x = 1\n") and None
    await editor.save([editor.buffers()[0]], "ses_1", "a test")
    seen = await workspace.read("a.py")
    assert (seen.text, seen.source, seen.behind) == ("x = 1\n", "disk", True)
    assert editor.told == [(uri, False)]


async def test_a_document_restored_with_unsaved_text_can_still_come_into_conflict(
    workspace: Workspace, editor: FakeEditor, file: Path, uri: str
) -> None:
    editor.open(uri, "restored\n")
    assert not (await workspace.read("a.py")).behind
    file.write_text("pulled\n")
    seen = await workspace.read("a.py")
    assert (seen.text, seen.dirty, seen.behind) == ("restored\n", True, True)


async def test_knowledge_of_a_document_outlives_the_workspace_of_one_run(
    workspace: Workspace, editor: FakeEditor, root: Path, file: Path, uri: str, processes: Processes
) -> None:
    editor.open(uri, "disk\n")
    await workspace.read("a.py")
    file.write_text("checked out\n")
    later = OpenWorkspace(str(root), (), editor, processes)
    assert (await later.read("a.py")).text == "checked out\n"


async def test_an_encoding_that_only_the_editor_knows_is_never_written_as_a_guess(
    workspace: Workspace, editor: FakeEditor, file: Path, uri: str
) -> None:
    file.write_bytes("日本\n".encode("shift-jis"))
    editor.open(uri, "日本\n")
    editor.saving = lambda uri: None
    await editor.save([editor.buffers()[0]], "ses_1", "a test")
    seen = await workspace.read("a.py")
    assert (seen.text, seen.source) == ("日本\n", "buffer")
    file.write_bytes("日本語\n".encode("shift-jis"))
    seen = await workspace.read("a.py")
    assert (seen.text, seen.behind) == ("日本\n", True)
    with pytest.raises(Stale):
        await workspace.write("a.py", "mine\n", expected=seen.version)


async def test_a_document_without_a_name_is_read_and_edited_by_its_uri(
    workspace: Workspace, editor: FakeEditor, root: Path
) -> None:
    editor.open("untitled:Untitled-1", "draft\n")
    assert workspace.place("untitled:Untitled-1").inside
    seen = await workspace.read("untitled:Untitled-1")
    assert (seen.text, seen.dirty) == ("draft\n", True)
    await workspace.write("untitled:Untitled-1", "better\n", expected=seen.version)
    assert (await workspace.read("untitled:Untitled-1")).text == "better\n"
    assert await found(workspace) == list(root.iterdir()) == []
    editor.close("untitled:Untitled-1")
    with pytest.raises(WorkspaceError, match="does not exist"):
        await workspace.read("untitled:Untitled-1")


async def test_untitled_document_outside_the_workspace_is_ignored(
    workspace: Workspace, editor: FakeEditor, outside: Path
) -> None:
    editor.open(f"untitled:{outside}/new.py", "draft\n")
    assert workspace.unsaved() == []
    with pytest.raises(PathOutside):
        await workspace.read(f"{outside}/new.py")


# --- around a command ----------------------------------------------------------------------------


async def test_command_reports_unsaved_files_and_its_changes(
    workspace: Workspace, editor: FakeEditor, root: Path, uri: str
) -> None:
    for name in ("b.py", "c.py", "d.py"):
        (root / name).write_text("disk\n")
        editor.open((root / name).as_uri(), "disk\n")
    editor.open(uri, "disk\n")
    editor.type(uri, "typed\n")
    finished = await workspace.run(Command(("sh", "-c", "for f in a b c; do echo $f > $f.py; done")), str)
    assert finished.unsaved == ("a.py",)
    assert sorted(finished.changed) == ["a.py", "b.py", "c.py"]
    again = await workspace.run(Command(("true",)), str)
    assert (again.unsaved, again.changed) == (("a.py",), ())


async def test_command_sees_what_the_editor_saved_before_it(
    workspace: Workspace, editor: FakeEditor, file: Path, uri: str
) -> None:
    editor.open(uri, "disk\n")
    editor.type(uri, "typed\n")
    editor.saving = lambda uri: file.write_text("typed\n") and None
    assert await workspace.save(workspace.buffers(), "ses_1", "a test") == {}
    finished = await workspace.run(Command(("cat", "a.py")), str)
    assert (finished.output, finished.unsaved, finished.changed) == ("typed\n", (), ())
    assert editor.saves == [[uri]]


def test_focus_is_known_only_inside_the_workspace(root: Path, editor: FakeEditor, uri: str) -> None:
    workspace = OpenWorkspace(str(root), (), editor, Processes(), hidden=("secret.py",))
    assert workspace.focus() is None
    editor.focus = Focus(uri, (2, 3), selected=True)
    assert workspace.focus() == Focus("a.py", (2, 3), selected=True)
    for elsewhere in ((root / "secret.py").as_uri(), (root.parent / "b.py").as_uri(), "http://x/a.py", "\0"):
        editor.focus = Focus(elsewhere)
        assert workspace.focus() is None
