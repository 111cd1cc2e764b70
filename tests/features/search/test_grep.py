"""`grep` in a real workspace."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from agls.engine.ports import Effect, Target
from agls.engine.vocabulary import ToolOutcome
from agls.features.search.feature import build
from agls.features.search.settings import Settings
from agls.workspace import quick_search, tree
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.fake_editor import FakeEditor
from support.patience import within
from support.toolbox import Toolbox

FILES = {
    "src/a.py": b"import os\n\ndef total(items):\n    return sum(items)\n",
    "src/b.py": b"from a import total\r\nTOTAL = total([1])\r\n",
    "src/deep/c.txt": b"nothing here\n",
    "docs/latin.txt": b"caf\xe9 total\n",
    "docs/wide.txt": "total größer 日本\n".encode("utf-16"),
    "docs/no end.md": b"first\nsubtotal",
    "binary.bin": b"tot\0al\1\2",
    "ignored.log": b"total\n",
    ".gitignore": b"*.log\n",
    ".env": b"SECRET_total=1\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, data in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    return tmp_path


@pytest.fixture
def editor() -> FakeEditor:
    return FakeEditor()


def make(root: Path, editor: FakeEditor, **settings: Any) -> Toolbox:
    workspace = OpenWorkspace(str(root), (), editor, Processes(os.environ))
    return Toolbox(build(Settings(**settings)), workspace)


@pytest.fixture
def tools(root: Path, editor: FakeEditor) -> Toolbox:
    return make(root, editor)


async def text_of(tools: Toolbox, **arguments: Any) -> str:
    outcome = await tools.call("grep", **arguments)
    assert outcome.status == "completed", outcome.text
    return outcome.text


@pytest.mark.row(31)
async def test_matching_lines_come_with_file_and_number(tools: Toolbox) -> None:
    """Grep."""
    assert await text_of(tools, pattern="total") == snapshot("""\
docs/latin.txt
1:café total

docs/no end.md
2:subtotal

docs/wide.txt
1:total größer 日本

src/a.py
3:def total(items):

src/b.py
1:from a import total
2:TOTAL = total([1])\
""")


async def test_a_regular_expression_matches_within_a_line(tools: Toolbox) -> None:
    assert await text_of(tools, pattern=r"^def \w+\(") == "src/a.py\n3:def total(items):"
    assert await text_of(tools, pattern=r"total\(\[\d\]\)$") == "src/b.py\n2:TOTAL = total([1])"
    assert await text_of(tools, pattern="caf. total") == "docs/latin.txt\n1:café total"
    assert await text_of(tools, pattern="größer") == "docs/wide.txt\n1:total größer 日本"


async def test_literal_text_is_not_an_expression(tools: Toolbox) -> None:
    assert await text_of(tools, pattern="total([1])", literal=True) == "src/b.py\n2:TOTAL = total([1])"
    assert (await tools.call("grep", pattern="total([1]")).status == "failed"


async def test_case_can_be_ignored(tools: Toolbox) -> None:
    assert await text_of(tools, pattern="^TOTAL =", output="files") == "src/b.py"
    assert (await text_of(tools, pattern="FIRST", ignore_case=True)) == "docs/no end.md\n1:first"
    assert await text_of(tools, pattern="TOTAL", ignore_case=True, output="count") == snapshot("""\
docs/latin.txt:1
docs/no end.md:1
docs/wide.txt:1
src/a.py:1
src/b.py:2\
""")


async def test_files_and_counts_can_be_asked_for(tools: Toolbox) -> None:
    assert await text_of(tools, pattern="total", output="files") == snapshot("""\
docs/latin.txt
docs/no end.md
docs/wide.txt
src/a.py
src/b.py\
""")
    assert await text_of(tools, pattern="total", output="count") == snapshot("""\
docs/latin.txt:1
docs/no end.md:1
docs/wide.txt:1
src/a.py:1
src/b.py:2\
""")


async def test_lines_around_a_match_are_shown_once_and_in_groups(tools: Toolbox, root: Path) -> None:
    (root / "long.txt").write_text("".join(f"line {n}\n" for n in range(1, 21)))
    assert await text_of(tools, pattern="line (4|6|20)", path="long.txt", context=1) == snapshot("""\
