"""Diffs without context, with hunks in another order, and files that take each other's places."""

import random
import re
import subprocess
from pathlib import Path

import pytest

from agls.workspace.editor import NoEditor
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.file_tools import file_tools
from support.toolbox import Toolbox

pytestmark = pytest.mark.row(31)
TEXT = """\
import os


def first(a, b):
    total = a + b
    return total


def second(a, b):
    total = a - b
    return total


def third(a, b):
    total = a * b
    return total
"""
HEAD = "--- a/a.py\n+++ b/a.py\n"


@pytest.fixture
async def tools(tmp_path: Path) -> Toolbox:
    (tmp_path / "a.py").write_text(TEXT)
    (tmp_path / "b.py").write_text("b = 1\n")
    made = Toolbox(file_tools(), OpenWorkspace(str(tmp_path), (), NoEditor(), Processes({})))
    for name in ("a.py", "b.py"):
        await made.call("read_file", path=name)
    return made


def files(root: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in root.iterdir()}


def place_of(text: str, line: int, *new: str) -> str:
    lines = text.splitlines()
    return "".join(f"{each}\n" for each in (*lines[:line], *new, *lines[line:]))


@pytest.mark.parametrize(
    ("hunks", "made"),
    [
        ("@@ -1,0 +2 @@ import os\n+import re\n", place_of(TEXT, 1, "import re")),
        ("@@ -5,0 +6 @@ def first(a, b):\n+    x()\n", place_of(TEXT, 5, "    x()")),
        ("@@ -0,0 +1 @@\n+# top\n", f"# top\n{TEXT}"),
        ("@@ -16,0 +17 @@\n+# end\n", f"{TEXT}# end\n"),
        ("@@ -11 +10,0 @@\n-    return total\n", TEXT.replace("a - b\n    return total\n", "a - b\n")),
        (
            "@@ -1,0 +2 @@\n+import re\n@@ -11 +12 @@\n-    return total\n+    return 2\n",
            place_of(TEXT.replace("a - b\n    return total", "a - b\n    return 2"), 1, "import re"),
        ),
    ],
)
async def test_diff_without_lines_around_its_changes_is_made_where_its_numbers_are_confirmed(
    tools: Toolbox, tmp_path: Path, hunks: str, made: str
) -> None:
    outcome = await tools.call("apply_patch", patch=HEAD + hunks)
    assert outcome.status == "completed", outcome.text
    assert (tmp_path / "a.py").read_text() == made


@pytest.mark.parametrize(
    "hunk",
    [
        "@@ -5,0 +6 @@\n+    x()\n",  # a number alone
        "@@ -5,0 +9 @@ def first(a, b):\n+    x()\n",  # two numbers that do not agree
        "@@ -11,0 +12 @@ def first(a, b):\n+    x()\n",  # the section is another one there
        "@@ -1,5 +1,6 @@\n+    x()\n",  # counts of lines that it does not have
        "@@ -5,0 +6 @@\n+    x()\n@@ -12 +13 @@\n-    return total\n+    return 2\n",  # the other one misses
    ],
)
async def test_lines_whose_place_is_a_mere_number_are_refused_with_what_stands_there(
    tools: Toolbox, tmp_path: Path, hunk: str
) -> None:
    outcome = await tools.call("apply_patch", patch=HEAD + hunk)
    assert outcome.status == "failed"
    told = "fits in 3 places" if "-    return" in hunk else "Around line"
    assert told in outcome.text, outcome.text
    assert (tmp_path / "a.py").read_text() == TEXT


async def test_hunks_of_a_diff_may_stand_in_another_order(tools: Toolbox, tmp_path: Path) -> None:
    hunks = [
        f"@@ -{line},3 +{line},3 @@\n def {name}(a, b):\n-    total = a {sign} b\n+    total = b {sign} a\n"
        "     return total\n"
        for name, line, sign in (("third", 14, "*"), ("first", 4, "+"), ("second", 9, "-"))
    ]
    outcome = await tools.call("apply_patch", patch=HEAD + "".join(hunks))
    assert outcome.status == "completed", outcome.text
    assert outcome.text.startswith("Edited a.py, lines 5, 10, 15.")
    assert (tmp_path / "a.py").read_text() == re.sub(r"a ([*+-]) b", r"b \1 a", TEXT)


@pytest.mark.parametrize("anchor", ["def first(a, b):", "import os"])
async def test_hunk_whose_anchor_stands_above_the_one_before_is_not_made_below_that(
    tools: Toolbox, tmp_path: Path, anchor: str
) -> None:
    rows = ["@@ def second(a, b):", "-    total = a - b", "+    total = 0"]
    rows += [f"@@ {anchor}", "-    return total", "+    return 1"]
    patch = "\n".join(("*** Begin Patch", "*** Update File: a.py", *rows, "*** End Patch"))
    outcome = await tools.call("apply_patch", patch=patch)
    assert (outcome.status, "Give the hunks in the order of the file" in outcome.text) == ("failed", True)
    assert (tmp_path / "a.py").read_text() == TEXT


