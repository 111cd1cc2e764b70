"""The tool `apply_patch` in a real workspace: all of a patch is made, or nothing."""

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from agls.engine.ports import Effect, Target
from support.fake_editor import FakeEditor
from support.toolbox import Toolbox

pytestmark = pytest.mark.promise("P12")


def envelope(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


def update(path: str, old: str, new: str, to: str = "") -> list[str]:
    move = [f"*** Move to: {to}"] if to else []
    return [f"*** Update File: {path}", *move, "@@", f"-{old}", f"+{new}"]


def texts(root: Path) -> dict[str, str]:
    files = (file for file in root.rglob("*") if file.is_file())
    return {str(file.relative_to(root)): file.read_text(errors="replace") for file in files}


@pytest.fixture(autouse=True)
def project(root: Path) -> None:
    (root / "a.py").write_text("x = 1\n")
    (root / "b.py").write_text("y = 1\n")
    (root / "c.py").write_text("z = 1\n")


async def test_all_files_of_a_patch_are_changed(tools: Toolbox, root: Path) -> None:
    (root / "b.py").chmod(0o755)
    patch = envelope(
        *update("a.py", "x = 1", "x = 2"),
        *update("b.py", "y = 1", "y = 2", to="sub/b2.py"),
        "*** Delete File: c.py",
        "*** Add File: new/d.py",
        "+d = 1",
    )
    outcome = await tools.call("apply_patch", patch=patch)
    assert outcome.text.splitlines() == [
        "Edited a.py, line 1.",
        "1\tx = 2",
        "Moved b.py to sub/b2.py. Edited b.py, line 1.",
        "Created new/d.py.",
        "Deleted c.py. There is no trash that could take it.",
    ]
    assert texts(root) == {"a.py": "x = 2\n", "sub/b2.py": "y = 2\n", "new/d.py": "d = 1\n"}
    assert (root / "sub/b2.py").stat().st_mode & 0o777 == 0o755
    kinds = {change.uri.rpartition("/")[2]: change.change for change in outcome.changes}
    assert kinds == {
        "a.py": "modified",
        "b2.py": "added",
        "b.py": "deleted",
        "d.py": "added",
        "c.py": "deleted",
    }


async def test_one_hunk_without_a_place_leaves_every_file_as_it_is(tools: Toolbox, root: Path) -> None:
    before = texts(root)
    patch = envelope(
        *update("a.py", "x = 1", "x = 2"), *update("b.py", "y = 3", "y = 2"), "*** Delete File: c.py"
    )
    outcome = await tools.call("apply_patch", patch=patch)
    assert (outcome.status, outcome.effects) == ("failed", "none")
    assert "b.py: Hunk 1 was not found; nothing was changed." in outcome.text
    assert "1\ty = 1" in outcome.text
    assert texts(root) == before


@pytest.mark.parametrize("last", ["a file", "an open document"])
async def test_files_that_were_changed_are_put_back_when_a_later_one_cannot_be(
    tools: Toolbox, root: Path, editor: FakeEditor, last: str
) -> None:
    if last == "a file":
        (root / "c.py").chmod(0o444)
    else:
        editor.open((root / "c.py").as_uri(), "z = 1\n")
        editor.refuse()
    (root / "a.py").write_bytes(b"x = 1 # \xe9\r\n")
    before = {file.name: (file.read_bytes(), file.stat().st_mode) for file in root.iterdir()}
    patch = envelope(
        "*** Update File: a.py",
        "@@",
        "+first",
        " x = 1 # é",
        "*** Add File: new/d.py",
        "+d = 1",
        *update("b.py", "y = 1", "y = 2", to="sub/b2.py"),
        *update("c.py", "z = 1", "z = 2"),
    )
    outcome = await tools.call("apply_patch", patch=patch)
    assert (outcome.status, outcome.effects, outcome.changes) == ("failed", "none", ())
    after = {file.name: (file.read_bytes(), file.stat().st_mode) for file in root.iterdir() if file.is_file()}
    assert after == before


async def test_file_that_changed_meanwhile_leaves_every_file_as_it_is(
    tools: Toolbox, root: Path, editor: FakeEditor
) -> None:
    uri = (root / "b.py").as_uri()
    editor.open(uri, "y = 1\n")
    editor.meanwhile(lambda: editor.type(uri, "y = 1 # typed\n"))
    patch = envelope(*update("a.py", "x = 1", "x = 2"), *update("b.py", "y = 1", "y = 2"))
    outcome = await tools.call("apply_patch", patch=patch)
    assert (outcome.status, outcome.effects) == ("failed", "none")
    assert (root / "a.py").read_text() == "x = 1\n"
    assert editor.buffer(uri).text == "y = 1 # typed\n"  # type: ignore[union-attr]


async def test_open_document_is_changed_in_the_editor(tools: Toolbox, root: Path, editor: FakeEditor) -> None:
    uri = (root / "a.py").as_uri()
    editor.open(uri, "x = 1\nunsaved\n")
    outcome = await tools.call("apply_patch", patch=envelope(*update("a.py", "unsaved", "saved")))
    assert [change.via for change in outcome.changes] == ["editor"]
    assert editor.buffer(uri).text == "x = 1\nsaved\n"  # type: ignore[union-attr]
    assert (root / "a.py").read_text() == "x = 1\n"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("apply_patch", {"patch": envelope("*** Delete File: a.py")}),
        ("delete_file", {"path": "a.py"}),
        ("move_file", {"path": "a.py", "to": "z.py"}),
    ],
)
@pytest.mark.parametrize("saves", [True, False])
async def test_document_with_unsaved_changes_is_not_moved_or_deleted_and_the_answer_says_what_can(
    tools: Toolbox, root: Path, editor: FakeEditor, tool: str, arguments: dict[str, str], saves: bool
) -> None:
    editor.can_save = saves
    editor.open((root / "a.py").as_uri(), "x = 1\nunsaved\n")
    outcome = await tools.call(tool, **arguments)
    assert outcome.status == "failed"
    assert "unsaved changes in the editor" in outcome.text and "Ask the user to save" in outcome.text
    assert ("use a command (mv" in outcome.text) is saves
    assert "Read the file again" not in outcome.text
    assert (root / "a.py").exists()


