"""What a model is asked for an edit: whole lines, what stands around them, and the wish."""

import pytest

from agls.engine.ports import ModelRequest
from agls.engine.vocabulary import Text, UserMessage
from agls.inline_edit import EditTry, EditWish, Selection, whole_lines
from agls.inline_edit.questions import AROUND, completion_request, edit_request


@pytest.mark.parametrize(
    ("marked", "lines"),
    [
        ("a\nb|c|d\ne", "bcd"),
        ("a\n|b\n|c", "b"),
        ("a\n|b\r\n|c", "b"),
        ("a\nb|\nc|\nd", "b\nc"),
        ("a\n||\nc", ""),
        ("a\nb||", "b"),
        ("||", ""),
        ("|a\nb\n|", "a\nb"),
    ],
)
def test_selection_stands_for_the_lines_that_it_touches(marked: str, lines: str) -> None:
    before, inside, behind = marked.split("|")
    text = before + inside + behind
    start, end = whole_lines(text, len(before), len(before + inside))
    assert text[start:end] == lines


def words_of(request: ModelRequest) -> str:
    (message,) = request.messages
    assert isinstance(message, UserMessage)
    (text,) = message.content
    assert isinstance(text, Text)
    return text.text


def test_question_has_what_is_wrong_and_what_was_not_wanted_before() -> None:
    wish = EditWish("shorter", ["line 2: unused"], [EditTry("a loop", "for x in y: ...")])
    words = words_of(edit_request(Selection("a.py", "1\n2\n3", 2, 3), wish))
    assert "<selection>\n2\n</selection>" in words
    assert "- line 2: unused" in words
    assert "for x in y: ..." in words
    assert words.endswith("I want something else now: shorter")


def test_question_has_only_so_much_of_a_long_file() -> None:
    text = "a" * 50_000 + "HERE" + "b" * 50_000
    words = words_of(edit_request(Selection("a.txt", text, 50_000, 50_004), EditWish("go")))
    assert (words.count("a" * AROUND), len(words) < 2 * AROUND + 500) == (1, True)
    assert "a<cursor/>HERE" in words_of(completion_request(Selection("a.txt", text, 50_000, 50_000)))
