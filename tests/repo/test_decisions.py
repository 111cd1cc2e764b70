"""Decisions can be found by their number and their title."""

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "decisions"
PAGES = sorted(FOLDER.glob("[0-9]*.md"))
TITLE = re.compile(r"# (\d{3,4})[.:]? (\S.+)")
QUESTION = re.compile(r"(?:What|Who|How|Where|When|Why)\b[^,]*$")  # names a subject and decides nothing


def _number(page: Path) -> str:
    return page.name.partition("-")[0]


def test_a_number_belongs_to_one_decision() -> None:
    numbers = [_number(page) for page in PAGES]
    assert sorted({number for number in numbers if numbers.count(number) > 1}) == []


@pytest.mark.parametrize("page", PAGES, ids=_number)
def test_title_of_a_decision_states_it(page: Path) -> None:
    found = TITLE.fullmatch(page.read_text(encoding="utf-8").partition("\n")[0])
    assert found, "the first line is `# NNN Title`"
    assert found[1] == _number(page)
    assert not QUESTION.fullmatch(found[2]) or " is " in found[2], "say what was decided"
