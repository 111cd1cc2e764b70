"""Matching in a process of its own, over files as they are on disk and over texts."""

import asyncio
import os
import shutil
import sys
from pathlib import Path

import pytest

from agls.engine.ports import WorkspaceError
from agls.features.search.apart import Hits, Matcher
from agls.workspace.editor import NoEditor
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.patience import within

RIPGREP = shutil.which("rg", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}") or ""


def matcher(root: Path, expression: str, *, ignore_case: bool = False, seconds: float = 8) -> Matcher:
    workspace = OpenWorkspace(str(root), (), NoEditor(), Processes())
    return Matcher(workspace, expression, ignore_case, seconds)


async def test_texts_of_any_kind_arrive_as_they_are(tmp_path: Path) -> None:
    texts = ["größer\n日本\n\U0001f600\n", "half a pair: \ud800\nnul: \0\n", "", "x" * 3_000_000 + "\n日本"]
    hits = await matcher(tmp_path, "日本|\ud800|\0").lines(texts, 10, first_only=False)
    assert hits == [Hits(1, [1]), Hits(2, [0, 1]), Hits(0, []), Hits(1, [1])]


async def test_files_are_looked_at_as_they_are_on_disk(tmp_path: Path) -> None:
    (tmp_path / "yes.txt").write_text("a\nNeedle\n")
    (tmp_path / "no.txt").write_text("need\nle\n")
    (tmp_path / "line\nend \udcff".encode("utf-8", "surrogateescape").decode("utf-8", "replace")).write_text(
        "needle"
    )
    names = [*sorted(entry.name for entry in tmp_path.iterdir()), "gone.txt"]
    held = await matcher(tmp_path, "^needle$", ignore_case=True).files(names, 100)
    assert held == [name for name in names if name != "no.txt"], "what cannot be opened is not its to judge"


@pytest.mark.parametrize(
    "expression", ["needle", "NEEDLE|other thing", "(?:nee)dle$", r"\bneedle\d+", "needle.*ö"]
)
async def test_ripgrep_changes_no_result(
    tmp_path: Path, expression: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["needle", "a\r\nneedle 7\r\nö", "needle12 ö", "Other thing", "nee\ndle", "", "ne\0edle needle"]
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.txt").write_bytes(text.encode())
        (tmp_path / f"{number}.wide").write_bytes(text.encode("utf-16"))
        (tmp_path / f"{number}.latin").write_bytes(text.encode("latin-1"))
    names = sorted(entry.name for entry in tmp_path.iterdir())
    asking = matcher(tmp_path, expression, ignore_case=True)
    monkeypatch.setattr(OpenWorkspace, "which", lambda self, program: RIPGREP if program == "rg" else program)
    assert RIPGREP
    with_it = await asking.files(names, 1_000)
    monkeypatch.setattr(OpenWorkspace, "which", lambda self, program: "" if program == "rg" else program)
    assert with_it == await asking.files(names, 1_000)


async def test_a_pattern_that_runs_away_is_ended(tmp_path: Path) -> None:
    texts = ["a" * 40 + "!"]
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await matcher(tmp_path, "(a+)+$").lines(texts, 10, first_only=False)
    for watch in within(4.0):
        with watch, pytest.raises(WorkspaceError, match="The search failed"):
            await matcher(tmp_path, "(a+)+$", seconds=0.3).lines(texts, 10, first_only=False)


async def test_what_a_program_wrote_instead_of_an_answer_is_told(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match=r"(?s)The search failed: .*unterminated"):
        await matcher(tmp_path, "(").files(["a"], 100)


async def test_ten_thousand_files_are_looked_at_in_two_seconds(tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / f"{number}.txt").write_text("a line like any other\n" * 100)
    for number in range(9_900):
        os.link(tmp_path / f"{number % 100}.txt", tmp_path / f"link{number}.txt")
    names = sorted(entry.name for entry in tmp_path.iterdir())
    for watch in within(2.0):
        with watch:
            assert await matcher(tmp_path, r"\d{3}").files(names, 10_000) == []
