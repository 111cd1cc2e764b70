"""What language servers answer, in each of the shapes of LSP 3.17, as places."""

from typing import Any

import pytest

from agls.engine.ports import WorkspaceError
from agls.features.code_intelligence.places import Place, called, hover_text, locations, problem, symbols
from agls.features.code_intelligence.rename import with_edits


def span(line: int, end: int | None = None) -> dict[str, Any]:
    """A range from the beginning of a line."""
    return {
        "start": {"line": line, "character": 2},
        "end": {"line": line if end is None else end, "character": 4},
    }


def test_locations_are_understood_in_each_shape_and_named_once() -> None:
    link = {"targetUri": "file:///b", "targetRange": span(1, 9), "targetSelectionRange": span(3)}
    one = {"uri": "file:///a", "range": span(5)}
    assert locations(None) == []
    assert locations(one) == [Place("file:///a", 5, 2, 5)]
    assert locations([one, link, one]) == [Place("file:///a", 5, 2, 5), Place("file:///b", 3, 2, 3)]
    assert locations([{"uri": 7, "range": "none"}, "nonsense"]) == []


def test_symbols_of_a_file_are_an_outline_in_the_order_of_lines() -> None:
    method = {"name": "total", "kind": 6, "range": span(2, 4), "selectionRange": span(2)}
    shop = {"name": "Basket", "kind": 5, "range": span(1, 5), "selectionRange": span(1), "children": [method]}
    first = {"name": "TAX", "kind": 14, "range": span(0), "selectionRange": span(0)}
    found = [(each.label, each.line, each.end) for each in symbols([shop, first], "file:///a")]
    assert found == [("constant TAX", 0, 0), ("class Basket", 1, 5), ("  method total", 2, 4)]


def test_symbols_of_the_workspace_say_what_they_are_in() -> None:
    row = {
        "name": "total",
        "kind": 12,
        "containerName": "shop",
        "location": {"uri": "file:///a", "range": span(4)},
    }
    assert [(each.uri, each.label) for each in symbols([row])] == [("file:///a", "function total (in shop)")]


def test_calls_name_the_caller_at_each_place_and_the_callee_once() -> None:
    item = {"name": "pay", "kind": 12, "uri": "file:///a", "range": span(1, 9), "selectionRange": span(1)}
    incoming = {"from": item, "fromRanges": [span(3), span(7)]}
    assert [(each.name, each.line, each.label) for each in called(incoming, "from")] == [
        ("pay", 3, ""),
        ("pay", 7, ""),
    ]
    (callee,) = called({"to": item, "fromRanges": [span(3)]}, "to")
    assert (callee.label, callee.line) == ("function pay", 1)
    for row in ({"to": None}, {"fromRanges": []}, {"to": {"name": "pay"}, "from": {"uri": None}}):
        assert [*called(row, "to"), *called({**row, "fromRanges": [span(3)]}, "from")] == []


def test_edits_without_a_place_and_overlapping_ones_change_nothing() -> None:
    word = {"start": {"line": 0, "character": 2}, "end": {"line": 0, "character": 4}}
    assert with_edits("é ab\n", [{"range": word, "newText": "c"}], "utf-16") == "é c\n"
    for rows in ([{"range": None, "newText": "c"}], [{"newText": "c"}], [{"range": word}, {"range": word}]):
        with pytest.raises(WorkspaceError, match="nothing was changed"):
            with_edits("é ab\n", rows, "utf-16")


def test_problem_is_one_line_with_its_severity_and_source() -> None:
    row = {"range": span(2), "severity": 2, "message": "not\n  used", "source": "pyright"}
    assert problem("file:///a", row).label == "warning: not used (pyright)"
    assert problem("file:///a", {"range": span(2), "message": "bad"}).label == "error: bad"


def test_hover_is_its_words_in_each_shape() -> None:
    marked = {"language": "python", "value": "def f()"}
    assert hover_text({"contents": [marked, "Adds.", None]}) == "def f()\n\nAdds."
    assert hover_text({"contents": {"kind": "markdown", "value": " text "}}) == "text"
    assert hover_text(None) == ""
