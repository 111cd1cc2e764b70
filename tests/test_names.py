"""Names of files as one line, and back."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agls.names import meant, spelled


@pytest.mark.parametrize(
    ("name", "text"),
    [("a b.txt", "a b.txt"), ("a\nb", r"a\nb"), ("\x1b[0m", r"\x1b[0m"), ("bad\udcff", r"bad\xff"),
     ("\u202egpj.exe", r"\u202egpj.exe"), ("c\x9b1", r"c\u009b1"), ("größer\\x", "größer\\x")],
)  # fmt: skip
def test_a_name_is_spelled_on_one_line_and_meant_again(name: str, text: str) -> None:
    assert spelled(name) == text
    assert meant(text) == name


@given(st.binary(min_size=1, max_size=20).filter(lambda name: b"\\" not in name))
def test_every_name_without_a_backslash_comes_back(data: bytes) -> None:
    name = os.fsdecode(data)
    assert meant(spelled(name)) == name
    assert spelled(name).isprintable() or not name.isprintable()
    assert "\n" not in spelled(name)