long.txt
3-line 3
4:line 4
5-line 5
6:line 6
7-line 7
--
19-line 19
20:line 20\
""")
    assert "\n\nsrc/b.py\n1:" in await text_of(tools, pattern="total", path="src", context=1)


async def test_a_search_can_be_narrowed_to_a_folder_a_file_or_a_glob(tools: Toolbox) -> None:
    assert await text_of(tools, pattern="total", path="docs", output="files") == snapshot("""\
docs/latin.txt
docs/no end.md
docs/wide.txt\
""")
    assert await text_of(tools, pattern="total", path="src/a.py", output="files") == "src/a.py"
    assert await text_of(tools, pattern="total", glob="*.{md,txt}", output="files") == snapshot("""\
docs/latin.txt
docs/no end.md
docs/wide.txt\
""")
    assert await text_of(tools, pattern="total", path="src", glob="/b.*", output="files") == "src/b.py"


async def test_no_match_says_how_much_was_searched(tools: Toolbox) -> None:
    assert await text_of(tools, pattern="absent_word", glob="*.py") == "No match in 2 files."


async def test_a_limit_says_that_there_is_more(tools: Toolbox, root: Path) -> None:
    assert await text_of(tools, pattern="total", limit=2) == snapshot("""\
docs/latin.txt
1:café total

docs/no end.md
2:subtotal
[There are more than these 2 matching lines. Go on with offset=2, or narrow the pattern, path, glob or type.]\
""")
    assert await text_of(tools, pattern="total", limit=2, output="files") == snapshot("""\
docs/latin.txt
docs/no end.md
[There are more than these 2 files. Go on with offset=2, or narrow the pattern, path, glob or type.]\
""")
    (root / "many.txt").write_text("total\n" * 5)
    assert await text_of(tools, pattern="total", path="many.txt", limit=3) == snapshot("""\
many.txt
1:total
2:total
3:total
[There are more than these 3 matching lines. Go on with offset=3, or narrow the pattern, path, glob or type.]\
""")
    assert "more" not in await text_of(tools, pattern="total", path="many.txt", limit=5)
    assert await text_of(tools, pattern="total", path="many.txt", limit=1, output="count") == "many.txt:5"


async def test_matches_over_several_lines_are_found_when_asked_for(tools: Toolbox) -> None:
    assert await text_of(tools, pattern=r"import total.TOTAL", multiline=True) == snapshot("""\
src/b.py
1:from a import total
2:TOTAL = total([1])\
""")
    assert await text_of(tools, pattern="items):\n    return", literal=True, multiline=True) == snapshot("""\
src/a.py
3:def total(items):
4:    return sum(items)\
""")
    assert await text_of(tools, pattern=r"^total|s\)$", multiline=True, output="files") == (
        "docs/wide.txt\nsrc/a.py"
    )
    for pattern in (r"import total\nTOTAL", r"total\r?\n"):
        assert (await text_of(tools, pattern=pattern)).endswith("The pattern has a line end: set multiline.")
    assert (await text_of(tools, pattern=r"absent\\name")).endswith("files.")


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        ("py", "src/a.py\nsrc/b.py"),
        ("Python", "src/a.py\nsrc/b.py"),
        (".md", "docs/no end.md"),
        ("*.txt", "docs/latin.txt\ndocs/wide.txt"),
        ("d.ts", "No file was searched: none fits the type d.ts."),
    ],
)
async def test_type_of_files_is_a_name_or_an_extension(tools: Toolbox, kind: str, found: str) -> None:
    assert await text_of(tools, pattern="total", type=kind, output="files") == found


async def test_type_and_glob_hold_both(tools: Toolbox, root: Path, editor: FakeEditor) -> None:
    editor.open((root / "src/new.py").as_uri(), "total = 1\n")
    editor.open((root / "src/new.txt").as_uri(), "total = 1\n")
    editor.open((root / ".env.new").as_uri(), "total = 1\n")
    assert await text_of(tools, pattern="total", type="py", glob="*[bw].*", output="files") == snapshot("""\
