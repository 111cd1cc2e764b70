"""What a human must see before saying yes."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agls.features.permissions.visible import hidden_in, one_line, visible, visible_object

pytestmark = pytest.mark.promise("P3")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("żółw 亀 🐢", "żółw 亀 🐢"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("a\u200bb", "a⟨U+200B⟩b"),
        ("a\u00a0b", "a⟨U+00A0⟩b"),
        ("a\x1b[2Jb", "a⟨U+001B⟩[2Jb"),
        ("a\rb", "a⟨U+000D⟩b"),
        ("a\r\nb", "a\r\nb"),
        ("a\tb\n", "a\tb\n"),
        ("\U000e0041", "⟨U+E0041⟩"),
        ("a\u3164b", "a⟨U+3164⟩b"),
        ("\ud800", "⟨U+D800⟩"),
        ("☃\ufe0f ❤\ufe0f ‼\ufe0e", "☃\ufe0f ❤\ufe0f ‼\ufe0e"),
        ("a\ufe0f#\ufe0f", "a⟨U+FE0F⟩#⟨U+FE0F⟩"),
        ("\ufe0f", "⟨U+FE0F⟩"),
        ("☃\ufe0f\ufe0f", "☃\ufe0f⟨U+FE0F⟩"),
        ("\u2065\ufff0", "⟨U+2065⟩⟨U+FFF0⟩"),
        ("e" + "\u0301" * 5, "e" + "\u0301" * 3 + "⟨U+0301⟩" * 2),
        ("⟨U+202E⟩ ⟨5 spaces⟩ ⟨x⟩ x⟩", "⟨U+27E8⟩U+202E⟩ ⟨U+27E8⟩5 spaces⟩ ⟨x⟩ x⟩"),
        ("\u2800\ufe0f", "⟨U+2800⟩⟨U+FE0F⟩"),
    ],
)
def test_hidden_characters_are_spelled_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_title_is_one_line() -> None:
    assert one_line("a\r\nb\tc\u202e") == "a\\r\\nb\\tc⟨U+202E⟩"


def test_every_text_of_a_subject_is_made_visible() -> None:
    subject = {
        "command": "a\u202e",
        "n": 1,
        "changes": [{"patch": "\u200b", "x": None}, "\u2066"],
        "k\u200b": (),
    }
    assert visible_object(subject) == {
        "command": "a⟨U+202E⟩", "n": 1, "changes": [{"patch": "⟨U+200B⟩", "x": None}, "⟨U+2066⟩"],
        "k⟨U+200B⟩": [],
    }  # fmt: skip


@given(st.text())
def test_visible_text_has_no_hidden_character(text: str) -> None:
    assert hidden_in(visible(text).replace("\r\n", "")) == ""
    assert "\n" not in one_line(text)


def test_list_of_the_vs_code_client_is_fresh() -> None:
    script = Path(__file__).parents[3] / "scripts" / "hidden.py"
    ran = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
