"""SECURITY.md says of every promise whether it is proved, and by which tests."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
ROW = re.compile(
    r"^\| (P\d+) \| (.+) \| (.+) \| (\*\*(?:proved|partly|not yet proved)\*\*.+) \|$", re.MULTILINE
)
ROWS = {found[1]: found for found in ROW.finditer(PAGE)}


@pytest.mark.parametrize("promise", [f"P{number}" for number in range(1, 16)])
def test_every_promise_has_its_limit_and_its_state(promise: str) -> None:
    _, words, limit, state = ROWS[promise].groups()
    assert words.startswith("**"), "what is promised"
    assert limit.endswith("."), "and where it ends"
    if state.startswith("**partly**"):
        assert "Missing:" in state, "who says partly says what is missing"


def test_there_is_no_promise_beyond_these() -> None:
    assert list(ROWS) == [f"P{number}" for number in range(1, 16)]


def test_every_test_the_page_names_exists() -> None:
    named = re.findall(r"`(tests/[^`]+)`", PAGE)
    assert len(named) > 20
    assert [name for name in named if not _is_there(*name.split("::"))] == []


def _is_there(path: str, test: str = "") -> bool:
    return (ROOT / path).exists() and (not test or f"def {test}(" in (ROOT / path).read_text("utf-8"))


def test_every_attack_says_which_promise_it_is_made_on() -> None:
    attacks = (ROOT / "tests" / "security").glob("test_*.py")
    assert [path.name for path in attacks if f"tests/security/{path.name}" not in PAGE] == []


def test_no_marker_was_left_behind() -> None:
    assert "@@" not in PAGE
