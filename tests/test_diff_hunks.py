"""Single changes of a patch, found again in a text that went on (protocol#plain-mode)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agls.diff import compare, find, guess, is_made, lines_of, read_patch
from agls.doors.lsp.review import Review
from agls.doors.lsp.review import reverted as taken_back
from agls.engine.facts import Entry, Noted, Rewound, ToolFinished
from agls.engine.vocabulary import FileChange, FileVersion, ToolOutcome

ODD = ("a\n", "b\n", "c\r\n", "d é\n", "\n", "\\ No newline\n", "-x\n", "+y\n", "@@ -1,1 +1,1 @@\n")
END = st.sampled_from(["", "z"])
TEXT = st.builds(lambda lines, end: "".join(lines) + end, st.lists(st.sampled_from(ODD), max_size=30), END)
DISTINCT = st.lists(st.integers(1, 40), unique=True, max_size=30).map(lambda n: "".join(f"{i}\n" for i in n))


def change(before: str, after: str, uri: str = "file:///w/a") -> FileChange:
    patch = compare("a", before, after).text
    return FileChange(uri, "modified", FileVersion(), FileVersion(), patch, "disk")


def finished(*changes: FileChange, seq: int = 1, call: str = "c") -> Entry:
    return Entry(seq, 0.0, ToolFinished(call, ToolOutcome("", changes=changes)))


def reverted(text: str, review: Review, uri: str = "file:///w/a") -> str:
    """The text with all that can be found put back, the last change first."""
    for pending in reversed(review.of(uri)):
        lines = lines_of(text)
        place = find(pending.hunk, lines, pending.line)
        if place is not None:
            text = "".join((*lines[:place], *pending.hunk.old, *lines[place + len(pending.hunk.new) :]))
            note = taken_back(pending.hunk_id, change(text, text), pending.hunk)
            review.take([Entry(review.seq + 1, 0.0, note)])
    return text


@settings(max_examples=300, deadline=None)
@given(TEXT, TEXT)
def test_a_patch_is_read_as_it_was_written(before: str, after: str) -> None:
    old, new = lines_of(before), lines_of(after)
    for hunk in read_patch(compare("a", before, after).text):
        assert tuple(old[hunk.was : hunk.was + len(hunk.old)]) == hunk.old
        assert tuple(new[hunk.line : hunk.line + len(hunk.new)]) == hunk.new
        assert hunk.old != hunk.new


@settings(max_examples=300, deadline=None)
@given(TEXT, TEXT)
def test_reverting_every_change_gives_the_text_before(before: str, after: str) -> None:
    review = Review()
    review.take([finished(change(before, after))])
    assert reverted(after, review) == before
    assert not review.of("file:///w/a")


@settings(max_examples=200, deadline=None)
@given(DISTINCT, DISTINCT, DISTINCT)
def test_reverting_two_edits_gives_the_text_before_both(first: str, second: str, third: str) -> None:
    review = Review()
    review.take([finished(change(first, second), call="a"), finished(change(second, third), seq=2, call="b")])
    assert reverted(third, review) == first


NUMBERS = "".join(f"{number}\n" for number in range(1, 31))
MADE = NUMBERS.replace("10\n", "ten\n")


@pytest.mark.parametrize(
    "typed",
    [
        MADE.replace("1\n2\n", "0\n1\n2\n", 1),  # above
        MADE.replace("9\n", "nine\n", 1),  # right before it
        MADE.replace("11\n", "eleven\n", 1),  # right behind it
        MADE.replace("30\n", ""),  # below
        "".join(f"new {number}\n" for number in range(50)) + MADE,
    ],
)
def test_what_others_typed_around_a_change_stays(typed: str) -> None:
    review = Review()
    review.take([finished(change(NUMBERS, MADE))])
    assert reverted(typed, review) == typed.replace("ten\n", "10\n")


@pytest.mark.parametrize(
    "typed",
    [
        MADE.replace("ten\n", "TEN\n"),
        MADE.replace("ten\n", "ten\nten and a half\n").replace("9\n", "nine\n", 1),
        MADE.replace("9\nten\n11\n", "nine\nten\neleven\n"),  # all around it is the user's
        "0\n" + MADE + MADE,  # it could be either
        "",
    ],
)
def test_a_change_that_is_not_there_as_it_was_made_is_left_alone(typed: str) -> None:
    review = Review()
    review.take([finished(change(NUMBERS, MADE))])
    assert reverted(typed, review) == typed


def test_a_patch_that_was_cut_off_gives_only_whole_changes() -> None:
    patch = compare("a", NUMBERS, MADE.replace("25\n", "five and twenty\n")).text
    assert len(read_patch(patch)) == 2
    assert len(read_patch(patch[:-5])) == 1
    assert len(read_patch(patch[:-60] + "\n[The rest of this patch is left out.]\n")) == 1
    assert read_patch("nonsense\n@@ -1,2 +1,2 @@") == []


def test_files_that_went_back_or_away_have_no_changes_to_judge() -> None:
    review, made = Review(), change(NUMBERS, MADE)
    review.take([finished(made)])
    review.take([finished(made)])  # once more the same facts
    assert len(review.of("file:///w/a")) == 1
    review.take([Entry(2, 0.0, Rewound("cp", changes=(made,)))])
    assert not review.of("file:///w/a")
    review.take([finished(made, seq=3)])
    restored = {"by": "rewind_1", "files": [{"uri": "file:///w/a"}]}
    review.take([Entry(4, 0.0, Noted("checkpoints", "made", restored))])
    assert not review.of("file:///w/a")
    review.take([finished(made, seq=5)])
    gone = FileChange("file:///w/a", "deleted", FileVersion(), FileVersion(), "", "disk")
    review.take([finished(gone, seq=6)])
    assert not review.of("file:///w/a")
    assert not review.of("untitled:x")


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


def test_a_reverted_change_the_agent_makes_once_more_is_only_judged_as_the_new_one() -> None:
    review, done = Review(), change("1\n2\n3\n", "1\nx\n3\n")
    review.take([finished(done)])
    (first,) = review.all()
    review.take([Entry(2, 0.0, taken_back(first.hunk_id, done, first.hunk))])
    assert [each.hunk_id for each in review.undone(done.uri)] == [first.hunk_id]
    review.take([finished(done, seq=3, call="again")])
    assert review.undone(done.uri) == []
    assert [each.hunk_id for each in review.all()] == ["again/0/0"]
