"""Writing and editing: nothing unseen is changed, and nothing but what was asked for."""

import hashlib
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from agls.engine.ports import Effect, Target
from agls.engine.vocabulary import ToolOutcome
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.fake_editor import FakeEditor
from support.file_tools import file_tools
from support.toolbox import Toolbox

pytestmark = pytest.mark.promise("P12")


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.mark.row(31)
async def test_a_file_that_was_read_can_be_edited(tools: Toolbox, root: Path) -> None:
    """Edit."""
    (root / "a.py").write_text("x = 1\ny = 2\n")
    await tools.call("read_file", path="a.py")
    outcome = await tools.call("edit_file", path="a.py", old_text="x = 1", new_text="x = 3")
    assert (root / "a.py").read_text() == "x = 3\ny = 2\n"
    assert (outcome.status, outcome.effects) == ("completed", "applied")
    assert outcome.text == "Edited a.py, line 1.\n1\tx = 3\n2\ty = 2"
    (change,) = outcome.changes
    assert (change.uri, change.change, change.via) == ((root / "a.py").as_uri(), "modified", "disk")
    assert (change.base.hash, change.result.hash) == (sha(b"x = 1\ny = 2\n"), sha(b"x = 3\ny = 2\n"))


async def test_an_edited_file_can_be_edited_again(tools: Toolbox, root: Path) -> None:
    (root / "a.py").write_text("1 2\n")
    await tools.call("read_file", path="a.py")
    await tools.call("edit_file", path="a.py", old_text="1", new_text="3")
    again = await tools.call("edit_file", path="a.py", old_text="2", new_text="4")
    assert again.status == "completed"
    assert (root / "a.py").read_text() == "3 4\n"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("edit_file", {"old_text": "secret", "new_text": "x"}),
        ("write_file", {"content": "x"}),
    ],
)
async def test_a_file_that_was_not_read_is_not_changed(
    tools: Toolbox, root: Path, name: str, arguments: dict[str, str]
) -> None:
    (root / "a.py").write_text("secret\n")
    outcome = await tools.call(name, path="a.py", **arguments)
    assert outcome == ToolOutcome(
        "a.py was not read in this session. Read it first, then change it.", status="failed"
    )
    assert (root / "a.py").read_text() == "secret\n"


async def test_a_file_that_changed_since_it_was_read_is_not_changed(tools: Toolbox, root: Path) -> None:
    (root / "a.py").write_text("one\n")
    await tools.call("read_file", path="a.py")
    (root / "a.py").write_text("one and more\n")
    for name, arguments in (
        ("edit_file", {"old_text": "one", "new_text": "x"}),
        ("write_file", {"content": "x"}),
    ):
        outcome = await tools.call(name, path="a.py", **arguments)
        assert outcome.text == "a.py has changed since it was read. Read it again, then change it."
    assert (root / "a.py").read_text() == "one and more\n"
    await tools.call("read_file", path="a.py")
    assert (await tools.call("edit_file", path="a.py", old_text="one", new_text="x")).status == "completed"


async def test_file_read_before_a_resume_may_be_edited_after_it(
    tools: Toolbox, root: Path, editor: FakeEditor
) -> None:
    (root / "a.py").write_text("one\n")
    await tools.call("read_file", path="a.py")
    resumed = Toolbox(file_tools(), OpenWorkspace(str(root), (), editor, Processes()))
    resumed.state = tools.state
    outcome = await resumed.call("edit_file", path="./a.py", old_text="one", new_text="two")
    assert outcome.status == "completed"


async def test_reading_the_same_again_is_noted_once(tools: Toolbox, root: Path) -> None:
    (root / "a.py").write_text("one\n")
    await tools.call("read_file", path="a.py")
    await tools.call("read_file", path="a.py")
    assert len(tools.state.notes["files"]) == 1


async def test_a_tool_called_without_the_rooms_wrapper_knows_nothing(tools: Toolbox, root: Path) -> None:
    (root / "a.py").write_text("one\n")
    await tools.call("read_file", path="a.py")
    preview = await tools.preview("edit_file", path="a.py", old_text="one", new_text="two")
    assert preview.title == "Edit a.py"
    assert (root / "a.py").read_text() == "one\n", "a preview has no effect"


