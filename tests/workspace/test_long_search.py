"""A file that is searched in blocks gives what the whole text gives."""

import os
import random
import re
from pathlib import Path

import pytest

from agls.workspace import long_search
from agls.workspace.long_search import LongSearch
from agls.workspace.searched_lines import lines_of

pytestmark = pytest.mark.row(32)


def plain(line: str, *, matches: bool) -> str:
    return line


def expected(text: str, context: int, skipped: int, left: int) -> tuple[list[tuple[int, bool, str]], bool]:
    lines = lines_of(text)
    numbers = [number for number, line in enumerate(lines) if "a" in line]
    page = numbers[skipped : skipped + left]
    near = sorted({at for each in page for at in range(each - context, each + context + 1)})
    rows = [(at, at in page, lines[at]) for at in near if 0 <= at < len(lines)]
    return rows, len(numbers) > skipped + left


@pytest.mark.parametrize("seed", range(40))
def test_blocks_give_what_the_whole_text_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    dice = random.Random(seed)
    end = dice.choice(["\n", "\r\n", "\r"])
    text = "".join(dice.choices(["a", "b", "\u00e9", end, end], k=dice.randint(1, 300)))
    (tmp_path / "a.txt").write_bytes(text.encode())
    monkeypatch.setattr(long_search, "_BLOCK", dice.randint(1, 40))
    for context in (0, 1, 3):
        skipped, left = dice.randint(0, 5), dice.randint(1, 8)
        asked = {"context": context, "by_line": True, "first_only": False}
        search = LongSearch(re.compile("a").search, plain, (skipped, left), asked)
        source = os.open(tmp_path / "a.txt", os.O_RDONLY)
        search.look(source, lambda block: b"a" in block)
        os.close(source)
        assert (search.rows, search.more) == expected(text, context, skipped, left)


def test_line_that_is_too_long_to_be_held_is_searched_in_parts_and_counted_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_search, "_BLOCK", 10)
    monkeypatch.setattr(long_search, "_LONGEST", 20)
    (tmp_path / "a.txt").write_text("b\n" + "a" * 95 + "\nb\na\n")
    asked = {"context": 0, "by_line": True, "first_only": False}
    search = LongSearch(re.compile("a").search, plain, (0, 9), asked)
    source = os.open(tmp_path / "a.txt", os.O_RDONLY)
    search.look(source, lambda block: True)
    os.close(source)
    assert [(at, is_match) for at, is_match, _ in search.rows] == [(1, True), (3, True)]