async def test_name_that_differs_only_in_case_is_not_made_beside_the_other(
    tools: Toolbox, root: Path
) -> None:
    (root / "Docs").mkdir()
    (root / "Docs/ReadMe.md").write_text("r\n")
    before = texts(root)
    for path, there in (("A.py", "a.py"), ("docs/new.md", "Docs"), ("Docs/readme.MD", "Docs/ReadMe.md")):
        for tool, arguments in (
            ("write_file", {"path": path, "content": "x\n"}),
            ("apply_patch", {"patch": envelope(f"*** Add File: {path}", "+x")}),
            ("move_file", {"path": "b.py", "to": path}),
        ):
            outcome = await tools.call(tool, **arguments)
            assert (outcome.status, f"but {there} is" in outcome.text) == ("failed", True), outcome.text
    assert texts(root) == before
    assert (await tools.call("move_file", path="a.py", to="A.py")).status == "completed"
    swap = envelope("*** Delete File: b.py", "*** Add File: B.py", "+b")
    assert (await tools.call("apply_patch", patch=swap)).status == "completed"


async def test_file_that_is_no_text_can_be_moved_and_deleted_but_not_edited(
    tools: Toolbox, root: Path
) -> None:
    data = bytes(range(256))
    (root / "a.bin").write_bytes(data)
    (root / "b.bin").write_bytes(data)
    edit = await tools.call("apply_patch", patch=envelope(*update("a.bin", "x", "y")))
    assert "not a text file" in edit.text
    patch = envelope("*** Update File: a.bin", "*** Move to: c.bin", "*** Delete File: b.bin")
    assert (await tools.call("apply_patch", patch=patch)).text.startswith(
        "Moved a.bin to c.bin.\nDeleted b.bin. "
    )
    assert (root / "c.bin").read_bytes() == data
    assert not (root / "a.bin").exists()
    assert not (root / "b.bin").exists()


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["*** Add File: a.py", "+other"], "a.py was not read in this session"),
        (["*** Delete File: aa.py"], "aa.py does not exist. Did you mean a.py"),
        (update("a.py", "x = 1", "x = 2", to="b.py"), "a.py cannot be moved to b.py: that exists already"),
        (["*** Delete File: a.py", *update("a.py", "x = 1", "x = 2")], "a.py does not exist"),
        (["*** Add File: d.py", "+d", *update("d.py", "d", "e", to="f.py")], "Add it at its final path"),
        (["*** Add File: a.py", "+x = 1"], "already like that"),
        (update("a.py", "x = 1", "x = 1"), "already like that"),
    ],
)
async def test_patch_that_cannot_be_meant_changes_nothing(
    tools: Toolbox, root: Path, lines: list[str], told: str
) -> None:
    before = texts(root)
    outcome = await tools.call("apply_patch", patch=envelope(*lines))
    assert outcome.status == "failed"
    assert told in outcome.text
    assert texts(root) == before


async def test_same_file_may_be_named_twice(tools: Toolbox, root: Path) -> None:
    patch = envelope(*update("a.py", "x = 1", "x = 2"), *update("./a.py", "x = 2", "x = 3"))
    outcome = await tools.call("apply_patch", patch=patch)
    assert len(outcome.changes) == 1
    assert (root / "a.py").read_text() == "x = 3\n"


async def test_file_known_before_a_patch_is_known_after_it(tools: Toolbox, root: Path) -> None:
    await tools.call("read_file", path="a.py")
    await tools.call("apply_patch", patch=envelope(*update("a.py", "x = 1", "x = 2")))
    assert (await tools.call("write_file", path="a.py", content="new\n")).status == "completed"
    await tools.call("apply_patch", patch=envelope(*update("b.py", "y = 1", "y = 2")))
    assert "was not read" in (await tools.call("write_file", path="b.py", content="new\n")).text


