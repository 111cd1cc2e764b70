"""Where a name stands: models count columns badly, and lines sometimes."""

import pytest

from agls.engine.ports import WorkspaceError
from agls.features.code_intelligence.positions import Cursor, find_symbol, lines_of, offset_at, starts_of

SHOP = """\
from money import price

class Basket:
    def total(self) -> int:
        return price(self) + 1

class Order:
    def total(self) -> int:
        return 2

totals = price
"""
LINES = lines_of(SHOP)


def test_symbol_without_a_line_is_found_where_it_is_defined() -> None:
    assert find_symbol(LINES, "total", None, "shop.py") == Cursor(3, 8)
    assert find_symbol(LINES, "Order.total()", None, "shop.py") == Cursor(7, 8)
    assert find_symbol(LINES, "price", None, "shop.py") == Cursor(0, 18), (
        "no definition: where it stands first"
    )


@pytest.mark.parametrize(("line", "found"), [(5, 4), (7, 4), (2, 0), (11, 10), (14, 10)])
def test_symbol_is_found_on_the_nearest_of_the_lines_around(line: int, found: int) -> None:
    assert find_symbol(LINES, "price", line, "shop.py").line == found


def test_symbol_far_from_the_given_line_is_refused_with_the_lines_that_have_it() -> None:
    with pytest.raises(
        WorkspaceError, match=r"total is not on line 20 of shop\.py\. It occurs on lines 4, 8\."
    ):
        find_symbol(LINES, "total", 20, "shop.py")


def test_symbol_that_is_only_a_part_of_a_word_is_not_there() -> None:
    with pytest.raises(WorkspaceError, match=r"otal does not occur in shop\.py\. Look for it with grep"):
        find_symbol(LINES, "otal", None, "shop.py")


@pytest.mark.parametrize(("encoding", "character"), [("utf-16", 6), ("utf-8", 8), ("utf-32", 5)])
def test_position_counts_in_the_units_of_the_server(encoding: str, character: int) -> None:
    lines = lines_of("a\r\n'\U0001f600' = name\n")
    cursor = find_symbol(lines, "name", None, "odd.py")
    assert cursor == Cursor(1, 6)
    expected = {"line": 1, "character": character + 1}
    assert cursor.position(lines, encoding) == expected
    text = "a\r\n'\U0001f600' = name\n"
    assert text[offset_at(lines, starts_of(text), expected, encoding) :] == "name\n"


def test_position_behind_the_last_line_is_the_end_of_the_text() -> None:
    assert offset_at(LINES, starts_of(SHOP), {"line": 99, "character": 0}, "utf-16") == len(SHOP)