src/new.py
src/b.py\
""")
    assert await text_of(tools, pattern="= 1", output="files") == "src/new.py\nsrc/new.txt"


@pytest.mark.parametrize("kind", ["src/*.py", "py,ts", "*"])
async def test_type_that_is_none_is_refused_with_the_way_out(tools: Toolbox, kind: str) -> None:
    outcome = await tools.call("grep", pattern="total", type=kind)
    assert outcome.status == "failed"
    assert outcome.text.endswith("is no type of files such as py or ts. Use glob for patterns of names.")


async def test_unsaved_text_is_searched_instead_of_what_is_on_disk(
    tools: Toolbox, root: Path, editor: FakeEditor
) -> None:
    editor.open((root / "src/a.py").as_uri(), "def unsaved_name():\n")
    editor.open((root / "src/new.py").as_uri(), "unsaved_name = 1\n")
    assert await text_of(tools, pattern="unsaved_name") == snapshot("""\
src/new.py
1:unsaved_name = 1

src/a.py
1:def unsaved_name():\
""")
    assert "src/a.py" not in await text_of(tools, pattern="total")


@pytest.mark.parametrize("pattern", ["needle", "(needle)+x?"])  # in the server, and in a program of its own
async def test_unsaved_text_that_is_too_large_is_named_and_what_is_stored_does_not_count(
    root: Path, editor: FakeEditor, pattern: str
) -> None:
    tools = make(root, editor, max_file_bytes=100)
    (root / "src/a.py").write_text("needle\n")
    editor.open((root / "src/a.py").as_uri(), "x = 1\n" * 50)
    editor.open((root / "src/new.py").as_uri(), "needle = 1\n" * 50)
    found = await text_of(tools, pattern=pattern)
    assert found.startswith("No match in ")
    assert "[2 files are too large to be searched here: src/new.py, src/a.py." in found


async def test_keys_are_not_searched_unless_they_are_named(tools: Toolbox) -> None:
    assert "No match" in await text_of(tools, pattern="SECRET_")
    assert await text_of(tools, pattern="SECRET_", path=".env") == ".env\n1:SECRET_total=1"
    preview = await tools.preview("grep", pattern="SECRET_", path=".env")
    assert preview.targets == (Target(Effect.READS, ".env"),), "so that the user is asked"


async def test_names_that_no_output_shows_as_they_are_are_searched_too(tools: Toolbox, root: Path) -> None:
    for name in ("-e total.txt", "line\nend.txt", "hidden\u200b.txt", "esc\x1b[0m.txt", " space "):
        (root / name).write_text("findable\n")
    found = await text_of(tools, pattern="findable", output="count")
    assert found.count(":1") == 5


async def test_long_lines_are_cut(root: Path, editor: FakeEditor) -> None:
    tools = make(root, editor, line_characters=80)
    (root / "long.txt").write_text(("needle" + "x" * 200 + "\n") * 50)
    assert "[… 126 more characters]" in await text_of(tools, pattern="needle")


async def test_long_line_is_cut_around_what_matches(root: Path, editor: FakeEditor) -> None:
    tools = make(root, editor, line_characters=80)
    (root / "long.txt").write_text("x" * 300 + "needle" + "y" * 200 + "\n" + "z" * 300 + "needle\n")
    lines = (await text_of(tools, pattern="needle")).splitlines()
    assert lines[1] == f"1:[280 characters …]{'x' * 20}needle{'y' * 54}[… 146 more characters]"
    assert lines[2] == f"2:[226 characters …]{'z' * 74}needle"


async def test_very_large_files_are_left_out(root: Path, editor: FakeEditor) -> None:
    tools = make(root, editor, max_file_bytes=100)
    (root / "large.txt").write_text("findable\n" * 300)
    (root / "large.bin").write_bytes(b"findable\0" * 20)
    (root / "utf16.txt").write_bytes(("findable\n" * 20).encode("utf-16"))
    remark = (
        "[2 files are too large to be searched here: large.txt, utf16.txt. "
        "One that is given as path is searched, line by line.]"
    )
    everywhere = await text_of(tools, pattern="findable")
    assert everywhere.startswith("No match in ")
    assert everywhere.endswith(remark)
    assert (await text_of(tools, pattern="total", output="files")).endswith(remark)
    for name in ("large.bin", "utf16.txt"):
        assert await text_of(tools, pattern="findable", path=name) == (
            f"Nothing was searched.\n[1 file is too large to be searched here: {name}. "
            "To search there, run grep in a shell.]"
        )
    assert await text_of(tools, pattern="findable", path="large.txt", multiline=True) == (
        "Nothing was searched.\n[1 file is too large to be searched here: large.txt. "
        "Without multiline, larger files are searched, too, line by line.]"
    )


@pytest.mark.parametrize("pattern", ["needle", r"n\w+dle"])  # with texts that it needs, and without
async def test_large_files_of_a_folder_are_searched_line_by_line(
    tools: Toolbox, root: Path, pattern: str
) -> None:
    filling = [f"line {number} {'x' * 60}\n" for number in range(90_000)]
    large = "".join([*filling[:70_000], "needle 1\n", *filling[70_000:], "needle 2"])
    (root / "notes").mkdir()
    (root / "notes/a.txt").write_text("needle 0\n")
    (root / "notes/b.txt").write_text(large)
    (root / "notes/c.txt").write_text("needle 3\n")
    a, b, c = "a.txt\n1:needle 0", "b.txt\n70001:needle 1\n90002:needle 2", "c.txt\n1:needle 3"
    given: dict[str, object] = {"pattern": pattern, "path": "notes"}
    found = await text_of(tools, **given)
    assert found == "\n\n".join(f"notes/{each}" for each in (a, b, c))
    assert await text_of(tools, **given, output="count") == "notes/a.txt:1\nnotes/b.txt:2\nnotes/c.txt:1"
    first = await text_of(tools, **given, limit=2)
    assert first.startswith(
        "notes/a.txt\n1:needle 0\n\nnotes/b.txt\n70001:needle 1\n[There are more than these 2"
    )
    assert await text_of(tools, **given, offset=2) == "notes/b.txt\n90002:needle 2\n\nnotes/c.txt\n1:needle 3"
    files = await text_of(tools, **given, output="files", limit=1, offset=1)
    assert files.startswith("notes/b.txt\n[There are more than this one file.")
    last = await text_of(tools, **given, output="files", offset=2)
    assert last == "notes/c.txt"


@pytest.mark.parametrize("pattern", ["need(le)?_9", r"n\w+_9"])  # with texts that it needs, and without
async def test_large_file_that_is_named_is_searched_line_by_line(
    tools: Toolbox, root: Path, pattern: str
) -> None:
    lines = [f"line {number} {'x' * 60}\n" for number in range(90_000)]
    for number in (0, 45_000, 45_001, 89_998):
        lines[number] = f"needle_9 {number}\n"
    (root / "large.txt").write_text("".join(lines))
    given: dict[str, object] = {"pattern": pattern, "path": "large.txt"}
    assert await text_of(tools, **given) == (
        "large.txt\n1:needle_9 0\n45001:needle_9 45000\n45002:needle_9 45001\n89999:needle_9 89998"
    )
    page = await text_of(tools, **given, offset=1, limit=1, context=1)
    assert page.splitlines()[:4] == [
        "large.txt",
        f"45000-{lines[44_999].strip()}",
        "45001:needle_9 45000",
        "45002-needle_9 45001",
    ]
    assert "[There are more than this one matching line. Go on with offset=2" in page
    assert await text_of(tools, **given, output="count") == "large.txt:4"
    assert await text_of(tools, **given, output="files") == "large.txt"
    assert "No more matches behind offset 4" in await text_of(tools, **given, offset=4)
    assert await text_of(tools, pattern="123-456", path="large.txt") == "No match in 1 file."


async def test_a_file_that_is_too_large_costs_nothing(tools: Toolbox, root: Path) -> None:
    with (root / "sparse").open("wb") as sparse:
        sparse.truncate(1 << 40)
    for watch in within(3.0):
        with watch:
            assert await text_of(tools, pattern="total", path="src", output="files") == "src/a.py\nsrc/b.py"
            assert "No match" in await text_of(tools, pattern="absent_word")


async def test_a_pattern_that_runs_away_is_stopped_with_what_was_found(
    root: Path, editor: FakeEditor
) -> None:
    tools = make(root, editor, timeout_s=0.5)
    (root / "trap.txt").write_text("aaa\n" + "a" * 40 + "!\n")
    (root / "early.txt").write_text("aaa\n")
    answer = ""
    for watch in within(4.0):
        with watch:
            answer = await text_of(tools, pattern="(a+)+$")
    assert answer.startswith("early.txt\n1:aaa\n[Stopped after 0.5 s; not every file was searched.")


async def test_endless_search_is_ended(
    root: Path, editor: FakeEditor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree, "_SEARCHER", (sys.executable, "-c", "import time; time.sleep(100)"))
    tools = make(root, editor, timeout_s=0.1)
    outcome = await tools.call("grep", pattern="(total)")
    assert outcome.text.startswith("Nothing was found until then.\n[Stopped after 0.1 s")


async def test_search_stopped_by_its_time_limit_returns_what_it_found(
    root: Path, editor: FakeEditor, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ["src/a.py", 1, [[2, True, "def total"]]]
    program = f"import time; print({json.dumps(lines)!r} + '\\n[cut', flush=True); time.sleep(100)"
    monkeypatch.setattr(tree, "_SEARCHER", (sys.executable, "-c", program))
    monkeypatch.setattr(tree, "_SPARE", 0.5)
    outcome = await make(root, editor, timeout_s=5).call("grep", pattern="(total)")
    assert outcome.text.startswith("src/a.py\n3:def total\n[Stopped after 5 s")


async def test_an_answer_that_is_too_long_says_that_there_is_more(
    root: Path, editor: FakeEditor, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "long.txt").write_text("total\n" * 400)
    monkeypatch.setattr(tree, "_ANSWER", 400)
    outcome = await make(root, editor).call("grep", pattern="(total)", path="src")
    assert "[There are more" not in outcome.text
    outcome = await make(root, editor).call("grep", pattern="(total)", limit=500)
    assert "[There are more" in outcome.text


async def test_a_search_for_what_is_common_needs_no_program(
    root: Path, editor: FakeEditor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program takes longer to start than ripgrep needs to print the first hundred lines."""
    for number in range(2_000):
        (root / f"{number}.txt").write_text("a common text\n")
    monkeypatch.setattr(tree, "_SEARCHER", (sys.executable, "-c", "import sys; sys.exit('not needed')"))
    found = await text_of(make(root, editor), pattern="common", limit=100)
    assert found.count("a common text") == 100
    assert "[There are more than these 100 matching lines." in found


