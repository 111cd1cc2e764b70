"""Reading and listing, as the model sees it."""

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from agls.engine.ports import Effect, Target
from agls.engine.vocabulary import ToolOutcome
from agls.features.files.settings import Settings
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.fake_editor import FakeEditor
from support.file_tools import file_tools
from support.toolbox import Toolbox


@pytest.mark.row(31)
async def test_lines_come_with_their_numbers(tools: Toolbox, root: Path) -> None:
    """Read."""
    (root / "a.txt").write_bytes(b"one\r\n\r\nthree")
    assert await tools.call("read_file", path="a.txt") == ToolOutcome("1\tone\n2\t\n3\tthree")


async def test_a_page_says_where_to_go_on(tools: Toolbox, root: Path) -> None:
    (root / "a.txt").write_text("".join(f"line {n}\n" for n in range(1, 11)))
    page = await tools.call("read_file", path="a.txt", offset=4, limit=2)
    assert page.text == snapshot("""\
4	line 4
5	line 5
[These are lines 4 to 5 of 10; go on with offset 6.]\
""")
    assert page.truncated == len("\n".join(f"line {n}" for n in range(6, 11)))
    last = await tools.call("read_file", path="a.txt", offset=9)
    assert last == ToolOutcome("9\tline 9\n10\tline 10")


async def test_offset_beyond_the_end_is_reported(tools: Toolbox, root: Path) -> None:
    (root / "a.txt").write_text("one\n")
    assert await tools.call("read_file", path="a.txt", offset=2) == ToolOutcome(
        "a.txt ends with line 1.", status="failed"
    )


async def test_result_says_when_the_disk_is_newer_than_the_editor(
    tools: Toolbox, root: Path, editor: FakeEditor
) -> None:
    file, uri = root / "a.txt", (root / "a.txt").as_uri()
    file.write_text("old\n")
    editor.open(uri, "old\n")
    assert (await tools.call("read_file", path="a.txt")).text == "1\told"
    file.write_text("newer on disk\n")
    assert (await tools.call("read_file", path="a.txt")).text == snapshot("""\
[a.txt as it is on disk, which is newer than what the editor shows.]
1	newer on disk\
""")
    editor.type(uri, "typed meanwhile\n")
    head, line = (await tools.call("read_file", path="a.txt")).text.split("\n")
    assert "it was changed on disk as well, so it cannot be edited until the user saves" in head
    assert line == "1\ttyped meanwhile"


async def test_much_text_is_cut_at_a_line(root: Path) -> None:
    settings = Settings(read_characters=1_000, line_characters=80)
    tools = Toolbox(file_tools(settings), OpenWorkspace(str(root), (), FakeEditor(), Processes()))
    (root / "a.txt").write_text("x" * 5_000 + "\n" + "short\n" * 500)
    page = await tools.call("read_file", path="a.txt")
    lines = page.text.split("\n")
    assert lines[0] == "1\t" + "x" * 80 + "[… 4920 more characters]"
    assert len(page.text) < 1_200
    assert lines[-2].startswith("[Long lines are cut. More of line 1: offset=1, limit=1.")
    assert lines[-1] == f"[These are lines 1 to {len(lines) - 2} of 501; go on with offset {len(lines) - 1}.]"


async def test_more_of_a_long_line_is_shown_when_few_lines_are_asked_for(root: Path) -> None:
    settings = Settings(read_characters=1_000, line_characters=80)
    tools = Toolbox(file_tools(settings), OpenWorkspace(str(root), (), FakeEditor(), Processes()))
    (root / "a.txt").write_text("x" * 900 + "\n" + "y" * 5_000 + "\nend\n")
    assert (await tools.call("read_file", path="a.txt", limit=1)).text.startswith(f"1\t{'x' * 900}\n")
    two = await tools.call("read_file", path="a.txt", limit=2)
    assert f"1\t{'x' * 500}[… 400 more characters]" in two.text
    second = await tools.call("read_file", path="a.txt", offset=2, limit=1)
    assert second.text.startswith(f"2\t{'y' * 1_000}[… 4000 more characters]\n[These are lines 2 to 2")


async def test_one_line_is_always_given(root: Path) -> None:
    settings = Settings(read_characters=1_000, line_characters=5_000)
    tools = Toolbox(file_tools(settings), OpenWorkspace(str(root), (), FakeEditor(), Processes()))
    (root / "a.txt").write_text("x" * 4_000 + "\ny\n")
    page = await tools.call("read_file", path="a.txt")
    assert page.text.startswith("1\t" + "x" * 4_000 + "\n[These are lines 1 to 1 of 2")


async def test_empty_file_is_reported(tools: Toolbox, root: Path) -> None:
    (root / "a.txt").touch()
    assert await tools.call("read_file", path="a.txt") == ToolOutcome("[a.txt is empty.]")


