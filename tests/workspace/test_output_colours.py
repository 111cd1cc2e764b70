"""The colours of an output: nothing else that terminals obey, and without them the output to the letter."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agls.terminal_codes import COLOUR, in_colours, without_colours
from agls.workspace.output import OutputBuffer, plain
from agls.workspace.output_colours import MOST, coloured_lines

CODES = (
    "\x1b[31m", "\x1b[0m", "\x1b[m", "\x1b[01;34m", "\x1b[38;5;200m", "\x1b[38:2::1:2:3m", "\x1b[38;5m",
    "\x1b[8m", "\x1b[2K", "\x1b[3A", "\x1b]0;title\x07", "\x1b]8;;http://x\x07", "\x1bPx\x1b\\", "\x1b",
    "\x9b31m", "\x1b[31",
)  # fmt: skip
PIECES = st.lists(st.sampled_from([*CODES, "a", "b c", "\n", "\r", "\r\n", "\u202e", "\b", "é"]), max_size=40)


@given(PIECES)
def test_without_its_colours_an_output_is_the_one_that_the_model_reads(pieces: list[str]) -> None:
    text = "".join(pieces)
    coloured = coloured_lines(text)
    assert not coloured or without_colours(coloured) == plain(text)
    assert "\x1b" not in COLOUR.sub("", coloured)
    assert all(re.fullmatch(r"\x1b\[\d+(;\d+)*m", code) for code in COLOUR.findall(coloured))


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("\x1b[31mred\x1b[0m ok", "\x1b[31mred\x1b[0m ok"),
        ("\x1b[1;32mgreen\nstill\x1b[m end", "\x1b[1;32mgreen\x1b[0m\n\x1b[1;32mstill\x1b[0m end"),
        ("\x1b[31m10%\r\x1b[32m100%\x1b[0m\r\n", "\x1b[31m\x1b[32m100%\x1b[0m\n"),
        ("\x1b[01;34mdir\x1b[0m", "\x1b[1;34mdir\x1b[0m"),
        ("\x1b[38:2::1:2:3mx\x1b[48:5:7my\x1b[0m", "\x1b[38;2;1;2;3mx\x1b[48;5;7my\x1b[0m"),
        ("\x1b[5;31mblink\x1b[8mhidden\x1b[0m", "\x1b[31mblinkhidden\x1b[0m"),
        ("\x1b[2J\x1b[33mw\x1b[K", "\x1b[33mw\x1b[0m"),
        ("\x1b[2Jno colours", ""),
        ("no codes", ""),
    ],
)
def test_colours_of_an_output(printed: str, shown: str) -> None:
    assert coloured_lines(printed) == shown


def test_colours_are_those_of_the_lines_that_are_left() -> None:
    printed = "\n".join(f"\x1b[3{number % 8}m{number}\x1b[0m" for number in range(9))
    text = "<mark>\n1\n2\n[5 lines are left out]\n8\nanother\n1"
    made = in_colours(text, printed)
    assert without_colours(made) == text
    assert [line for line in made.split("\n") if "\x1b" in line] == [
        "\x1b[31m1\x1b[0m", "\x1b[32m2\x1b[0m", "\x1b[30m8\x1b[0m",
    ]  # fmt: skip
    assert in_colours("[the key was taken out]", printed) == ""


def test_middle_of_a_long_output_has_no_colours() -> None:
    line = "\x1b[31m" + "x" * 90 + "\x1b[0m"
    long = "\n".join([line] * 5_000)
    assert MOST - 300 < len(coloured_lines(long)) <= MOST


def test_middle_that_was_not_kept_has_none() -> None:
    buffer = OutputBuffer(400)
    for number in range(100):
        buffer.feed(f"\x1b[31mline {number}\x1b[0m\n".encode())
    made = in_colours(buffer.text(), buffer.coloured())
    assert without_colours(made) == buffer.text()
    assert "\x1b[31mline 0\x1b[0m\n" in made
    assert made.endswith("\x1b[31mline 99\x1b[0m\n")
