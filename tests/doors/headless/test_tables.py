"""Tables of an answer in the terminal: in columns where there is room, else as lists. No word is cut."""

import re

import pytest

from agls.doors.headless.terminal_markdown import Rendered

CODES = re.compile(r"\x1b\[[0-9;]*m")
TABLE = """
| Name | What it does | Cost |
|---|---|---:|
| `an_option_with_a_long_name` | Turns on the first of the two checks of the **workspace** | 12 |
| `beta` | | 1 |

Behind it.
"""


def shown(columns: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines in a terminal of this width, without their looks."""
    monkeypatch.setenv("COLUMNS", str(columns))
    rendered = Rendered(colours=False)
    text = rendered.feed(TABLE) + rendered.finish()
    return text.replace("\x1b[1m", "").replace("\x1b[0m", "").splitlines()


def test_table_has_columns_where_its_words_have_room(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(60, monkeypatch)
    assert "an_option_with_a_long_name Turns on the first of the 12" in [
        " ".join(line.split()) for line in lines
    ]
    assert all(len(line) <= 60 for line in lines)


def test_rows_of_a_table_are_lists_where_a_word_would_be_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(34, monkeypatch) == [
        "• an_option_with_a_long_name",
        "  What it does: Turns on the first",
        "  of the two checks of the",
        "  workspace",
        "  Cost: 12",
        "• beta",
        "  Cost: 1",
        "",
        "Behind it.",
    ]


def test_code_keeps_its_empty_lines_and_gets_no_others() -> None:
    written = Rendered(colours=False)
    shown = (
        written.feed("Look:\n\n```\na = 1\n\n\nb = 2\n```\n\n| A |\n|---|\n| 1 |\n\nSo.\n") + written.finish()
    )
    assert [line.rstrip() for line in CODES.sub("", shown).split("\n")] == [
        "Look:", "", " a = 1", "", "", " b = 2", "", "A", "─", "1", "", "So.", ""
    ]  # fmt: skip