@pytest.mark.parametrize(
    "pattern", ["(", "*", "[z-a]", "a{2,1}", "(?P<n>a)(?P<n>b)", "a{99999999999}", "a\nb"]
)
async def test_a_pattern_that_cannot_be_used_is_explained(tools: Toolbox, pattern: str) -> None:
    outcome = await tools.call("grep", pattern=pattern)
    assert outcome.status == "failed"
    assert outcome.text.startswith(
        ("The pattern is no regular expression of Python", "The pattern holds a line end")
    )


async def test_a_pattern_that_only_warns_is_used(tools: Toolbox) -> None:
    assert await text_of(tools, pattern="[[:a]1") == "src/b.py\n2:TOTAL = total([1])"


async def test_failing_search_program_is_reported(
    root: Path, editor: FakeEditor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree, "_SEARCHER", (sys.executable, "-c", "import sys; sys.exit('no memory')"))
    outcome = await make(root, editor).call("grep", pattern="(.)")
    assert outcome == ToolOutcome("The search failed: no memory", status="failed")


async def test_places_that_cannot_be_searched_are_reported(tools: Toolbox) -> None:
    for arguments in ({"path": "missing"}, {"path": ".."}, {"glob": "{a,b}" * 9}):
        outcome = await tools.call("grep", pattern="total", **arguments)
        assert outcome.status == "failed"
        assert outcome.text


@pytest.mark.parametrize("tool", ["grep", "glob"])
async def test_pipe_is_not_searched_and_is_called_what_it_is(tools: Toolbox, root: Path, tool: str) -> None:
    os.mkfifo(root / "pipe")
    outcome = await tools.call(tool, pattern="total", path="pipe")
    assert (outcome.status, "pipe is not a regular file" in outcome.text) == ("failed", True), outcome.text


@pytest.mark.parametrize(
    "how", [{}, {"context": 1}, {"output": "files"}, {"output": "count"}, {"multiline": True}]
)
async def test_rows_are_shown_as_they_are_found(tools: Toolbox, how: dict[str, Any]) -> None:
    """By the search in the server, and by the program: each row once, in the order of the answer."""
    text = await text_of(tools, pattern="total", **how)
    assert "".join(tools.shown) == text
    assert len(tools.shown) > 3


async def test_search_that_begins_anew_shows_each_file_once(
    tools: Toolbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick_search, "ALONE", 0.0)
    monkeypatch.setattr(quick_search, "SIEVED", 0.0)
    text = await text_of(tools, pattern="total")
    assert "".join(tools.shown) == text