def renamed(old: str, new: str, rows: str = "") -> str:
    head = f"diff --git a/{old} b/{new}\nsimilarity index 90%\nrename from {old}\nrename to {new}\n"
    return head + (f"--- a/{old}\n+++ b/{new}\n{rows}" if rows else "")


def moved(old: str, new: str) -> str:
    return f"*** Update File: {old}\n*** Move to: {new}\n"


B_ROWS = "@@ -1 +1 @@\n-b = 1\n+b = 2\n"


@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize("form", ["diff", "envelope"])
@pytest.mark.parametrize("last", ["c.py", "a.py"])
async def test_files_of_a_patch_take_the_places_of_others(
    tools: Toolbox, tmp_path: Path, form: str, last: str, *, in_order: bool
) -> None:
    one = renamed if form == "diff" else moved
    rows = {"rows": B_ROWS} if form == "diff" else {}
    parts = [one("b.py", last, **rows), one("a.py", "b.py")]
    patch = "".join(parts if in_order else parts[::-1])
    outcome = await tools.call(
        "apply_patch", patch=patch if form == "diff" else f"*** Begin Patch\n{patch}*** End Patch\n"
    )
    assert outcome.status == "completed", outcome.text
    assert files(tmp_path) == {"b.py": TEXT, last: "b = 2\n" if rows else "b = 1\n"}
    assert {change.uri.rpartition("/")[2] for change in outcome.changes} == {"a.py", "b.py", last}


async def test_file_that_is_moved_twice_is_at_its_last_place(tools: Toolbox, tmp_path: Path) -> None:
    patch = f"*** Begin Patch\n{moved('b.py', 'c.py')}{moved('c.py', 'd.py')}*** End Patch\n"
    outcome = await tools.call("apply_patch", patch=patch)
    assert outcome.status == "completed", outcome.text
    assert files(tmp_path) == {"a.py": TEXT, "d.py": "b = 1\n"}


async def test_file_may_move_to_where_the_patch_deletes_one(tools: Toolbox, tmp_path: Path) -> None:
    patch = f"*** Begin Patch\n*** Delete File: b.py\n{moved('a.py', 'b.py')}*** End Patch\n"
    outcome = await tools.call("apply_patch", patch=patch)
    assert outcome.status == "completed", outcome.text
    assert files(tmp_path) == {"b.py": TEXT}


async def test_edit_of_a_file_by_the_name_that_it_had_is_answered_with_the_new_one(
    tools: Toolbox, tmp_path: Path
) -> None:
    rows = "*** Update File: b.py\n@@\n-b = 1\n+b = 2\n"
    patch = f"*** Begin Patch\n{moved('b.py', 'c.py')}{rows}*** End Patch\n"
    outcome = await tools.call("apply_patch", patch=patch)
    assert (outcome.status, "the patch moves it to c.py" in outcome.text) == ("failed", True), outcome.text
    assert files(tmp_path) == {"a.py": TEXT, "b.py": "b = 1\n"}


def _random_text(rng: random.Random) -> str:
    lines: list[str] = []
    for number in range(rng.randrange(1, 6)):
        lines.append(f"def f{number}(a):")
        kinds = ("x = 1", "return a", "if a:", f"z = {rng.randrange(9)}", "")
        lines += [f"    {rng.choice(kinds)}".rstrip() for _ in range(rng.randrange(1, 6))]
    return "\n".join(lines) + "\n"


def _changed(text: str, rng: random.Random) -> str:
    lines = text.splitlines()
    for _ in range(rng.randrange(1, 5)):
        at, new = rng.randrange(len(lines)), f"    new({rng.randrange(99)})"
        lines[at : at + rng.randrange(3)] = [new] * rng.randrange(2)
    return "".join(f"{line}\n" for line in (*lines, "last"))


@pytest.mark.parametrize("context", [0, 1, 3])
@pytest.mark.parametrize("seed", range(8))
async def test_diffs_of_git_are_made_exactly_in_whatever_order_their_hunks_stand(
    tools: Toolbox, tmp_path: Path, seed: int, context: int
) -> None:
    rng = random.Random(seed)
    old = _random_text(rng)
    new = _changed(old, rng)
    for name, text in (("old", old), ("new", new)):
        (tmp_path / name).write_text(text)
    command = ["git", "diff", "--no-index", f"-U{context}", "old", "new"]
    shown = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True).stdout
    _, *hunks = re.split(r"(?m)^(?=@@)", shown)
    rng.shuffle(hunks)
    outcome = await tools.call("apply_patch", patch=f"--- a/old\n+++ b/old\n{''.join(hunks)}")
    assert outcome.status == "completed", outcome.text
    assert (tmp_path / "old").read_text() == new
