"""Which changes of the agent wait, where they stand, and what undoing them makes of a text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agls.diff import compare, lines_of
from agls.engine.facts import Entry, Noted, Rewound, ToolFinished
from agls.engine.vocabulary import FileChange, FileVersion, JsonObject, ToolOutcome
from agls.features.review.edits import replace_hunks
from agls.features.review.notes import place
from agls.room.agent_changes import JUDGED, ROOM, AgentChange, SessionChanges, Verdict, verdict
from agls.room.editor_undo import verdicts

ODD = ("a\n", "b\n", "c\r\n", "d é\n", "\n", "\\ No newline\n", "-x\n", "+y\n", "@@ -1,1 +1,1 @@\n")
END = st.sampled_from(["", "z"])
TEXT = st.builds(lambda lines, end: "".join(lines) + end, st.lists(st.sampled_from(ODD), max_size=30), END)
DISTINCT = st.lists(st.integers(1, 40), unique=True, max_size=30).map(lambda n: "".join(f"{i}\n" for i in n))
URI = "file:///w/a"
NUMBERS = "".join(f"{number}\n" for number in range(1, 31))
MADE = NUMBERS.replace("10\n", "ten\n")


def change(before: str, after: str, uri: str = URI) -> FileChange:
    patch = compare("a", before, after).text
    return FileChange(uri, "modified", FileVersion(), FileVersion(), patch, "disk")


def finished(*changes: FileChange, seq: int = 1, call: str = "c") -> Entry:
    return Entry(seq, 0.0, ToolFinished(call, ToolOutcome("", changes=changes)))


def judge(known: SessionChanges, hunk_id: str, said: Verdict, **more: object) -> None:
    data: JsonObject = {**verdict(hunk_id, said), **more}
    known.take([Entry(known.seq + 1, 0.0, Noted(ROOM, JUDGED, data))])


def undone(text: str, known: SessionChanges) -> str:
    """The text with all that can be found undone, by one edit."""
    lines = lines_of(text)
    steps = [(each, each.hunk) for each in reversed(known.waiting())]
    for hunk_id, stood in replace_hunks(lines, steps).items():
        judge(known, hunk_id, "reverted", **place(stood))
    return "".join(lines)


def look(known: SessionChanges, text: str) -> None:
    """The user undid or redid something in the editor: this is the text now."""
    for noted in list(verdicts(known.once_undone(), lines_of(text))):
        known.take([Entry(known.seq + 1, 0.0, noted)])


def names(changes: list[AgentChange]) -> list[str]:
    return [each.hunk_id for each in changes]


@settings(max_examples=300, deadline=None)
@given(TEXT, TEXT)
def test_undoing_every_change_gives_the_text_before(before: str, after: str) -> None:
    known = SessionChanges()
    known.take([finished(change(before, after))])
    assert undone(after, known) == before
    assert not known.waiting()


@settings(max_examples=200, deadline=None)
@given(DISTINCT, DISTINCT, DISTINCT)
def test_undoing_two_edits_gives_the_text_before_both(first: str, second: str, third: str) -> None:
    known = SessionChanges()
    known.take([finished(change(first, second), call="a"), finished(change(second, third), seq=2, call="b")])
    assert undone(third, known) == first


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
def test_text_typed_around_a_change_stays_when_it_is_undone(typed: str) -> None:
    known = SessionChanges()
    known.take([finished(change(NUMBERS, MADE))])
    assert undone(typed, known) == typed.replace("ten\n", "10\n")


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
    known = SessionChanges()
    known.take([finished(change(NUMBERS, MADE))])
    assert undone(typed, known) == typed


@pytest.mark.parametrize(
    ("before", "after", "saved", "expected"),
    [
        ("a\nb\nc", "a\nb\nC", "a\nb\nC\n", "a\nb\nc\n"),
        ("a\nb\nc", "A\nb\nc", "A\nb\nc\n", "a\nb\nc\n"),
        ("a\nb\nc", "a\nb\nC", "a\nb\nC\nd\n", "a\nb\nc\nd\n"),
        ("a\nb\n", "a\nB\n", "a\nB", "a\nb"),
        ("a\nb\n", "a\n", "a", "a\nb\n"),
        ("a\nb", "a\nb\n", "a\nb", "a\nb"),
    ],
)
def test_last_line_that_got_an_end_or_lost_it_when_it_was_saved_is_no_obstacle(
    before: str, after: str, saved: str, expected: str
) -> None:
    known = SessionChanges()
    known.take([finished(change(before, after))])
    assert undone(saved, known) == expected


def test_files_that_went_back_or_away_have_no_changes_that_wait() -> None:
    known, made = SessionChanges(), change(NUMBERS, MADE)
    known.take([finished(made)])
    known.take([finished(made)])  # once more the same facts
    assert len(known.waiting()) == 1
    known.take([Entry(2, 0.0, Rewound("cp", changes=(made,)))])
    assert not known.waiting()
    known.take([finished(made, seq=3)])
    restored = {"by": "rewind_1", "files": [{"uri": "file:///w/a"}]}
    known.take([Entry(4, 0.0, Noted("checkpoints", "made", restored))])
    assert not known.waiting()
    known.take([finished(made, seq=5)])
    gone = FileChange("file:///w/a", "deleted", FileVersion(), FileVersion(), "", "disk")
    known.take([finished(gone, seq=6)])
    assert not known.waiting()


def test_a_change_that_is_undone_and_made_once_more_waits_only_as_the_new_one() -> None:
    known, done = SessionChanges(), change("1\n2\n3\n", "1\nx\n3\n")
    known.take([finished(done)])
    (first,) = known.waiting()
    judge(known, first.hunk_id, "reverted", **place(first.hunk))
    assert names(known.undone()) == [first.hunk_id]
    known.take([finished(done, seq=3, call="again")])
    assert known.undone() == []
    assert names(known.waiting()) == ["again/0/0"]


def test_changes_of_a_file_are_numbered_in_order_and_numbers_are_not_given_again() -> None:
    known = SessionChanges()
    known.take([finished(change(NUMBERS, MADE.replace("20\n", "twenty\n")))])
    known.take([finished(change("", "b\n", "file:///w/b"), seq=2, call="d")])
    assert [(each.uri[-1], each.number) for each in known.waiting()] == [("a", 1), ("a", 2), ("b", 1)]
    judge(known, "c/0/1", "kept")
    known.take([finished(change(NUMBERS, MADE), seq=known.seq + 1, call="e")])
    assert [each.number for each in known.waiting() if each.uri == URI] == [1, 3]


NEAR = NUMBERS.replace("10\n", "ten\n").replace("12\n", "twelve\n").replace("20\n", "twenty\n")


@pytest.mark.parametrize("at_once", [True, False])
def test_one_step_of_the_editors_undo_brings_back_all_that_was_undone(*, at_once: bool) -> None:
    known = SessionChanges()
    known.take([finished(change(NUMBERS, NEAR))])
    text = NEAR
    if at_once:
        text = undone(text, known)
    else:
        for each in known.waiting():  # from the first to the last: the lines around them change
            lines = lines_of(text)
            (stood,) = replace_hunks(lines, [(each, each.hunk)]).values()
            judge(known, each.hunk_id, "reverted", **place(stood))
            text = "".join(lines)
    assert text == NUMBERS
    for _ in range(2):
        look(known, NEAR)
        assert len(known.waiting()) == 3
        look(known, NUMBERS)
        assert len(known.undone()) == 3
    look(known, NUMBERS.replace("10\n", "mine\n"))
    assert len(known.undone()) == 3


def test_undo_steps_of_the_editor_one_by_one_bring_back_one_change_each() -> None:
    known = SessionChanges()
    known.take([finished(change(NUMBERS, NEAR))])
    undone(NEAR, known)
    first = NUMBERS.replace("10\n", "ten\n")
    for count, text in enumerate([first, first.replace("12\n", "twelve\n"), NEAR], 1):
        look(known, text)
        assert len(known.waiting()) == count
