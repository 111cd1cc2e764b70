"""A notebook through the product: read as cells, changed by one question, in the editor where it is open."""

import json

import pytest

from support.lsp_editor import CAPABILITIES, LspEditor
from support.rich_run import call
from support.wire import AGENT, Message, turns

from .conftest import Serve

TEXT = json.dumps(
    {
        "cells": [
            {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": [], "source": ["x = 1"]}
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 2,
    },
    indent=1,
)
TURNS = turns(
    {"calls": [call("read_file", path="n.ipynb")]},
    {"calls": [call("edit_notebook", path="n.ipynb", cell=0, source="x = 2")]},
    "done",
)


@pytest.mark.row(34)
@pytest.mark.parametrize("is_open", [False, True])
def test_cell_is_changed_where_the_notebook_is(serve: Serve, is_open: bool) -> None:
    """On the disk, or in the editor's document."""
    wire = serve(TURNS)
    path = wire.workspace / "n.ipynb"
    path.write_text(TEXT)
    wire.initialize(AGENT, capabilities=CAPABILITIES)
    editor = LspEditor(wire.notify)
    uri = editor.open_file(path).uri if is_open else ""
    once: Message = {"outcome": "selected", "optionId": "once"}
    wire.answers |= {"agent/requestPermission": lambda params: once, "workspace/applyEdit": editor.apply}
    assert wire.run(wire.session())["stopReason"] == "endTurn"
    (asked,) = wire.of_method("agent/requestPermission")
    assert '+    "x = 2"' in asked["params"]["subject"]["changes"][0]["patch"]
    wanted = TEXT.replace("x = 1", "x = 2")
    assert (editor.documents[uri].text if is_open else path.read_text()) == wanted
    assert path.read_text() == (TEXT if is_open else wanted)
