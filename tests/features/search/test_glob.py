"""`glob` in a real workspace, and what the model is told about both tools."""

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from agls.engine.ports import Effect, Target
from agls.engine.vocabulary import ToolOutcome
from agls.features.search.feature import build
from agls.features.search.settings import Settings
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.fake_editor import FakeEditor
from support.toolbox import Toolbox


@pytest.fixture
def tools(tmp_path: Path) -> Toolbox:
    for name in ("src/a.py", "src/b.py", "src/deep/c.txt", "docs/d.md", "noise.log"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / ".gitignore").write_text("*.log\n")
    return Toolbox(build(Settings()), OpenWorkspace(str(tmp_path), (), FakeEditor(), Processes()))


@pytest.mark.row(31)
async def test_files_are_found_by_name(tools: Toolbox) -> None:
    """Glob."""
    assert await tools.call("glob", pattern="*.py") == ToolOutcome("src/a.py\nsrc/b.py")
    assert await tools.call("glob", pattern="deep/*", path="src") == ToolOutcome("src/deep/c.txt")
    assert await tools.call("glob", pattern="*.log") == ToolOutcome("No file is called *.log.")


@pytest.mark.parametrize("folder", ["", "fe\u0301e/"])
async def test_name_is_found_in_any_unicode_form(tools: Toolbox, tmp_path: Path, folder: str) -> None:
    """File systems keep the form that a name was made in; a model writes the composed one."""
    (tmp_path / folder).mkdir(exist_ok=True)
    (tmp_path / f"{folder}cafe\u0301.txt").write_text("milk\n")
    pattern = f"{folder}caf\u00e9.*".replace("e\u0301", "\u00e9")
    assert (await tools.call("glob", pattern=pattern)).text == f"{folder}cafe\u0301.txt"
    assert (await tools.call("grep", pattern="milk", glob=pattern)).text.endswith("1:milk")


@pytest.mark.parametrize(
    ("exclude", "left"),
    [
        ("src", [".gitignore", "docs/d.md"]),
        ("src/", [".gitignore", "docs/d.md"]),
        ("src/**", [".gitignore", "docs/d.md"]),
        ("src/deep", [".gitignore", "docs/d.md", "src/a.py", "src/b.py"]),
        ("deep", [".gitignore", "docs/d.md", "src/a.py", "src/b.py"]),
        ("{deep,*.md,.*}", ["src/a.py", "src/b.py"]),
        ("src/*.py", [".gitignore", "docs/d.md", "src/deep/c.txt"]),
        ("docs, src/deep/**,*.none", [".gitignore", "src/a.py", "src/b.py"]),
        ("nothing/like/this", [".gitignore", "docs/d.md", "src/a.py", "src/b.py", "src/deep/c.txt"]),
    ],
)
async def test_files_and_folders_are_excluded(
    tools: Toolbox, tmp_path: Path, exclude: str, left: list[str]
) -> None:
    outcome = await tools.call("glob", pattern="**", exclude=exclude)
    assert outcome.text.split("\n") == left


async def test_files_that_exist_only_in_the_editor_are_excluded_too(tmp_path: Path) -> None:
    editor = FakeEditor({(tmp_path / "new/deep/a.py").as_uri(): "x = 1\n"})
    tools = Toolbox(build(Settings()), OpenWorkspace(str(tmp_path), (), editor, Processes()))
    assert (await tools.call("glob", pattern="*.py")).text == "new/deep/a.py"
    for exclude in ("*.py", "new", "deep", "new/**", "new/deep"):
        text = (await tools.call("glob", pattern="*.py", exclude=exclude)).text
        assert text == "No file is called *.py.", exclude
        assert (await tools.call("grep", pattern="x", exclude=exclude)).text.startswith("No match")


async def test_a_long_list_of_files_says_how_many_are_missing(tools: Toolbox) -> None:
    assert (await tools.call("glob", pattern="**", limit=2)).text == snapshot("""\
.gitignore
docs/d.md
[3 more files. Go on with offset=2, or narrow the pattern.]\
""")


async def test_the_first_files_of_a_long_list_are_those_that_come_first_by_name(tmp_path: Path) -> None:
    for number in range(300):
        folder = tmp_path / f"{number % 7}"
        folder.mkdir(exist_ok=True)
        (folder / f"{number}.txt").touch()
    tools = Toolbox(build(Settings()), OpenWorkspace(str(tmp_path), (), FakeEditor(), Processes()))
    rows = (await tools.call("glob", pattern="*.txt", limit=20)).text.splitlines()
    everything = sorted(f"{number % 7}/{number}.txt" for number in range(300))
    assert rows[:-1] == everything[:20]
    assert rows[-1].startswith("[280 more files")