async def test_change_that_the_model_has_not_seen_is_kept_and_reported(tools: Toolbox, root: Path) -> None:
    await tools.call("read_file", path="a.py")
    (root / "a.py").write_text("first\nx = 1\n")
    outcome = await tools.call("apply_patch", patch=envelope(*update("a.py", "x = 1", "x = 2")))
    assert (root / "a.py").read_text() == "first\nx = 2\n"
    assert "a.py had changed since you read it" in outcome.text


async def test_preview_names_every_path_and_shows_every_change(tools: Toolbox, root: Path) -> None:
    patch = envelope(
        *update("a.py", "x = 1", "x = 2", to="m.py"), "*** Delete File: c.py", "*** Add File: d.py", "+d"
    )
    preview = await tools.preview("apply_patch", patch=patch)
    assert preview.targets == tuple(Target(Effect.WRITES, path) for path in ("a.py", "m.py", "c.py", "d.py"))
    shown = [(each["uri"].rpartition("/")[2], each["change"]) for each in preview.subject["changes"]]
    assert shown == [("m.py", "added"), ("d.py", "added"), ("a.py", "deleted"), ("c.py", "deleted")]
    assert "-z = 1" in preview.subject["changes"][3]["patch"]
    assert preview.title == "Change 4 files: m.py, d.py, a.py, c.py"


async def test_patch_that_cannot_be_read_is_nothing_to_be_asked_about(tools: Toolbox) -> None:
    preview = await tools.preview("apply_patch", patch="*** Begin Patch\n")
    assert (preview.targets, "cut off" in preview.problem) == ((), True)


@pytest.mark.parametrize("path", ["../out.py", "link/out.py", "/etc/agls-out.py"])
async def test_path_outside_of_the_workspace_leaves_everything_as_it_is(
    tools: Toolbox, root: Path, path: str
) -> None:
    (root / "link").symlink_to(root.parent)
    for lines in ([f"*** Add File: {path}", "+x"], update("a.py", "x = 1", "x = 2", to=path)):
        outcome = await tools.call("apply_patch", patch=envelope(*update("b.py", "y = 1", "y = 2"), *lines))
        assert outcome.status == "failed"
        assert "outside the workspace" in outcome.text
    assert (root / "b.py").read_text() == "y = 1\n"
    assert not (root.parent / "out.py").exists()


async def test_changed_lines_are_shown_with_those_around_them(tools: Toolbox, root: Path) -> None:
    (root / "a.py").write_text("".join(f"line {number}\n" for number in range(1, 100)))
    hunks = [
        ["@@", *(f"-line {at}" for at in range(10, 30)), *(f"+LINE {at}" for at in range(10, 30))],
        ["@@", " line 40", "+new"],
        ["@@", "-line 50"],
        ["@@", "-line 60"],
    ]
    outcome = await tools.call(
        "apply_patch", patch=envelope("*** Update File: a.py", *(row for hunk in hunks for row in hunk))
    )
    assert outcome.text == snapshot("""\
Edited a.py, lines 10, 41, 51, 60.
8	line 8
9	line 9
10	LINE 10
11	LINE 11
12	LINE 12
13	LINE 13
…
26	LINE 26
27	LINE 27
28	LINE 28
29	LINE 29
30	line 30
31	line 31
39	line 39
40	line 40
41	new
42	line 41
43	line 42
49	line 48
50	line 49
51	line 51
52	line 52
[1 more changes are not shown.]\
""")


async def test_file_that_changed_since_it_was_read_is_not_deleted(tools: Toolbox, root: Path) -> None:
    await tools.call("read_file", path="a.py")
    (root / "a.py").write_text("x = 1\nnew\n")
    outcome = await tools.call("apply_patch", patch=envelope("*** Delete File: a.py"))
    assert (outcome.status, "has changed since it was read" in outcome.text) == ("failed", True)
    assert (root / "a.py").exists()
    await tools.call("read_file", path="a.py")
    assert (await tools.call("apply_patch", patch=envelope("*** Delete File: a.py"))).status == "completed"


async def test_file_that_the_patch_deletes_may_be_added_anew(tools: Toolbox, root: Path) -> None:
    patch = envelope("*** Delete File: a.py", "*** Add File: a.py", "+new")
    (change,) = (await tools.call("apply_patch", patch=patch)).changes
    assert (change.change, (root / "a.py").read_text()) == ("modified", "new\n")


async def test_file_is_not_moved_to_where_it_is(tools: Toolbox, root: Path) -> None:
    patch = envelope(*update("a.py", "x = 1", "x = 2", to="./a.py"))
    (change,) = (await tools.call("apply_patch", patch=patch)).changes
    assert (change.change, (root / "a.py").read_text()) == ("modified", "x = 2\n")
