"""Where the hunks of a patch belong: order, anchors and lines decide, and in doubt nothing is done."""

import pytest

from agls.features.files.patch_text import read_patch_text
from agls.features.files.placing import apply_hunks
from agls.features.files.unplaced import Unplaced


def patched(text: str, *hunks: str) -> str:
    body = "\n".join(hunks)
    (patch,) = read_patch_text(f"*** Begin Patch\n*** Update File: a\n{body}\n*** End Patch")
    return apply_hunks(text, patch.hunks).text


def unified(text: str, body: str) -> str:
    (patch,) = read_patch_text(f"--- a/a\n+++ b/a\n{body}")
    return apply_hunks(text, patch.hunks).text


def refused(text: str, *hunks: str) -> str:
    with pytest.raises(Unplaced) as problem:
        patched(text, *hunks)
    return str(problem.value)


TWICE = "def a():\n    return 1\n\n\ndef b():\n    return 1\n"


def test_hunk_is_made_where_its_lines_are() -> None:
    assert patched("a\nb\nc\n", "@@", " a", "-b", "+B", " c") == "a\nB\nc\n"


def test_lines_that_are_several_times_need_something_that_decides() -> None:
    told = refused(TWICE, "@@", "-    return 1", "+    return 2")
    assert "fits in 2 places, lines 2, 6" in told


@pytest.mark.parametrize(
    "hunks",
    [
        ["@@ def b():", "-    return 1", "+    return 2"],
        ["@@ def b():", " def b():", "-    return 1", "+    return 2"],
        ["@@", "-def b():", "+def b():", "@@", "-    return 1", "+    return 2"],
        ["@@ -6,1 +6,1 @@", "-    return 1", "+    return 2"],
        ["@@", "-    return 1", "+    return 2", "*** End of File"],
    ],
    ids=["anchor", "anchor in the hunk", "order", "line", "end of file"],
)
def test_anchor_order_line_or_end_decides_between_equal_lines(hunks: list[str]) -> None:
    assert patched(TWICE, *hunks) == TWICE.replace("b():\n    return 1", "b():\n    return 2")


def test_hunk_that_was_made_below_its_anchor_is_not_made_above_it() -> None:
    text = TWICE.removesuffix("1\n") + "2\n"
    told = refused(text, "@@ def b():", "-    return 1", "+    return 2")
    assert "stand on line 2 only, above `def b():`" in told
    assert "stand there already, on line 6" in told


def test_hunk_that_was_made_is_not_made_again_because_its_last_empty_line_may_be_none() -> None:
    text = "def f():\n    x = 1\n\ny\n"
    rows = ["@@", " def f():", "     x = 1", "+    pass", " "]
    made = patched(text, *rows)
    assert made == text.replace("x = 1\n", "x = 1\n    pass\n")
    assert "are already there" in refused(made, *rows)
    assert "are already there" in refused(made, *rows[:-1], "")


def test_line_of_a_diff_decides_between_the_end_of_the_hunk_before_and_a_place_below() -> None:
    text = "class A:\n  def f():\n    x\n    return 1\n  def g():\n    x\n    return 1\n"
    first = "@@ -1,3 +1,3 @@\n class A:\n-  def f():\n+  def f(y):\n     x\n"
    second = "@@ -{0},2 +{0},2 @@\n     x\n-    return 1\n+    return 2\n"
    near, far = (unified(text, first + second.format(line)) for line in (3, 6))
    assert near == text.replace("f()", "f(y)").replace("return 1", "return 2", 1)
    assert far == text.replace("f()", "f(y)")[::-1].replace("1 nruter", "2 nruter", 1)[::-1]


@pytest.mark.parametrize("anchor", ["def g", "def g(", "def g(self"])
def test_only_line_that_begins_with_the_anchor_leads_to_the_place(anchor: str) -> None:
    text = "def f(self):\n    x = 1\ndef g(self):\n    x = 1\ndef go():\n    x = 1\n"
    made = text.replace("g(self):\n    x = 1", "g(self):\n    x = 2")
    assert patched(text, f"@@ {anchor}", "-    x = 1", "+    x = 2", "@@", " def go():") == made
    assert patched(text, f"@@ {anchor}", " def g(self):", "-    x = 1", "+    x = 2") == made


def test_anchor_with_which_several_lines_begin_decides_nothing() -> None:
    told = refused("fa b:\n x\nfa c:\n x\n", "@@ fa", "- x", "+ y")
    assert "fits in 2 places, lines 2, 4" in told
    assert "No line of the file is `fa`" in told


