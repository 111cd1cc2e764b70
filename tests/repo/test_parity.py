"""The pages that say which tests prove what are made from the marks of the tests, and fresh."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_spec = importlib.util.spec_from_file_location("parity", ROOT / "scripts" / "parity.py")
assert _spec
assert _spec.loader
parity = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(parity)
ROWS = {number: what for part in parity.ROWS.values() for number, what in part}


def test_pages_are_fresh() -> None:
    for page, text in parity.pages().items():
        assert page.read_text(encoding="utf-8") == text, "run scripts/parity.py"


def test_every_row_stands_once_and_one_without_a_test_is_shown_as_missing() -> None:
    assert list(ROWS) == list(range(1, 89))
    found = len(parity.tests_of("row", ROWS)) + len(parity.tests_of("port", parity.PORTS))
    assert parity.parity().count("| **missing** |") == len(ROWS) + len(parity.PORTS) - found


def test_ports_that_are_built_have_their_acceptance_check_by_name() -> None:
    built = {
        "Budget gate",
        "Model resolver",
        "Audit",
        "Checkpointer",
        "Steer mailbox",
        "Extra tools",
        "Input files",
        "Delivery",
    }
    assert built <= parity.tests_of("port", parity.PORTS).keys()


def test_every_item_of_the_conformance_list_has_a_test() -> None:
    assert parity.tests_of("item", parity.ITEMS).keys() == set(range(23, 46))


def test_every_promise_has_a_file_of_tests() -> None:
    assert parity.tests_of("promise", parity.PROMISES).keys() == set(parity.PROMISES)


@pytest.mark.parametrize(
    ("mark", "value", "known"),
    [
        ("row", 99, ROWS),
        ("port", "Teleport", parity.PORTS),
        ("item", 22, parity.ITEMS),
        ("promise", "P99", ()),
    ],
)
def test_mark_of_what_does_not_exist_is_refused(
    monkeypatch: pytest.MonkeyPatch, mark: str, value: object, known: object
) -> None:
    monkeypatch.setattr(parity, "marked", lambda: (parity.Marked("`test_x`", mark, value),))
    with pytest.raises(ValueError, match=f"there is no {mark}"):
        parity.tests_of(mark, known)


def test_no_docstring_names_a_row() -> None:
    """It would be on no page: what a test proves is said by a mark."""
    pattern = re.compile(r'"""[^"]{0,40}?\b(?:Rows? \d+[\d, and]*|Port [A-Z][a-z ]+):')
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    assert [path.name for path in files if pattern.search(path.read_text(encoding="utf-8"))] == []


def test_marks_of_tests_and_of_files_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parity, "ROOT", tmp_path)
    file = tmp_path / "test_some.py"
    file.write_text(
        'pytestmark = [pytest.mark.promise("P1", "P2"), pytest.mark.slow]\n'
        '@pytest.mark.row(1, 2)\n@pytest.mark.port("Audit")\n@pytest.mark.parametrize("x", [1])\n'
        "async def test_one(): ...\ndef test_none(): ...\n"
    )
    found = [tuple(marked) for marked in parity.marks_in(file)]
    assert found == [
        ("`test_some.py`", "promise", "P1"),
        ("`test_some.py`", "promise", "P2"),
        ("`test_some.py::test_one`", "row", 1),
        ("`test_some.py::test_one`", "row", 2),
        ("`test_some.py::test_one`", "port", "Audit"),
    ]