async def test_unsaved_text_of_the_editor_is_read_and_marked_as_unsaved(
    tools: Toolbox, root: Path, editor: FakeEditor
) -> None:
    (root / "a.txt").write_text("old\n")
    editor.open((root / "a.txt").as_uri(), "new\n")
    assert (await tools.call("read_file", path="a.txt")).text == snapshot("""\
[a.txt as it is in the editor, with changes that are not saved.]
1	new\
""")


async def test_a_folder_is_not_a_file(tools: Toolbox, root: Path) -> None:
    (root / "src").mkdir()
    outcome = await tools.call("read_file", path="src")
    assert (outcome.status, outcome.text) == (
        "failed",
        "src is a folder. See what is in it with list_dir.",
    )


async def test_file_that_cannot_be_read_is_a_failure_with_a_reason(tools: Toolbox, root: Path) -> None:
    (root / "bin").write_bytes(b"\0\1\2")
    for path in ("missing.txt", "bin", "../outside.txt", "nul\0byte"):
        outcome = await tools.call("read_file", path=path)
        assert outcome.status == "failed"
        assert outcome.text, path


@pytest.mark.row(31)
async def test_a_folder_is_listed_with_folders_first(tools: Toolbox, root: Path) -> None:
    """List."""
    (root / "b.txt").write_text("12345")
    (root / "z").mkdir()
    (root / "link").symlink_to("b.txt")
    listed = await tools.call("list_dir")
    assert listed == ToolOutcome("z/\nb.txt\t5\nlink@")
    assert await tools.call("list_dir", path="z") == ToolOutcome("[z is empty.]")
    assert (await tools.call("list_dir", path="nowhere")).status == "failed"


async def test_a_long_list_says_what_it_left_out(tools: Toolbox, root: Path) -> None:
    for number in range(5):
        (root / f"{number}.txt").touch()
    listed = await tools.call("list_dir", max_entries=3)
    assert listed.text == snapshot("""\
0.txt	0
1.txt	0
2.txt	0
[2 more entries are left out. Raise max_entries, or use glob with a pattern.]\
""")


async def test_a_preview_names_what_is_read(tools: Toolbox) -> None:
    reading = await tools.preview("read_file", path="./src/a.py")
    assert (reading.title, reading.targets) == ("Read src/a.py", (Target(Effect.READS, "./src/a.py"),))
    listing = await tools.preview("list_dir")
    assert (listing.title, listing.targets) == ("List .", (Target(Effect.READS, "."),))


