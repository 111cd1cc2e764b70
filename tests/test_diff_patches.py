"""Unified diffs: ones that other programs understand, and that are there at once."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agls.diff import common_ends, compare, files_in
from support.patience import within

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "d\r", "é"]), max_size=30)


def test_a_patch_shows_what_changed_with_three_lines_around_it() -> None:
    before = "".join(f"{n}\n" for n in range(1, 21))
    after = before.replace("10\n", "ten\n").replace("20\n", "20")
    patch = compare("src/n.txt", before, after)
    assert patch.text == (
        "--- a/src/n.txt\n+++ b/src/n.txt\n"
        "@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n"
        "@@ -17,4 +17,4 @@\n 17\n 18\n 19\n-20\n+20\n\\ No newline at end of file\n"
    )
    assert (patch.insertions, patch.deletions) == (2, 2)


def test_a_new_file_comes_from_nowhere() -> None:
    assert compare("n", None, "a\nb\n").text == "--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n"
    assert compare("n", "", "a\n").text == "--- a/n\n+++ b/n\n@@ -0,0 +1,1 @@\n+a\n"


def test_equal_texts_have_no_patch() -> None:
    assert compare("n", "a\n", "a\n").text == compare("n", None, "").text == ""


@given(LINES.map("\n".join), LINES.map("\n".join))
def test_the_counts_are_those_of_the_patch(old: str, new: str) -> None:
    patch = compare("f", old, new)
    rows = patch.text.split("\n")[2:]
    assert patch.insertions == sum(row.startswith("+") for row in rows)
    assert patch.deletions == sum(row.startswith("-") for row in rows)
    assert (patch.text == "") == (old == new)


@given(st.text(alphabet="ab", max_size=9), st.text(alphabet="ab", max_size=9))
def test_common_ends_do_not_overlap(one: str, other: str) -> None:
    head, tail = common_ends(one, other)
    assert one[:head] == other[:head]
    assert one[len(one) - tail :] == other[len(other) - tail :]
    left, right = one[head : len(one) - tail], other[head : len(other) - tail]
    assert not (left and right) or (left[0] != right[0] and left[-1] != right[-1])


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "*** Begin Patch\n*** Update File: a b.py\n@@\n-x\n+y\n*** Add File: c.py\n+z\n*** End Patch",
            "a b.py|c.py",
        ),
        ("--- a/q.sql\t2024\n+++ b/q.sql\t2024\n@@ -1,2 +1 @@\n--- a comment\n-x\n+y\n", "q.sql"),
        ("--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n--- a/o\n+++ /dev/null\n", "n|o"),
        ("diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", "y"),
        ("echo '*** Update File: a'", ""),
        ("--- a rule\nand text\n", ""),
    ],
)
def test_files_of_a_patch_are_named_in_its_order(text: str, names: str) -> None:
    assert "|".join(files_in(text)) == names


@pytest.mark.skipif(not shutil.which("git"), reason="git applies the patches")
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=LINES, after=LINES, last=st.booleans())
def test_git_turns_the_old_text_into_the_new_one_with_it(
    tmp_path: Path, before: list[str], after: list[str], last: bool
) -> None:
    old, new = "\n".join(before) + "\n" * last, "\n".join(after) + "\n" * last
    patch = compare("n", old, new).text
    if patch and old and new:
        assert applied(tmp_path, old, patch) == new


@pytest.mark.skipif(not shutil.which("git"), reason="git applies the patches")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("".join(f"{n}\n" for n in range(3_000)), "".join(f"{n % 7}\n" for n in range(3_500))),
        ("top\n" + "x\n" * 2_500 + "end\n", "top\nend\n"),
        ("".join(f"{n}\n" for n in range(9)) + "x\n" * 2_500, "".join(f"{n}\n" for n in range(9)) + "y"),
    ],
    ids=["rewritten", "mostly deleted", "at the end"],
)
def test_patch_of_changes_too_large_to_compare_applies(tmp_path: Path, old: str, new: str) -> None:
    assert applied(tmp_path, old, compare("n", old, new).text) == new


def applied(folder: Path, old: str, patch: str) -> str:
    (folder / "n").write_bytes(old.encode())
    command = ("git", "apply", "--whitespace=nowarn", "-")
    subprocess.run(command, cwd=folder, input=patch.encode(), check=True)
    return (folder / "n").read_bytes().decode()


def test_a_huge_change_is_shown_at_once_as_one_block_and_cut() -> None:
    before, after = ("same\n" + "".join(f"{n % seed} words\n" for n in range(60_000)) for seed in (97, 89))
    for watch in within(2.0):
        with watch:
            patch = compare("n", before, after)
    assert "@@ -88,59914 +88,59914 @@\n 86 words\n 87 words\n 88 words\n-89 words\n" in patch.text
    assert len(patch.text) < 201_000
    assert patch.text.endswith("[The rest of this patch is left out.]\n")
    assert (patch.insertions, patch.deletions) == (60_000 - 89, 60_000 - 89)


def test_small_change_in_a_huge_text_is_found_fast() -> None:
    before = "".join(f"{n % 97} words\n" for n in range(200_000))
    for watch in within(1.0):
        with watch:
            patch = compare("n", before, before.replace("\n5 words", "\n5 swords", 1))
    assert patch.text.count("\n") == 11
