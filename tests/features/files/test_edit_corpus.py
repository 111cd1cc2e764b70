"""Edits that models attempt, by the real tools: applied as a careful person would, or refused usefully."""

from pathlib import Path

import pytest

from support.edit_corpus import OWN, RECORDED, Case, attempt, load

TOOLS = {"search_replace"}
UNAVAILABLE = f"the recorded edits are not there ({RECORDED.parent.name})"


def _cases(file: Path) -> list[Case]:
    return [case for case in load(file) if case["tool"] in TOOLS] if file.is_file() else []


@pytest.mark.parametrize("case", _cases(OWN), ids=lambda case: f"{case['kind']}-{case['id']}")
async def test_each_of_our_own_cases_is_right(case: Case, tmp_path: Path) -> None:
    assert await attempt(case, tmp_path) == "right"


@pytest.mark.skipif(not RECORDED.is_file(), reason=UNAVAILABLE)
async def test_each_recorded_edit_is_right_and_none_is_applied_wrongly(tmp_path: Path) -> None:
    verdicts = {case["id"]: await attempt(case, tmp_path / case["id"]) for case in _cases(RECORDED)}
    assert {name: verdict for name, verdict in verdicts.items() if verdict != "right"} == {}
