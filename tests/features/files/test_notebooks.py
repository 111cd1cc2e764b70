"""Notebooks: read as cells, changed by cell, and every other byte stays."""

import json
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from support.fake_editor import FakeEditor
from support.toolbox import Toolbox

PICTURE = {"image/png": "iVBOR…", "text/plain": ["<Figure>"]}
CELLS: list[dict[str, Any]] = [
    {"cell_type": "markdown", "id": "a1", "metadata": {}, "source": ["# Title\n", "Text: é"]},
    {
        "cell_type": "code",
        "execution_count": 3,
        "id": "b2",
        "metadata": {"tags": ["x"]},
        "outputs": [
            {"name": "stdout", "output_type": "stream", "text": ["one\n", "two\n"]},
            {"data": PICTURE, "metadata": {}, "output_type": "display_data"},
            {"ename": "ValueError", "evalue": "no", "output_type": "error", "traceback": []},
        ],
        "source": "import os\nprint('one')",
    },
]


def notebook(indent: int | None = 1, cells: list[dict[str, Any]] | None = None, minor: int = 5) -> str:
    whole = {
        "cells": CELLS if cells is None else cells,
        "metadata": {"kernelspec": {"name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": minor,
    }
    return json.dumps(whole, ensure_ascii=False, indent=indent) + "\n"


@pytest.fixture
def path(root: Path) -> Path:
    file = root / "n.ipynb"
    file.write_text(notebook())
    return file


def valid_cells(text: str) -> list[dict[str, Any]]:
    """The cells, each of which has what nbformat 4.5 wants of it."""
    whole = json.loads(text)
    assert whole.keys() == {"cells", "metadata", "nbformat", "nbformat_minor"}
    wanted = {
        "code": {"cell_type", "execution_count", "id", "metadata", "outputs", "source"},
        "markdown": {"cell_type", "id", "metadata", "source"},
        "raw": {"cell_type", "id", "metadata", "source"},
    }
    for cell in whole["cells"]:
        assert cell.keys() == wanted[cell["cell_type"]]
        assert isinstance(cell["source"], str) or all(isinstance(line, str) for line in cell["source"])
    assert len({cell["id"] for cell in whole["cells"]}) == len(whole["cells"])
    return whole["cells"]


async def test_notebook_is_read_as_cells_with_what_they_printed(tools: Toolbox, path: Path) -> None:
    assert (await tools.call("read_file", path="n.ipynb")).text == snapshot("""\
1	[A notebook of 2 cells. Change them with edit_notebook.]
2	[cell 0: markdown]
3	# Title
4	Text: é
5	[cell 1: code, run as 3]
6	import os
7	print('one')
8	[output of cell 1]
9	one
10	two
11	<Figure> [image/png]
12	ValueError: no\
""")


@pytest.mark.row(34)
async def test_cell_is_replaced_and_every_other_byte_stays(tools: Toolbox, path: Path) -> None:
    """Its outputs and its id stay, too."""
    await tools.call("read_file", path="n.ipynb")
    outcome = await tools.call("edit_notebook", path="n.ipynb", cell=0, source="# Other\nText: ü")
    assert (outcome.status, outcome.text) == ("completed", "Changed cell 0 of n.ipynb.")
    assert path.read_text() == notebook().replace("# Title", "# Other").replace("Text: é", "Text: ü")
    assert valid_cells(path.read_text())[0]["id"] == "a1"


@pytest.mark.row(34)
@pytest.mark.parametrize("at", [0, 1, 2])
@pytest.mark.parametrize("type", ["code", "markdown", "raw"])
async def test_inserted_cell_makes_a_valid_notebook(tools: Toolbox, path: Path, at: int, type: str) -> None:
    """Before the first cell, between two, and behind the last."""
    await tools.call("read_file", path="n.ipynb")
    made = {"path": "n.ipynb", "cell": at, "action": "insert", "type": type, "source": "x = 1\ny = 2"}
    assert (await tools.call("edit_notebook", **made)).status == "completed"
    cells = valid_cells(path.read_text())
    assert (cells[at]["cell_type"], cells[at]["source"]) == (type, ["x = 1\n", "y = 2"])
    assert [cell for number, cell in enumerate(cells) if number != at] == CELLS
    again = json.dumps(json.loads(path.read_text()), ensure_ascii=False, indent=1) + "\n"
    assert path.read_text() == again, "it looks as if Jupyter had written it"


@pytest.mark.parametrize("at", [0, 1])
async def test_deleted_cell_is_gone_and_the_rest_stays(tools: Toolbox, path: Path, at: int) -> None:
    await tools.call("read_file", path="n.ipynb")
    await tools.call("edit_notebook", path="n.ipynb", cell=at, action="delete")
    assert path.read_text() == notebook(cells=[cell for number, cell in enumerate(CELLS) if number != at])
    await tools.call("edit_notebook", path="n.ipynb", cell=0, action="delete")
    assert path.read_text() == notebook(cells=[])
    await tools.call("edit_notebook", path="n.ipynb", cell=0, action="insert", source="x")
    assert [cell["source"] for cell in valid_cells(path.read_text())] == [["x"]]


@pytest.mark.parametrize("indent", [None, 2, 4])
async def test_form_of_the_file_is_kept(tools: Toolbox, path: Path, indent: int | None) -> None:
    path.write_text(notebook(indent))
    await tools.call("read_file", path="n.ipynb")
    await tools.call("edit_notebook", path="n.ipynb", cell=0, source="# New")
    await tools.call("edit_notebook", path="n.ipynb", cell=1, action="insert", source="y = 1")
    assert [cell["source"] for cell in valid_cells(path.read_text())][:2] == [["# New"], ["y = 1"]]
    again = json.dumps(json.loads(path.read_text()), ensure_ascii=False, indent=indent) + "\n"
    assert path.read_text() == again


async def test_cell_of_an_older_notebook_gets_no_id(tools: Toolbox, path: Path) -> None:
    path.write_text(notebook(minor=2, cells=[]))
    await tools.call("read_file", path="n.ipynb")
    await tools.call("edit_notebook", path="n.ipynb", cell=0, action="insert", source="x")
    assert "id" not in json.loads(path.read_text())["cells"][0]


async def test_line_ends_of_the_file_are_kept(tools: Toolbox, path: Path) -> None:
    path.write_bytes(notebook().replace("\n", "\r\n").encode())
    await tools.call("read_file", path="n.ipynb")
    await tools.call("edit_notebook", path="n.ipynb", cell=1, action="insert", source="a\nb")
    data = path.read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n")


async def test_open_notebook_is_changed_in_the_editor(tools: Toolbox, path: Path, editor: FakeEditor) -> None:
    editor.open(path.as_uri(), path.read_text())
    await tools.call("read_file", path="n.ipynb")
    outcome = await tools.call("edit_notebook", path="n.ipynb", cell=0, source="# Other")
    assert [change.via for change in outcome.changes] == ["editor"]
    assert path.read_text() == notebook()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            {"cell": 2, "source": "x"},
            "the last is 1. Read the notebook again; insert as cell 2 adds one behind the others",
        ),
        ({"cell": 3, "action": "insert"}, "There is no cell 3"),
        ({"cell": 9, "action": "delete"}, "There is no cell 9"),
    ],
)
async def test_cell_that_is_not_there_is_refused(
    tools: Toolbox, path: Path, arguments: dict[str, Any], told: str
) -> None:
    await tools.call("read_file", path="n.ipynb")
    outcome = await tools.call("edit_notebook", path="n.ipynb", **arguments)
    assert (outcome.status, told in outcome.text) == ("failed", True)
    assert path.read_text() == notebook()


