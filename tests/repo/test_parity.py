"""The page of rows and tests is made from the tests, and fresh."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_spec = importlib.util.spec_from_file_location("parity", ROOT / "scripts" / "parity.py")
assert _spec
assert _spec.loader
parity = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(parity)


def test_the_page_is_fresh() -> None:
    assert (ROOT / "docs" / "parity.md").read_text(encoding="utf-8") == parity.made(), "run scripts/parity.py"


def test_every_row_stands_once_and_one_without_a_test_is_shown_as_missing() -> None:
    numbers = [number for rows in parity.ROWS.values() for number, _ in rows]
    assert numbers == list(range(1, 89))
    page = parity.made()
    missing = (set(numbers) - set(parity.tests_by_row())) | (set(parity.PORTS) - set(parity.tests_by_port()))
    assert page.count("**missing**") - 1 == len(missing)


def test_ports_that_are_built_have_their_acceptance_check_by_name() -> None:
    built = {
        "Budget gate",
        "Model resolver",
        "Audit",
        "Checkpointer",
        "Steer mailbox",
        "Delivery",
    }
    assert built <= parity.tests_by_port().keys()


def test_a_port_that_does_not_exist_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parity, "tests_by_port", lambda: {"Teleport": ["test_x"]})
    with pytest.raises(ValueError, match="no port"):
        parity.made()


def test_a_row_that_does_not_exist_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parity, "tests_by_row", lambda: {99: ["test_x"]})
    with pytest.raises(ValueError, match="no row"):
        parity.made()