async def test_an_edit_goes_through_the_editor_where_the_file_is_open(
    tools: Toolbox, root: Path, editor: FakeEditor
) -> None:
    (root / "a.py").write_text("one\n")
    uri = (root / "a.py").as_uri()
    editor.open(uri, "one unsaved\n")
    await tools.call("read_file", path="a.py")
    outcome = await tools.call("edit_file", path="a.py", old_text="one", new_text="two")
    assert outcome.changes[0].via == "editor"
    assert editor.buffer(uri).text == "two unsaved\n"
    assert (root / "a.py").read_text() == "one\n"
    assert editor.labels == ["Edit a.py"]
    again = await tools.call("edit_file", path="a.py", old_text="two", new_text="three")
    assert again.status == "completed"


async def test_what_the_user_types_meanwhile_is_not_overwritten(
    tools: Toolbox, root: Path, editor: FakeEditor
) -> None:
    (root / "a.py").write_text("one\n")
    uri = (root / "a.py").as_uri()
    editor.open(uri, "one\n")
    await tools.call("read_file", path="a.py")
    editor.meanwhile(lambda: editor.type(uri, "one and typed\n"))
    outcome = await tools.call("edit_file", path="a.py", old_text="one", new_text="two")
    assert (outcome.status, outcome.effects) == ("failed", "none")
    assert "Read a.py again" in outcome.text
    assert editor.buffer(uri).text == "one and typed\n"


async def test_refusal_of_the_editor_is_reported(tools: Toolbox, root: Path, editor: FakeEditor) -> None:
    (root / "a.py").write_text("one\n")
    editor.open((root / "a.py").as_uri(), "one\n")
    await tools.call("read_file", path="a.py")
    editor.refuse("the document is read-only")
    outcome = await tools.call("edit_file", path="a.py", old_text="one", new_text="two")
    assert (outcome.status, outcome.text) == ("failed", "the document is read-only")


@pytest.mark.row(32)
async def test_bytes_outside_the_edit_stay(tools: Toolbox, root: Path) -> None:
    """Encodings survive."""
    before = b"caf\xe9\r\nold\nlast \xfc"
    (root / "a.txt").write_bytes(before)
    await tools.call("read_file", path="a.txt")
    await tools.call("edit_file", path="a.txt", old_text="old", new_text="new")
    assert (root / "a.txt").read_bytes() == before.replace(b"old", b"new")


async def test_change_of_a_long_line_is_shown_where_it_is(tools: Toolbox, root: Path) -> None:
    (root / "m.js").write_text("a" * 9_000 + "OLD" + "b" * 9_000)
    await tools.call("read_file", path="m.js")
    outcome = await tools.call("edit_file", path="m.js", old_text="OLD", new_text="NEW")
    assert "aNEWb" in outcome.text and len(outcome.text) < 400
    twice = await tools.call("edit_file", path="m.js", old_text="aa", new_text="c")
    assert "occurs 4500 times, line 1; nothing" in twice.text


async def test_loose_match_is_reported(tools: Toolbox, root: Path) -> None:
    (root / "a.py").write_text("if a:\n    b()\n    c()\n")
    await tools.call("read_file", path="a.py")
    outcome = await tools.call("edit_file", path="a.py", old_text="b()\nc()", new_text="d()")
    assert outcome.text == snapshot(
        """\
Edited a.py, line 2. old_text was found with other white space; new_text got the file's indentation.
1	if a:
2	    d()\
"""
    )
    assert (root / "a.py").read_text() == "if a:\n    d()\n"


async def test_a_miss_names_the_file_and_shows_what_is_near(tools: Toolbox, root: Path) -> None:
    (root / "a.py").write_text("first()\nsecond(1)\n")
    await tools.call("read_file", path="a.py")
    outcome = await tools.call("edit_file", path="a.py", old_text="second(2)", new_text="x")
    assert outcome.status == "failed"
    assert outcome.text == snapshot("""\
a.py: old_text was not found; nothing was changed.
The nearest lines are:
2	second(1)
Copy old_text from the file, without the line numbers.\
""")


@pytest.mark.row(31)
async def test_a_new_file_is_written_with_its_folders(tools: Toolbox, root: Path) -> None:
    """Write."""
    outcome = await tools.call("write_file", path="src/new/a.py", content="x = 1\n")
    assert (root / "src/new/a.py").read_text() == "x = 1\n"
    assert outcome.text == "Created src/new/a.py."
    assert (outcome.changes[0].change, outcome.effects) == ("added", "applied")
    again = await tools.call("write_file", path="src/new/a.py", content="x = 2\n")
    assert again.text == "Wrote src/new/a.py.", "what the model wrote it knows"