def test_hunks_that_are_not_in_the_order_of_the_file_are_refused() -> None:
    told = refused("a\nb\nc\n", "@@", "-c", "+C", "@@", "-a", "+A")
    assert "Hunk 2 overlaps the one before it, or stands above it" in told
    assert "1\ta" in told


def test_hunks_without_a_place_are_reported() -> None:
    told = refused("alpha_one\nbeta_two\n", "@@", "-alpha_onee", "+x", "@@", "-beta_twoo", "+y")
    assert "Hunk 1 was not found" in told
    assert "1\talpha_one" in told
    assert "Hunk 2 was not found" in told
    assert "2\tbeta_two" in told


def test_hunk_that_was_already_applied_is_reported() -> None:
    told = refused("def start():\n    run_it(2)\n", "@@", " def start():", "-    run_it(1)", "+    run_it(2)")
    assert "already there, on line 1" in told


def test_lines_that_stay_are_kept_as_the_file_has_them() -> None:
    text = "class A:\n  def f(self):  \n    return “a”\n    done()\n"
    hunk = ("@@", " def f(self):", "   return “a”", "-  done()", "+  finish()")
    assert patched(text, *hunk) == text.replace("done()", "finish()")


def test_line_ends_and_the_last_line_stay_as_they_are() -> None:
    assert patched("a\r\nb\r\nc", "@@", "-b", "+B", "+BB") == "a\r\nB\r\nBB\r\nc"
    assert patched("a\nb", "@@", " b", "+c") == "a\nb\nc"
    assert patched("a\r\nb\r\n", "@@", "-b") == "a\r\n"
    assert patched("a\r\nb\nc\r\n", "@@", "-b", "+B", "+BB", "-c", "+C") == "a\r\nB\nBB\r\nC\r\n"


def test_lines_without_a_place_of_their_own_are_added_only_where_that_is_sure() -> None:
    assert "does not say where" in refused("a\nb\n", "@@", "+c")
    assert patched("a\nb\n", "@@", "+c", "*** End of File") == "a\nb\nc\n"
    assert patched("a\nb\n", "@@ a", "+c") == "a\nc\nb\n"
    assert patched("", "@@", "+c") == "c\n"
    assert unified("a\n", "@@ -0,0 +1 @@\n+x\n") == "x\na\n"
    assert unified("a\n", "@@ -1,0 +2 @@\n+x\n") == "a\nx\n"


def test_empty_lines_between_the_sections_of_a_patch_are_not_looked_for() -> None:
    assert patched("a\nb\n", "@@", "-a", "+A", "", "") == "A\nb\n"


def test_diff_with_wrong_line_numbers_is_made_where_its_lines_are_if_that_is_one_place() -> None:
    assert unified("a\nb\n", "@@ -40,1 +40,1 @@\n-b\n+B\n") == "a\nB\n"
    with pytest.raises(Unplaced, match="fits in 2 places"):
        unified("b\nb\n", "@@ -40,1 +40,1 @@\n-b\n+B\n")


def test_end_of_the_last_line_goes_or_comes_when_the_diff_says_so() -> None:
    mark = "\\ No newline at end of file\n"
    assert unified("a\nb\n", f"@@ -2 +2 @@\n-b\n+B\n{mark}") == "a\nB"
    assert unified("a\nb", f"@@ -2 +2 @@\n-b\n{mark}+B\n") == "a\nB\n"


def test_only_the_first_hunks_without_a_place_are_described_in_full() -> None:
    told = refused("alpha_one\n", *(row for number in range(9) for row in ("@@", f"-beta_{number}", "+x")))
    assert "Hunk 3 was not found" in told
    assert told.endswith("[The hunks after hunk 3 were not looked at.]")


@pytest.mark.parametrize(
    ("hunks", "after"),
    [
        (["@@", " a", "-b", "+B", " c", "@@", " c", "-d", "+D"], "a\nB\nc\nD\ne\n"),
        (["@@", " a", "-b", "+B", " c", " d", "@@", " c", " d", "-e", "+E"], "a\nB\nc\nd\nE\n"),
        (["@@", " a", "-b", "+B", " c", "@@", "-c", "+C"], "a\nB\nC\nd\ne\n"),
        (["@@", " a", " b", "@@", " a", " b", "-c", "+C"], "a\nb\nC\nd\ne\n"),
    ],
    ids=["one line", "two lines", "goes after all", "no change before it"],
)
def test_hunk_may_begin_with_the_lines_that_end_the_one_before_it(hunks: list[str], after: str) -> None:
    assert patched("a\nb\nc\nd\ne\n", *hunks) == after


