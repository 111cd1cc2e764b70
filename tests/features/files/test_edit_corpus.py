"""Edits that models attempt, by the real tools: applied as a careful person would, or refused usefully."""

from pathlib import Path

import pytest

from support.edit_corpus import OWN, RECORDED, Case, attempt, load

TOOLS = {"search_replace", "apply_patch"}
PAGE = Path(__file__).parents[3] / "docs/edits.md"
UNAVAILABLE = f"the recorded edits are not there ({RECORDED.parent.name})"


def _cases(file: Path) -> list[Case]:
    return [case for case in load(file) if case["tool"] in TOOLS] if file.is_file() else []


@pytest.mark.parametrize("case", _cases(OWN), ids=lambda case: f"{case['kind']}-{case['id']}")
async def test_each_of_our_own_cases_is_right(case: Case, tmp_path: Path) -> None:
    assert await attempt(case, tmp_path) == "right"


NOT_RIGHT = {
    "s050": (
        "wrong",
        "it fits the file as it stands; that it was refused when it was recorded has no visible reason",
    ),
    "s051": (
        "useless",
        "it was applied with another indentation of a line that stays, which nobody asked for",
    ),
}


@pytest.mark.skipif(not RECORDED.is_file(), reason=UNAVAILABLE)
@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow)])
async def test_each_recorded_edit_is_right_and_none_is_applied_wrongly(tmp_path: Path, every: int) -> None:
    verdicts = {case["id"]: await attempt(case, tmp_path / case["id"]) for case in _cases(RECORDED)[::every]}
    others = {name: verdict for name, verdict in verdicts.items() if verdict != "right"}
    assert others == {name: verdict for name, (verdict, _) in NOT_RIGHT.items() if name in verdicts}


@pytest.mark.skipif(not RECORDED.is_file(), reason=UNAVAILABLE)
@pytest.mark.parametrize(
    ("row", "tool"), [("search and replace", "search_replace"), ("patches", "apply_patch")]
)
def test_page_has_the_figures(row: str, tool: str) -> None:
    cases = [case["id"] for case in load(RECORDED) if case["tool"] == tool]
    others = [verdict for name, (verdict, _) in NOT_RIGHT.items() if name in cases]
    figures = [len(cases), len(cases) - len(others), others.count("useless"), others.count("wrong")]
    assert f"| {row} | {' | '.join(map(str, figures))} |" in PAGE.read_text(encoding="utf-8")