def test_descriptions_of_the_tools() -> None:
    tools = file_tools().tools
    assert {tool.spec.name: (tool.spec.description, tool.spec.schema) for tool in tools} == snapshot(
        {
            "read_file": (
                """\
Read a text file. Each line comes with its number and a tab in front, which are not part of the file.

Shows the text as it is in the user's editor, unsaved changes included. Long files come in
pages: go on with offset. Of a PNG, JPEG, GIF or WebP file you see the image, of a notebook its cells,
of a PDF its text.\
""",
                {
                    "additionalProperties": False,
                    "properties": {
                        "path": {"description": "relative to the workspace, or absolute", "type": "string"},
                        "offset": {
                            "default": 1,
                            "description": "first line, counted from 1",
                            "minimum": 1,
                            "type": "integer",
                        },
                        "limit": {"minimum": 1, "type": "integer", "description": "number of lines"},
                        "pages": {
                            "default": "",
                            "description": "of a PDF: 3, 2-5, or 7- to its end",
                            "type": "string",
                        },
                    },
                    "required": ["path"],
                    "type": "object",
                },
            ),
            "list_dir": (
                "List one folder: folders first (with / at the end), then files with their size in bytes.",
                {
                    "additionalProperties": False,
                    "properties": {
                        "path": {
                            "default": "",
                            "description": "relative to the workspace, or absolute; empty for its root",
                            "type": "string",
                        },
                        "max_entries": {"default": 200, "maximum": 500, "minimum": 1, "type": "integer"},
                    },
                    "type": "object",
                },
            ),
            "edit_file": (
                """\
Replace text in a file that was read before in this session.

old_text must occur exactly once: copy whole lines from read_file, without the line numbers,
with enough lines around the change. The line ends of the file are kept.\
""",
                {
                    "additionalProperties": False,
                    "properties": {
                        "path": {"description": "relative to the workspace, or absolute", "type": "string"},
                        "old_text": {
                            "description": "the text to replace, as it is in the file",
                            "minLength": 1,
                            "type": "string",
                        },
                        "new_text": {
                            "description": "the text in its place; empty to delete",
                            "type": "string",
                        },
                        "replace_all": {
                            "default": False,
                            "description": "replace every occurrence",
                            "type": "boolean",
                        },
                    },
                    "required": ["path", "old_text", "new_text"],
                    "type": "object",
                },
            ),
            "multi_edit": (
                """\
Make several replacements in one file that was read before, all of them or none.

Each is made in the text that the one before it left.\
""",
                {
                    "additionalProperties": False,
                    "properties": {
                        "path": {"description": "relative to the workspace, or absolute", "type": "string"},
                        "edits": {
                            "items": {
                                "additionalProperties": False,
                                "description": "One replacement.",
                                "properties": {
                                    "old_text": {
                                        "description": "must occur once, unless replace_all is set",
                                        "minLength": 1,
                                        "type": "string",
                                    },
                                    "new_text": {"type": "string"},
                                    "replace_all": {"default": False, "type": "boolean"},
                                },
                                "required": ["old_text", "new_text"],
                                "type": "object",
                            },
                            "maxItems": 100,
                            "minItems": 1,
                            "type": "array",
                        },
                    },
                    "required": ["path", "edits"],
                    "type": "object",
                },
            ),
            "write_file": (
                """\
Write a whole file: a new one, or one that was read before in this session.

Folders are made as needed. To change a part of a file use edit_file.\
""",
                {
                    "additionalProperties": False,
                    "properties": {
                        "path": {"description": "relative to the workspace, or absolute", "type": "string"},
                        "content": {"description": "the whole text of the file", "type": "string"},
                    },
                    "required": ["path", "content"],
                    "type": "object",
                },
            ),
            "edit_notebook": (
                """\
Change a cell of a Jupyter notebook that was read before in this session.

Nothing is run, and what a cell printed stays.\
""",
                {
                    "additionalProperties": False,
                    "properties": {
                        "path": {
                            "description": "an .ipynb file, relative to the workspace, or absolute",
                            "type": "string",
                        },
                        "cell": {
                            "description": "the cell, by the number that read_file shows",
                            "minimum": 0,
                            "type": "integer",
                        },
                        "action": {
                            "default": "replace",
                            "description": "insert: before this cell; the number after the last appends",
                            "enum": ["replace", "insert", "delete"],
                            "type": "string",
                        },
                        "source": {
                            "default": "",
                            "description": "the whole text of the cell",
                            "type": "string",
                        },
                        "type": {
                            "default": "code",
                            "description": "of an inserted cell",
                            "enum": ["code", "markdown", "raw"],
                            "type": "string",
                        },
                    },
                    "required": ["path", "cell"],
                    "type": "object",
                },
            ),
            "apply_patch": (
                """\
Change files by a patch, several places and files at once; all of it is done, or nothing.

*** Begin Patch
*** Update File: path
*** Move to: new path (only to move it)
@@ a line above the change, where that is needed to find it
 a line that stays (three before and three after a change will do)
-a line that goes
+a line that comes
*** Add File: path
+every line of the new file
*** Delete File: path
*** End Patch
A unified diff (--- a/path, +++ b/path, @@ -1,3 +1,4 @@) is understood as well.\
""",
                {
                    "additionalProperties": False,
                    "properties": {
                        "patch": {
                            "description": "the whole patch, from its first line to its last",
                            "minLength": 1,
                            "type": "string",
                        }
                    },
                    "required": ["patch"],
                    "type": "object",
                },
            ),
            "move_file": (
                "Move or rename a file as it is. Folders are made as needed; nothing is written over.",
                {
                    "additionalProperties": False,
                    "properties": {
                        "path": {
                            "description": "relative to the workspace, or absolute",
                            "minLength": 1,
                            "type": "string",
                        },
                        "to": {
                            "description": "its new path; a folder where it ends with /",
                            "minLength": 1,
                            "type": "string",
                        },
                    },
                    "required": ["path", "to"],
                    "type": "object",
                },
            ),
            "delete_file": (
                "Delete a file; it goes to the user's trash, where there is one.",
                {
                    "additionalProperties": False,
                    "properties": {
                        "path": {
                            "description": "relative to the workspace, or absolute",
                            "minLength": 1,
                            "type": "string",
                        }
                    },
                    "required": ["path"],
                    "type": "object",
                },
            ),
        }
    )
    assert {tool.spec.name: sorted(tool.spec.effects) for tool in tools} == {
        "read_file": [Effect.READS],
        "list_dir": [Effect.READS],
        "edit_file": [Effect.WRITES],
        "multi_edit": [Effect.WRITES],
        "write_file": [Effect.WRITES],
        "edit_notebook": [Effect.WRITES],
        "apply_patch": [Effect.WRITES],
        "move_file": [Effect.WRITES],
        "delete_file": [Effect.WRITES],
    }


async def test_guessed_encoding_is_reported(tools: Toolbox, root: Path) -> None:
    (root / "latin.txt").write_bytes(b"caf\xe9\n")
    outcome = await tools.call("read_file", path="latin.txt")
    assert outcome.text.startswith("[Its encoding is a guess: latin-1.")
    assert outcome.text.endswith("1\tcafé")