EQUAL = "start\na\nx\nb\nx\nc\nx\nend\n"
FIRST = ("@@", "-start", "+begin")
CHANGE = ("@@", "-x", "+y")


@pytest.mark.parametrize("rows", [CHANGE, ("@@", "-x", "+y", "@@", "-x", "+y")], ids=["one", "two of three"])
def test_hunk_with_little_around_it_does_not_stand_in_the_first_of_several_places(
    rows: tuple[str, ...],
) -> None:
    assert "Hunk 2 fits in" in refused(EQUAL, *FIRST, *rows)


@pytest.mark.parametrize(
    ("rows", "made"),
    [
        ((*FIRST, *CHANGE, *CHANGE, *CHANGE), EQUAL.replace("x", "y")),
        ((*FIRST, *CHANGE, "@@", "-b", "+B"), EQUAL.replace("x\nb", "y\nB")),
        (("@@", " b", *CHANGE, *CHANGE), EQUAL.replace("b\nx\nc\nx", "b\ny\nc\ny")),
    ],
    ids=["as many as places", "the one before the next", "behind a hunk that changes nothing"],
)
def test_hunks_around_it_leave_one_place_for_a_hunk(rows: tuple[str, ...], made: str) -> None:
    assert patched(EQUAL, *rows) == made.replace("start", "begin" if "-start" in rows else "start")


def test_anchor_does_not_decide_between_lines_of_its_own_block() -> None:
    text = "def a():\n    x = 1\n    go()\n    x = 1\n\n\ndef b():\n    x = 1\n"
    assert "fits in 2 places, lines 2, 4" in refused(text, "@@ def a():", "-    x = 1", "+    x = 2")
    made = patched(text, "@@ def b():", "-    x = 1", "+    x = 2")
    assert made == text.removesuffix("1\n") + "2\n"


def test_hunk_may_stand_in_lines_that_the_hunks_before_it_have_made() -> None:
    begin = ("@@", "-start", "+begin", "+more")
    text = "start\none\ntwo\nthree\n"
    assert patched(text, *begin, "@@", " more", "-one", "+1") == "begin\nmore\n1\ntwo\nthree\n"
    made = unified(text, "@@ -1,2 +1,2 @@\n-start\n+begin\n one\n@@ -1,3 +1,3 @@\n begin\n one\n-two\n+2\n")
    assert made == "begin\none\n2\nthree\n"
    told = refused(text, *begin, "@@", " more", "-two", "+2")
    assert "Hunk 2 was not found; nothing was changed" in told


@pytest.mark.parametrize(
    "hunks",
    [
        "@@ -4 +4 @@ def b():\n-    return 1\n+    return 2\n",
        "@@ -2 +2 @@ def b():\n-    return 1\n+    return 2\n",
        "@@ -2 +3 @@\n-    return 1\n+    return 2\n",
        "@@ -2 +2 @@\n-    return 1\n+    return 2\n@@ -8 +8 @@\n-def b():\n+def c():\n",
    ],
    ids=["no place", "another section", "numbers that disagree", "another hunk off"],
)
def test_line_of_a_diff_without_context_decides_only_if_nothing_speaks_against_it(hunks: str) -> None:
    text = TWICE.replace("\n\n\ndef", "\n\n\n\ndef") + "\n    return 1\n"
    with pytest.raises(Unplaced, match=r"Hunk \d (fits in \d places|was not found)"):
        unified(text, hunks)


def test_hunks_that_stand_as_far_off_as_each_other_decide_together() -> None:
    text = "top\n" + TWICE.replace(":", ":\n    x")
    hunks = "@@ -1 +1 @@\n-top\n+TOP\n@@ -{0},2 +{0},2 @@\n     x\n-    return 1\n+    return 2\n"
    made = text.replace("top", "TOP").removesuffix("1\n") + "2\n"
    assert unified(text, hunks.format(8)) == made
    assert unified(f"# new\n# lines\n{text}", hunks.format(8)) == f"# new\n# lines\n{made}"
    with pytest.raises(Unplaced, match="fits in 2 places"):
        unified(f"# new\n# lines\n{text}", hunks.format(10))


def test_hunk_that_begins_with_a_line_that_is_gone_is_refused() -> None:
    assert "Hunk 2 overlaps" in refused("a\nb\nc\n", "@@", "-a", "-b", "+X", "@@", "-b", "+Y")
