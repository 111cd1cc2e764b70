"""Single changes of a patch, read and found again in a text that went on."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agls.diff import compare, find, guess, is_made, lines_of, read_patch

ODD = ("a\n", "b\n", "c\r\n", "d é\n", "\n", "\\ No newline\n", "-x\n", "+y\n", "@@ -1,1 +1,1 @@\n")
END = st.sampled_from(["", "z"])
TEXT = st.builds(lambda lines, end: "".join(lines) + end, st.lists(st.sampled_from(ODD), max_size=30), END)


@settings(max_examples=300, deadline=None)
@given(TEXT, TEXT)
def test_a_patch_is_read_as_it_was_written(before: str, after: str) -> None:
    old, new = lines_of(before), lines_of(after)
    for hunk in read_patch(compare("a", before, after).text):
        assert tuple(old[hunk.was : hunk.was + len(hunk.old)]) == hunk.old
        assert tuple(new[hunk.line : hunk.line + len(hunk.new)]) == hunk.new
        assert hunk.old != hunk.new


NUMBERS = "".join(f"{number}\n" for number in range(1, 31))
MADE = NUMBERS.replace("10\n", "ten\n")


def test_a_patch_that_was_cut_off_gives_only_whole_changes() -> None:
    patch = compare("a", NUMBERS, MADE.replace("25\n", "five and twenty\n")).text
    assert len(read_patch(patch)) == 2
    assert len(read_patch(patch[:-5])) == 1
    assert len(read_patch(patch[:-60] + "\n[The rest of this patch is left out.]\n")) == 1
    assert read_patch("nonsense\n@@ -1,2 +1,2 @@") == []


def test_a_change_that_is_gone_is_looked_for_by_the_lines_around_it() -> None:
    hunk = read_patch(compare("a", NUMBERS, MADE).text)[0]
    assert guess(hunk, lines_of("0\n" + MADE.replace("ten\n", "mine\n")), 9) == 10
    assert guess(hunk, lines_of("0\n" + MADE.replace("9\nten\n", "mine\nmine\n")), 9) == 10
    assert guess(hunk, lines_of("nothing of it"), 9) == 9


@pytest.mark.parametrize(
    ("old", "new", "text", "made"),
    [
        ("1\n2\n3\n", "1\n3\n", "1\n3\n", True),
        ("1\n2\n3\n", "1\n3\n", "1\n2\n3\n", False),
        ("1\n2\n3\n", "1\n3\n", "1\nmine\n3\n", None),
        ("1\n2\n", "2\n", "1\n2\n", False),
        ("2\n", "1\n2\n", "1\n2\n", True),
        ("1\n2\n3\n", "1\nx\n3\n", "1\nx\n3\n1\n2\n3\n", None),
    ],
)
def test_is_made_says_which_text_stands_unless_it_cannot_tell(
    old: str, new: str, text: str, made: bool | None
) -> None:
    (hunk,) = read_patch(compare("a", old, new).text)
    assert is_made(hunk, lines_of(text)) is made


def test_mark_beside_a_change_is_in_the_place_of_some_key() -> None:
    """The record of a session has no key, the file has; in the change itself the mark is only a text."""
    (hunk,) = read_patch('--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n-a = 1\n+a = 2\n key = "[secret]"\n b = 2\n')
    assert find(hunk, ["a = 2\n", 'key = "0815"\n', "b = 2\n"], 0) == 0
    assert find(hunk, ["a = 2\n", 'other = "0815"\n', "b = 3\n"], 0) is None
    (hunk,) = read_patch('--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a = 1\n+key = "[secret]"\n b = 2\n')
    assert find(hunk, ['key = "0815"\n', "b = 2\n"], 0) is None