async def test_a_list_ends_when_its_time_is_over(tools: Toolbox, tmp_path: Path) -> None:
    hasty = build(Settings(timeout_s=1e-9))
    workspace = OpenWorkspace(str(tmp_path), (), FakeEditor(), Processes())
    outcome = await Toolbox(hasty, workspace).call("glob", pattern="*")
    assert outcome.text.endswith("not every file was listed. Narrow path or pattern.]")


async def test_previews_name_what_is_searched(tools: Toolbox) -> None:
    grep = await tools.preview("grep", pattern="total", path="./src")
    glob = await tools.preview("glob", pattern="*.py")
    assert (grep.title, grep.targets) == ("Search for total in src", (Target(Effect.READS, "./src"),))
    assert (glob.title, glob.targets) == ("Find *.py in .", (Target(Effect.READS, "."),))


def test_descriptions_of_the_tools() -> None:
    tools = build(Settings()).tools
    assert {tool.spec.name: (tool.spec.description, tool.spec.schema) for tool in tools} == snapshot(
        {
            "glob": (
                "Find files by name. Ignored files are left out.",
                {
                    "additionalProperties": False,
                    "properties": {
                        "pattern": {
                            "description": "*.py in any folder, src/**/*.{ts,tsx} below `path`",
                            "maxLength": 1000,
                            "minLength": 1,
                            "type": "string",
                        },
                        "path": {
                            "default": "",
                            "description": "folder; empty for the whole workspace",
                            "type": "string",
                        },
                        "exclude": {
                            "default": "",
                            "description": "not these files or folders: {tests,*.min.js}",
                            "maxLength": 1000,
                            "type": "string",
                        },
                        "offset": {
                            "default": 0,
                            "description": "files to skip: the next page",
                            "minimum": 0,
                            "type": "integer",
                        },
                        "limit": {
                            "default": 200,
                            "description": "files to give",
                            "maximum": 1000,
                            "minimum": 1,
                            "type": "integer",
                        },
                    },
                    "required": ["pattern"],
                    "type": "object",
                },
            ),
            "grep": (
                """\
Search files for a regular expression (Python syntax), line by line.

Ignored and binary files are left out, and those that may hold secrets. Unsaved changes in the editor
are searched.\
""",
                {
                    "additionalProperties": False,
                    "properties": {
                        "pattern": {"maxLength": 1000, "minLength": 1, "type": "string"},
                        "path": {
                            "default": "",
                            "description": "folder or file; empty for the whole workspace",
                            "type": "string",
                        },
                        "glob": {
                            "default": "",
                            "description": "only files like this: *.py, src/**/*.{ts,tsx}",
                            "type": "string",
                        },
                        "exclude": {
                            "default": "",
                            "description": "not these files or folders: {tests,*.min.js}",
                            "maxLength": 1000,
                            "type": "string",
                        },
                        "type": {
                            "default": "",
                            "description": "only these files: py, ts, rust…",
                            "maxLength": 50,
                            "type": "string",
                        },
                        "literal": {
                            "default": False,
                            "description": "take the pattern as plain text",
                            "type": "boolean",
                        },
                        "ignore_case": {"default": False, "type": "boolean"},
                        "multiline": {
                            "default": False,
                            "description": "matches may span lines, and `.` line ends",
                            "type": "boolean",
                        },
                        "output": {
                            "default": "content",
                            "description": "matching lines, file names, or matching lines counted per file",
                            "enum": ["content", "files", "count"],
                            "type": "string",
                        },
                        "context": {
                            "default": 0,
                            "description": "lines to show around each match",
                            "maximum": 20,
                            "minimum": 0,
                            "type": "integer",
                        },
                        "offset": {
                            "default": 0,
                            "description": "matching lines, or files, to skip: the next page",
                            "minimum": 0,
                            "type": "integer",
                        },
                        "limit": {
                            "default": 100,
                            "description": "matching lines, or files, to give",
                            "maximum": 500,
                            "minimum": 1,
                            "type": "integer",
                        },
                    },
                    "required": ["pattern"],
                    "type": "object",
                },
            ),
        }
    )
    assert all(tool.spec.effects == {Effect.READS} for tool in tools)


async def test_comma_in_a_name_may_be_excluded(tools: Toolbox, tmp_path: Path) -> None:
    (tmp_path / "a,b.csv").touch()
    (tmp_path / "a.csv").touch()
    assert (await tools.call("glob", pattern="*.csv", exclude="a,b.csv")).text == "a.csv"


async def test_pattern_that_repeats_the_path_is_answered_with_one_that_does_not(tools: Toolbox) -> None:
    outcome = await tools.call("glob", pattern="src/*.py", path="src")
    assert (
        outcome.text
        == "No file is called src/*.py. It is looked for below src: leave that out and write *.py."
    )
