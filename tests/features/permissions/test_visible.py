"""What a human must see before saying yes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agls.features.permissions.visible import hidden_in, one_line, visible, visible_object


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("żółw 亀 🐢", "żółw 亀 🐢"),
        ("a\u202eb", "a\\u{202e}b"),
        ("a\u200bb", "a\\u{200b}b"),
        ("a\u00a0b", "a\\u{a0}b"),
        ("a\x1b[2Jb", "a\\u{1b}[2Jb"),
        ("a\rb", "a\\u{d}b"),
        ("a\r\nb", "a\r\nb"),
        ("a\tb\n", "a\tb\n"),
        ("\U000e0041", "\\u{e0041}"),
        ("a\u3164b", "a\\u{3164}b"),
        ("\ud800", "\\u{d800}"),
        ("☃\ufe0f ❤\ufe0f ‼\ufe0e", "☃\ufe0f ❤\ufe0f ‼\ufe0e"),
        ("a\ufe0f#\ufe0f", "a\\u{fe0f}#\\u{fe0f}"),
        ("\ufe0f", "\\u{fe0f}"),
        ("☃\ufe0f\ufe0f", "☃\ufe0f\\u{fe0f}"),
        ("\u2800\ufe0f", "\\u{2800}\\u{fe0f}"),
    ],
)
def test_hidden_characters_are_spelled_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_title_is_one_line() -> None:
    assert one_line("a\r\nb\tc\u202e") == "a\\r\\nb\\tc\\u{202e}"


def test_every_text_of_a_subject_is_made_visible() -> None:
    subject = {
        "command": "a\u202e",
        "n": 1,
        "changes": [{"patch": "\u200b", "x": None}, "\u2066"],
        "k\u200b": (),
    }
    assert visible_object(subject) == {
        "command": "a\\u{202e}", "n": 1, "changes": [{"patch": "\\u{200b}", "x": None}, "\\u{2066}"],
        "k\\u{200b}": [],
    }  # fmt: skip


@given(st.text())
def test_nothing_hidden_is_left(text: str) -> None:
    assert hidden_in(visible(text).replace("\r\n", "")) == ""
    assert "\n" not in one_line(text)
