"""The text of patches: what is understood, and what is refused with the form to write."""

import pytest

from agls.features.files.patch_parts import FilePatch, PatchError, PatchHunk, PatchRow
from agls.features.files.patch_text import read_patch_text


def envelope(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


def test_envelope_names_what_becomes_of_each_file() -> None:
    text = envelope(
        "*** Update File: a.py",
        "@@ class A:",
        "@@ def f(self):",
        " one",
        "-two",
        "+2",
        "",
        "@@",
        "-three",
        "*** End of File",
        "*** Add File: new/b.py",
        "+x = 1",
        "+",
        "*** Delete File: c.py",
        "*** Update File: d.py",
        "*** Move to: e.py",
    )
    first = (PatchRow(" ", "one"), PatchRow("-", "two"), PatchRow("+", "2"), PatchRow(" ", ""))
    assert read_patch_text(text) == (
        FilePatch(
            "update",
            "a.py",
            hunks=(
                PatchHunk(1, first, ("class A:", "def f(self):")),
                PatchHunk(2, (PatchRow("-", "three"),), ends_file=True),
            ),
        ),
        FilePatch("add", "new/b.py", "x = 1\n\n"),
        FilePatch("delete", "c.py"),
        FilePatch("update", "d.py", to="e.py"),
    )


@pytest.mark.parametrize(
    "wrapped", ["```\n{}\n```", "```diff\n{}\n```", "\n\n{}\n\n", "apply_patch <<'EOF'\n{}\nEOF\n"]
)
def test_envelope_may_be_wrapped(wrapped: str) -> None:
    patch = envelope("*** Delete File: a.py")
    assert read_patch_text(wrapped.format(patch)) == (FilePatch("delete", "a.py"),)


def test_line_without_its_sign_is_one_that_stays() -> None:
    (patch,) = read_patch_text(envelope("*** Update File: a.py", "@@", "\tone", "-two"))
    assert patch.hunks[0].rows == (PatchRow(" ", "\tone"), PatchRow("-", "two"))


def test_range_of_a_diff_after_the_marks_says_where_the_hunk_begins() -> None:
    (patch,) = read_patch_text(envelope("*** Update File: a.py", "@@ -7,2 +7,1 @@ def f():", "-two"))
    assert (patch.hunks[0].line, patch.hunks[0].anchors) == (7, ())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = 1", "This is no patch"),
        ("*** Update File: a.py\n-x\n", "no line `*** Begin Patch`"),
        ("*** Begin Patch\n*** Update File: a.py\n-x", "may have been cut off"),
        (envelope(), "must name a file"),
        (envelope("-x", "*** Delete File: a.py"), "must name a file"),
        (envelope("*** Update File: a.py"), "nothing to update"),
        (envelope("*** Update File: "), "names no file"),
        (envelope("*** Update File: a.py", "*** Rename File: b"), "means nothing here"),
        (envelope("*** Add File: a.py", "x = 1"), "begins with +"),
        (envelope("*** Delete File: a.py", "-x"), "nothing may follow"),
        ("diff --git a/x b/x\nindex 1..2\n", "has no changes"),
        ("diff --git a b\nindex 1..2\n", "does not name its file"),
        ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "changed by a command (chmod)"),
        ("diff --git a/x b/x\nindex 1..2\nBinary files a/x and b/x differ\n", "no text"),
        ("diff --git a/x b/y\ncopy from x\ncopy to y\n", "does not copy files"),
        ("--- a/x\n+++ b/x\n", "has no changes"),
        ("--- /dev/null\n+++ b/x\n@@ -1,1 +1,1 @@\n-a\n+b\n", "only lines with a +"),
    ],
)
def test_text_that_cannot_be_read_is_refused_with_the_form(text: str, told: str) -> None:
    with pytest.raises(PatchError) as problem:
        read_patch_text(text)
    assert told in str(problem.value)


def test_unified_diff_names_what_becomes_of_each_file() -> None:
    text = """\
diff --git a/a.py b/a.py
index 1..2 100644
--- a/a.py
+++ b/a.py
@@ -3,2 +3,2 @@ def f():
 one
-two
+2
\\ No newline at end of file
diff --git a/old.py b/new.py
similarity index 100%
rename from old.py
rename to new.py
--- /dev/null
+++ b/made.py
@@ -0,0 +1 @@
+x = 1
--- gone.py
+++ /dev/null
@@ -1,2 +0,0 @@
--- a
-++ b
"""
    rows = (PatchRow(" ", "one"), PatchRow("-", "two"), PatchRow("+", "2"))
    one = PatchHunk(1, rows, line=3, final_end=False, section="def f():", new_line=3)
    gone = (PatchRow("-", "-- a"), PatchRow("-", "++ b"))
    assert read_patch_text(text) == (
        FilePatch("update", "a.py", hunks=(one,)),
        FilePatch("update", "old.py", to="new.py"),
        FilePatch("add", "made.py", "x = 1\n", must_be_new=True),
        FilePatch("delete", "gone.py", hunks=(PatchHunk(1, gone, line=1, new_line=1),)),
    )


def test_counts_of_a_diff_that_are_wrong_do_not_swallow_the_next_file() -> None:
    text = "--- a/a\n+++ b/a\n@@ -1,9 +1,9 @@\n-x\n+y\n--- a/b\n+++ b/b\n@@ -1,1 +1,1 @@\n-x\n+y\n"
    assert [patch.path for patch in read_patch_text(text)] == ["a", "b"]


def test_removed_final_line_end_differs_from_an_added_one() -> None:
    head = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n"
    mark = "\\ No newline at end of file\n"
    ends = [
        read_patch_text(head + body)[0].hunks[0].final_end
        for body in (f"-x\n{mark}+y\n", f"-x\n+y\n{mark}", f"-x\n{mark}+y\n{mark}", "-x\n+y\n")
    ]
    assert ends == [True, False, False, None]