@pytest.mark.parametrize(
    "text", ["", "x", "[]", "{}", '{"cells": 1}', '{"cells": [1]}', '{"cells": ["x"]}', "[" * 100_000, "null"]
)
async def test_damaged_notebook_is_read_as_it_is_and_not_edited(
    tools: Toolbox, path: Path, text: str
) -> None:
    path.write_text(text)
    assert (await tools.call("read_file", path="n.ipynb")).status == "completed"
    outcome = await tools.call("edit_notebook", path="n.ipynb", cell=0, source="x")
    assert (outcome.status, "no notebook" in outcome.text) == ("failed", True)
    assert path.read_text() == text


async def test_cell_without_a_source_is_refused(tools: Toolbox, path: Path) -> None:
    path.write_text('{"cells": [{"cell_type": "code"}]}')
    await tools.call("read_file", path="n.ipynb")
    assert "has no source" in (await tools.call("edit_notebook", path="n.ipynb", cell=0, source="x")).text


async def test_replaced_cell_needs_its_new_source(tools: Toolbox, path: Path) -> None:
    before = path.read_bytes()
    await tools.call("read_file", path="n.ipynb")
    outcome = await tools.call("edit_notebook", path="n.ipynb", cell=1)
    assert (outcome.status, "source, the whole new text of cell 1, is missing" in outcome.text) == (
        "failed",
        True,
    )
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", ["[cell 0: code]\nprint(1)\n", "", "[]", "print(1)"])
async def test_notebook_is_not_overwritten_with_other_text(tools: Toolbox, path: Path, content: str) -> None:
    before = path.read_bytes()
    await tools.call("read_file", path="n.ipynb")
    outcome = await tools.call("write_file", path="n.ipynb", content=content)
    assert (outcome.status, "Change its cells with edit_notebook" in outcome.text) == ("failed", True)
    assert path.read_bytes() == before


async def test_notebook_must_have_been_read(tools: Toolbox, path: Path) -> None:
    outcome = await tools.call("edit_notebook", path="n.ipynb", cell=0, source="x")
    assert "was not read in this session" in outcome.text


async def test_edit_of_its_text_that_misses_is_pointed_to_the_cells(tools: Toolbox, path: Path) -> None:
    await tools.call("read_file", path="n.ipynb")
    outcome = await tools.call("edit_file", path="n.ipynb", old_text="import os\nprint('one')", new_text="x")
    assert outcome.text.endswith("It is a notebook: change its cells with edit_notebook.")


async def test_long_outputs_are_cut(tools: Toolbox, path: Path) -> None:
    printed = {"output_type": "stream", "text": "x" * 5_000}
    path.write_text(notebook(cells=[{**CELLS[1], "outputs": [printed, 1, {}]}]))
    assert "[… 3000 more characters]" in (await tools.call("read_file", path="n.ipynb")).text


async def test_missing_notebook_is_answered_with_the_near_name(tools: Toolbox, path: Path) -> None:
    outcome = await tools.call("edit_notebook", path="m.ipynb", cell=0)
    assert outcome.text == "m.ipynb does not exist. Did you mean n.ipynb?"


async def test_cell_is_not_replaced_by_one_of_another_type(tools: Toolbox, path: Path) -> None:
    await tools.call("read_file", path="n.ipynb")
    outcome = await tools.call("edit_notebook", path="n.ipynb", cell=0, source="x = 1", type="code")
    assert (outcome.status, "Cell 0 is of the type markdown" in outcome.text) == ("failed", True)
    assert path.read_text() == notebook()
    assert (
        await tools.call("edit_notebook", path="n.ipynb", cell=0, source="x", type="markdown")
    ).status == "completed"