async def test_edit_of_a_file_with_cr_line_ends_shows_its_lines(root: Path, tools: Toolbox) -> None:
    (root / "mac.txt").write_bytes(b"one\rtwo\rthree\r")
    await tools.call("read_file", path="mac.txt")
    outcome = await tools.call("edit_file", path="mac.txt", old_text="two", new_text="2\n2b")
    assert outcome.text == "Edited mac.txt, line 2.\n1\tone\n2\t2\n3\t2b\n4\tthree"
    assert (root / "mac.txt").read_bytes() == b"one\r2\r2b\rthree\r"
    patch = "*** Begin Patch\n*** Update File: mac.txt\n 2b\n-three\n+3\n*** End Patch\n"
    outcome = await tools.call("apply_patch", patch=patch)
    assert outcome.text == "Edited mac.txt, line 4.\n2\t2\n3\t2b\n4\t3"


async def test_a_whole_file_keeps_its_line_ends_unless_it_gets_new_ones(tools: Toolbox, root: Path) -> None:
    (root / "a.txt").write_bytes(b"a\r\nb\r\n")
    await tools.call("read_file", path="a.txt")
    await tools.call("write_file", path="a.txt", content="a\nc\n")
    assert (root / "a.txt").read_bytes() == b"a\r\nc\r\n"
    (root / "b.txt").write_bytes(b"a\n")
    await tools.call("read_file", path="b.txt")
    await tools.call("write_file", path="b.txt", content="a\r\n")
    assert (root / "b.txt").read_bytes() == b"a\r\n"


async def test_writing_what_is_there_changes_nothing(tools: Toolbox, root: Path) -> None:
    (root / "a.txt").write_text("a\n")
    await tools.call("read_file", path="a.txt")
    outcome = await tools.call("write_file", path="a.txt", content="a\n")
    assert outcome == ToolOutcome("a.txt is already like that; nothing was changed.")


async def test_a_file_that_is_no_text_is_not_overwritten(tools: Toolbox, root: Path) -> None:
    (root / "a.bin").write_bytes(b"\0\1")
    outcome = await tools.call("write_file", path="a.bin", content="x")
    assert outcome.status == "failed"
    assert (root / "a.bin").read_bytes() == b"\0\1"


async def test_nothing_is_written_outside(tools: Toolbox, root: Path) -> None:
    outcome = await tools.call("write_file", path="../evil.txt", content="x")
    assert outcome.status == "failed"
    assert not (root.parent / "evil.txt").exists()


async def test_a_file_that_was_deleted_is_made_again(tools: Toolbox, root: Path) -> None:
    (root / "a.txt").write_text("a\n")
    await tools.call("read_file", path="a.txt")
    (root / "a.txt").unlink()
    assert (await tools.call("write_file", path="a.txt", content="b\n")).text == "Created a.txt."


async def test_a_preview_shows_the_diff(tools: Toolbox, root: Path) -> None:
    (root / "a.py").write_text("x = 1\ny = 2\n")
    preview = await tools.preview("edit_file", path="a.py", old_text="x = 1", new_text="x = 3\nz = 4")
    assert preview.targets == (Target(Effect.WRITES, "a.py"),)
    (change,) = preview.subject["changes"]
    assert (preview.subject["type"], change["uri"]) == ("edit", (root / "a.py").as_uri())
    assert change["base"] == {"hash": sha(b"x = 1\ny = 2\n")}
    assert change["patch"] == snapshot("""\
--- a/a.py
+++ b/a.py
@@ -1,2 +1,3 @@
-x = 1
+x = 3
+z = 4
 y = 2
""")
    assert (change["insertions"], change["deletions"]) == (2, 1)


async def test_a_preview_of_a_whole_file_says_whether_there_is_one(tools: Toolbox, root: Path) -> None:
    (root / "a.py").write_text("x")
    over = await tools.preview("write_file", path="a.py", content="y\n")
    new = await tools.preview("write_file", path="b.py", content="")
    assert (over.title, new.title) == ("Overwrite a.py", "Create b.py")
    assert over.subject["changes"][0]["patch"] == snapshot("""\
--- a/a.py
+++ b/a.py
@@ -1,1 +1,1 @@
-x
\\ No newline at end of file
+y
""")
    assert (new.subject["changes"][0]["change"], new.subject["changes"][0]["patch"]) == ("added", "")


async def test_a_preview_of_an_edit_that_cannot_be_made_still_names_its_target(tools: Toolbox) -> None:
    preview = await tools.preview("edit_file", path="missing.py", old_text="a", new_text="b")
    assert (preview.subject["type"], preview.targets) == ("tool", (Target(Effect.WRITES, "missing.py"),))
