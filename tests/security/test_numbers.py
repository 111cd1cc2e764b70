"""The numbers on the security page are those of the corpora."""

import re
from pathlib import Path

import pytest

from . import (
    test_commands,
    test_denied_spellings,
    test_everyday,
    test_hostile_workspaces,
    test_injection,
    test_kept_rules,
    test_path_escapes,
    test_paths,
    test_protected,
    test_reading_commands,
    test_reading_spellings,
    test_sandbox,
)

PAGE = Path(__file__).parents[2] / "SECURITY.md"
ROW = re.compile(r"\| ([^|]+) \| (\d+) \| (\d+) \| `([^`]+)` \|")
EVERYDAY = {"without a rule": len(test_everyday.EVERYDAY)}
COUNTS = {
    "Shell: commands that hide": len(set(test_commands.corpus())),
    "Shell: commands that destroy": len(test_commands.DESTRUCTIVE.strip().splitlines()) + 1,
    "Prefix rules:": len(test_kept_rules.CARRYING),
    "Reading rules:": len(test_everyday.ESCAPES) + 1,
    "Reading commands:": len(test_reading_commands.ASKED.splitlines()),
    "Denied spellings:": len(test_denied_spellings.all_spellings()),
    "Escape recipes:": len(test_reading_spellings.ESCAPES),
    "Deny rules:": len(test_kept_rules.WHOLE),
    "Deny rules without": len(test_kept_rules.WALKS),
    "Protected names: names": len(test_protected.NAMES),
    "Protected names: commands": len(test_protected.COMMANDS),
    "Protected names: redirections": len(test_protected.written()),
    "Injection:": len(test_injection.SOURCES) * len(test_injection.WANTED),
    "Paths:": len(test_paths.SPELLINGS),
    "More paths:": len(test_path_escapes.PATHS),
    "Hostile workspaces:": len(test_hostile_workspaces.TREES),
    "Sandbox:": len(test_sandbox.ALL),
}


def row_of(corpus: str) -> tuple[str, ...]:
    rows = [found.groups() for found in ROW.finditer(PAGE.read_text())]
    (row,) = [row for row in rows if row[0].startswith(corpus)]
    assert (PAGE.parent / row[3]).is_file()
    return row


@pytest.mark.parametrize("corpus", COUNTS)
def test_page_says_how_many_cases_a_corpus_has(corpus: str) -> None:
    _, cases, escapes, _ = row_of(corpus)
    assert int(cases) == COUNTS[corpus]
    assert escapes == "0", "a promise with an escape is no promise"


@pytest.mark.parametrize("rules", EVERYDAY)
def test_page_says_how_many_everyday_commands_need_no_question(rules: str) -> None:
    _, cases, unasked, _ = row_of(rules)
    assert (int(cases), int(unasked)) == (len(test_everyday.EVERYDAY), EVERYDAY[rules])


def test_every_row_of_the_page_is_counted() -> None:
    assert len(ROW.findall(PAGE.read_text())) == len(COUNTS) + len(EVERYDAY)
