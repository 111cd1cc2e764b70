"""Notebooks as lines of cells: there and back, their changes, and undoing them where no editor is."""

import json
from pathlib import Path
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from agls.diff import made, read_patch
from agls.features.review.notebooks import Notebooks
from agls.room.cell_lines import CellPlace, cells_in, cells_patch, cells_text, place_of
from agls.room.notebook_ports import CellEdit, CellText, OpenNotebook
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.fake_editor import FakeEditor

LINES = st.sampled_from(["", "x", "é", "[code cell]", "\\[raw cell]", "\\\\[markdown cell]", "[code cell] "])
SOURCE = st.lists(LINES, max_size=4).map("\n".join)
CELLS = st.lists(st.builds(CellText, st.sampled_from(["code", "markdown", "raw"]), SOURCE), max_size=5)
CODE = {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": [{"text": "1"}]}


class NothingOpen:
    """An editor in which no notebook is open."""

    async def find(self, uri: str) -> OpenNotebook | None:
        """Find nothing."""
        return None

    async def edit(self, notebook: OpenNotebook, edit: CellEdit, label: str) -> OpenNotebook:
        """Fail: nothing is open."""
        raise AssertionError(label)


@given(CELLS, CELLS)
def test_cells_are_lines_and_a_change_of_them_is_a_patch(
    before: list[CellText], after: list[CellText]
) -> None:
    assert cells_in(cells_text(before)) == before
    patch = cells_patch("n.ipynb", before, after).text
    assert made(cells_text(before), read_patch(patch)) == cells_text(after)


def test_every_line_is_one_of_a_cell() -> None:
    lines = cells_text([CellText("code", "a\nb"), CellText("raw", "")]).splitlines(keepends=True)
    places = [tuple(place_of(lines, at)) for at in range(len(lines) + 1)]
    assert places == [(0, 0), (0, 0), (0, 1), (0, 1), *[(1, 0)] * 4]
    assert place_of([], 0) == CellPlace(0, 0)


def test_inserted_cell_begins_with_its_own_line() -> None:
    """Above a cell of the same type, too, where it could begin with the line of that."""
    one, other = CellText("code", "x"), CellText("code", "y")
    patch = cells_patch("n", [one], [other, one])
    assert (patch.insertions, patch.deletions) == (3, 0)
    assert "+[code cell]\n+y\n+\n [code cell]\n x\n" in patch.text


async def test_notebook_that_is_closed_by_now_is_changed_on_the_disk(tmp_path: Path) -> None:
    """Every byte of it that is not of a changed cell stays."""
    cells = [{**CODE, "source": [source]} for source in ("a", "b", "c")]
    texts = [json.dumps({"cells": cells[:end], "nbformat": 4}, indent=1) for end in (3, 2)]
    path = tmp_path / "n.ipynb"
    workspace = OpenWorkspace(str(tmp_path), (), FakeEditor(), Processes())
    path.write_text(texts[0].replace('"b"', '"b = 2"'))
    notebooks = Notebooks(NothingOpen())
    text = await notebooks.read(path.as_uri(), workspace)
    assert text.lines[3:6] == ["[code cell]\n", "b = 2\n", "\n"]
    text.lines[4:] = ["b\n", "\n"]
    change = await notebooks.write(path.as_uri(), text, workspace, "undo")
    assert (change.via, path.read_text()) == ("disk", texts[1])
    again = await notebooks.read(path.as_uri(), workspace)
    again.lines[:0] = ["[markdown cell]\n", "\n", "\n"]
    await notebooks.write(path.as_uri(), again, workspace, "redo")
    found = cast("list[dict[str, str]]", json.loads(path.read_text())["cells"])
    assert [cell["cell_type"] for cell in found] == ["markdown", "code", "code"]
