"""The numbers on the security page are those of the corpora."""

import re
from pathlib import Path

import pytest

from . import test_commands, test_kept_rules, test_paths, test_protected

PAGE = Path(__file__).parents[2] / "SECURITY.md"
ROW = re.compile(r"\| ([^|]+) \| (\d+) \| (\d+) \| `([^`]+)` \|")
COUNTS = {
    "Shell: commands that hide": len(set(test_commands.corpus())),
    "Shell: commands that destroy": len(test_commands.DESTRUCTIVE.strip().splitlines()) + 1,
    "Prefix rules:": len(test_kept_rules.CARRYING),
    "Deny rules:": len(test_kept_rules.WHOLE),
    "Protected names: names": len(test_protected.NAMES),
    "Protected names: commands": len(test_protected.COMMANDS),
    "Paths:": len(test_paths.SPELLINGS),
}


@pytest.mark.parametrize("corpus", COUNTS)
def test_page_says_how_many_cases_a_corpus_has(corpus: str) -> None:
    rows = [found.groups() for found in ROW.finditer(PAGE.read_text())]
    (row,) = [row for row in rows if row[0].startswith(corpus)]
    assert int(row[1]) == COUNTS[corpus]
    assert row[2] == "0", "a promise with an escape is no promise"
    assert (PAGE.parent / row[3]).is_file()


def test_every_row_of_the_page_is_counted() -> None:
    assert len(ROW.findall(PAGE.read_text())) == len(COUNTS)
