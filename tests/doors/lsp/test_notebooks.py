"""A notebook through the product: read as cells, changed by one question, in the editor where it is open."""

import json

import pytest

from agls.views.transcript import fold
from support.lsp_editor import CAPABILITIES, LspEditor
from support.patience import wait_until
from support.rich_run import call
from support.wire import AGENT, Message, Wire, turns

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
    patch = asked["params"]["subject"]["changes"][0]["patch"]
    assert '-    "x = 1"\n+    "x = 2"\n' in patch if is_open else " [code cell]\n-x = 1\n+x = 2\n" in patch
    wanted = TEXT.replace("x = 1", "x = 2")
    assert (editor.documents[uri].text if is_open else path.read_text()) == wanted
    assert path.read_text() == (TEXT if is_open else wanted)


class NotebookEditor:
    """A client in which the notebook is open as such, with changes that are not saved."""

    def __init__(self) -> None:
        self.cells: list[Message] = [
            {"type": "code", "source": "x = 1  # not saved", "executionCount": 3, "output": "seen"},
            {"type": "markdown", "source": "# Title"},
        ]
        self.version = 1
        self.meanwhile, self.unsaved = False, True

    def show(self, params: Message) -> Message:
        """Answer `agent/notebook`."""
        is_ours = params["uri"].endswith("/n.ipynb")
        return {"notebook": self._notebook() if is_ours else None}

    def edit(self, params: Message) -> Message:
        """Answer `agent/editNotebook`."""
        if self.meanwhile:
            self.version += 1
        if params["version"] != str(self.version):
            return {"failureReason": "it was changed meanwhile"}
        at = params["cell"]
        if params["action"] == "insert":
            self.cells.insert(at, {"type": params["type"], "source": params["source"]})
        elif params["action"] == "delete":
            del self.cells[at]
        else:
            self.cells[at] = {**self.cells[at], "source": params["source"]}
        self.version += 1
        self.unsaved = True
        return {"notebook": self._notebook()}

    def _notebook(self) -> Message:
        return {
            "version": str(self.version),
            "unsaved": self.unsaved,
            "cells": [dict(cell) for cell in self.cells],
        }


OPEN = turns(
    {"calls": [call("read_file", path="n.ipynb")]},
    {"calls": [call("edit_notebook", path="n.ipynb", cell=0, source="x = 2")]},
    {"calls": [call("edit_notebook", path="n.ipynb", cell=2, action="insert", source="y = 3")]},
    {"calls": [call("edit_notebook", path="n.ipynb", cell=1, action="delete")]},
    {"calls": [call("edit_notebook", path="n.ipynb", cell=9, source="z")]},
    "done",
)


def started(serve: Serve, editor: NotebookEditor, script: Message) -> Wire:
    """A server whose client has the notebook open, and which allows everything."""
    wire = serve(script)
    (wire.workspace / "n.ipynb").write_text(TEXT)
    block = {**AGENT, "notebooks": {}}
    wire.initialize(block, capabilities=CAPABILITIES)
    once: Message = {"outcome": "selected", "optionId": "once"}
    wire.answers |= {
        "agent/requestPermission": lambda params: once,
        "agent/notebook": editor.show,
        "agent/editNotebook": editor.edit,
    }
    return wire


def outputs(wire: Wire, ended: Message) -> list[Message]:
    """The calls of a run, as they ended."""
    items = [event["data"]["item"] for event in wire.events if event["type"] == "itemCompleted"]
    return [item for item in items if item["kind"] == "toolCall"]


@pytest.mark.row(34)
def test_notebook_that_is_open_is_read_and_changed_in_the_editor(serve: Serve) -> None:
    """Its unsaved cells are read, each kind of change is one of a cell, and the file stays as it is."""
    editor = NotebookEditor()
    wire = started(serve, editor, OPEN)
    ended = wire.run(wire.session())
    assert ended["stopReason"] == "endTurn"
    read, replaced, inserted, deleted, missed = outputs(wire, ended)
    assert read["output"].split("\n") == [
        "[n.ipynb as it is in the editor, with changes that are not saved.]",
        "1\t[A notebook of 2 cells. Change them with edit_notebook.]",
        "2\t[cell 0: code, run as 3]",
        "3\tx = 1  # not saved",
        "4\t[output of cell 0]",
        "5\tseen",
        "6\t[cell 1: markdown]",
        "7\t# Title",
    ]
    said = "It is open in the editor, and changed there; it is not saved."
    assert replaced["output"] == f"Changed cell 0 of n.ipynb. {said}"
    assert inserted["output"] == f"Inserted cell 2 of n.ipynb. {said}"
    assert deleted["output"] == f"Deleted cell 1 of n.ipynb. {said}"
    assert "There is no cell 9: the last is 1" in missed["output"]
    rows = [item["changes"][0]["patch"].split("@@\n")[1] for item in (replaced, inserted, deleted)]
    assert rows == [
        " [code cell]\n-x = 1  # not saved\n+x = 2\n \n [markdown cell]\n # Title\n",
        " [markdown cell]\n # Title\n \n+[code cell]\n+y = 3\n+\n",
        " [code cell]\n x = 2\n \n-[markdown cell]\n-# Title\n-\n [code cell]\n y = 3\n \n",
    ]
    assert [(file["insertions"], file["deletions"]) for file in ended["filesChanged"]] == [(3, 3)]
    assert editor.cells == [
        {"type": "code", "source": "x = 2", "executionCount": 3, "output": "seen"},
        {"type": "code", "source": "y = 3"},
    ]
    assert (wire.workspace / "n.ipynb").read_text() == TEXT
    asked = wire.of_method("agent/requestPermission")
    assert "+x = 2" in asked[0]["params"]["subject"]["changes"][0]["patch"]


def test_notebook_that_the_user_changed_meanwhile_is_left_alone(serve: Serve) -> None:
    editor = NotebookEditor()
    editor.meanwhile = True
    wire = started(serve, editor, TURNS)
    _, edited = outputs(wire, wire.run(wire.session()))
    assert edited["status"] == "failed"
    assert "it was changed meanwhile" in edited["output"] and "Read n.ipynb again" in edited["output"]
    assert editor.cells[0]["source"] == "x = 1  # not saved"


def test_notebook_that_is_not_open_is_changed_on_the_disk(serve: Serve) -> None:
    """The client is asked, and says so."""
    editor = NotebookEditor()
    script = turns(
        {"calls": [call("read_file", path="m.ipynb")]},
        {"calls": [call("edit_notebook", path="m.ipynb", cell=0, source="x = 2")]},
        "done",
    )
    wire = started(serve, editor, script)
    (wire.workspace / "m.ipynb").write_text(TEXT)
    assert wire.run(wire.session())["stopReason"] == "endTurn"
    assert (wire.workspace / "m.ipynb").read_text() == TEXT.replace("x = 1", "x = 2")


START: list[Message] = [
    {"type": "code", "source": "x = 1  # not saved", "executionCount": 3, "output": "seen"},
    {"type": "markdown", "source": "# Title"},
]
END: list[Message] = [
    {"type": "code", "source": "x = 2", "executionCount": 3, "output": "seen"},
    {"type": "code", "source": "y = 3"},
]


def sources(editor: NotebookEditor) -> list[tuple[str, str]]:
    """What stands in the cells."""
    return [(cell["type"], cell["source"]) for cell in editor.cells]


@pytest.mark.row(34)
@pytest.mark.row(77)
def test_rewind_takes_back_the_changes_of_an_open_notebook_and_returns_to_them(serve: Serve) -> None:
    """Through the editor, cell by cell: its outputs and its undo stay its own, and nothing is saved."""
    editor = NotebookEditor()
    wire = started(serve, editor, OPEN)
    session = wire.session()
    wire.run(session)
    restore = {"sessionId": session, "name": "checkpoint.restore"}
    sketch = wire.call("agent/action/invoke", {**restore, "input": {"toItemId": "", "dryRun": True}})
    assert sketch["data"]["files"][0]["uri"].endswith("n.ipynb")
    assert editor.cells == END, "a dry run changes nothing"
    done = wire.call("agent/action/invoke", {**restore, "input": {"toItemId": ""}})["data"]
    assert (done["conflicts"], [change["via"] for change in done["changes"]]) == ([], ["editor"])
    assert sources(editor) == [("code", "x = 1  # not saved"), ("markdown", "# Title")]
    assert editor.cells[0]["output"] == "seen"
    assert (wire.workspace / "n.ipynb").read_text() == TEXT
    again = wire.call("agent/action/invoke", {**restore, "input": {"checkpointId": done["checkpointId"]}})
    assert again["data"]["conflicts"] == []
    assert sources(editor) == [("code", "x = 2"), ("code", "y = 3")]


def test_rewind_leaves_a_notebook_alone_that_the_user_changed_since(serve: Serve) -> None:
    editor = NotebookEditor()
    wire = started(serve, editor, OPEN)
    session = wire.session()
    wire.run(session)
    editor.cells[0] = {**editor.cells[0], "source": "mine"}
    editor.version += 1
    given = {"sessionId": session, "name": "checkpoint.restore", "input": {"toItemId": ""}}
    done = wire.call("agent/action/invoke", given)["data"]
    assert "changed by you or somebody else" in done["conflicts"][0]["reason"]
    assert sources(editor) == [("code", "mine"), ("code", "y = 3")]


def test_rewind_of_a_notebook_that_was_saved_before_its_change_is_made_in_the_editor(serve: Serve) -> None:
    """What it was is the file; the editor gets the cells of it."""
    editor = NotebookEditor()
    editor.cells, editor.unsaved = [{"type": "code", "source": "x = 1"}], False
    wire = started(serve, editor, TURNS)
    session = wire.session()
    wire.run(session)
    assert sources(editor) == [("code", "x = 2")]
    given = {"sessionId": session, "name": "checkpoint.restore", "input": {"toItemId": ""}}
    done = wire.call("agent/action/invoke", given)["data"]
    assert done["conflicts"] == []
    assert sources(editor) == [("code", "x = 1")]
    again = {**given, "input": {"checkpointId": done["checkpointId"]}}
    assert wire.call("agent/action/invoke", again)["data"]["conflicts"] == []
    assert sources(editor) == [("code", "x = 2")]


REVIEWED = turns(
    {"calls": [call("read_file", path="n.ipynb")]},
    {"calls": [call("edit_notebook", path="n.ipynb", cell=0, source="x = 2")]},
    {"calls": [call("edit_notebook", path="n.ipynb", cell=1, action="delete")]},
    {"calls": [call("edit_notebook", path="n.ipynb", cell=2, action="insert", source="y = 3")]},
    "done",
)


def rows(wire: Wire) -> list[Message]:
    """The changes that wait."""
    return wire.call("workspace/executeCommand", {"command": "agls.changes", "arguments": [{}]})["changes"]


def listed(wire: Wire) -> list[tuple[Message, ...]]:
    """The changes that wait: cell, line in it, what stood there, what stands there, and whether it does."""
    return [tuple(row[name] for name in ("cell", "line", "old", "new", "stands")) for row in rows(wire)]


@pytest.mark.row(34)
def test_changes_of_an_open_notebook_are_reviewed_by_cell(serve: Serve) -> None:
    """Each is kept or undone alone, in the editor's notebook; what the user went on with is left alone."""
    editor = NotebookEditor()
    editor.cells.append({"type": "code", "source": "[code cell]\nz = 0"})
    wire = started(serve, editor, REVIEWED)
    session = wire.session()
    wire.run(session)
    assert listed(wire) == [
        (0, 0, "x = 1  # not saved\n", "x = 2\n", True),
        (1, 0, "# Title\n", "", True),
        (2, 0, "", "y = 3\n", True),
    ]

    def act(name: str, change: str) -> Message:
        given: Message = {"change": change} if change else {}
        asked = {"sessionId": session, "name": f"changes.{name}", "input": given}
        return wire.call("agent/action/invoke", asked)

    shown = "`n.ipynb:1` cell 0 line 1\n```diff\n-x = 1  # not saved\n+x = 2\n```"
    assert shown in act("list", "")["output"][0]["text"]
    assert act("undo", "n.ipynb:2")["data"]["left"] == []
    act("undo", "n.ipynb:3")  # though the cell above it is another one now
    assert len(editor.cells) == 3
    act("redo", "n.ipynb:3")
    assert sources(editor)[1:3] == [("markdown", "# Title"), ("code", "[code cell]\nz = 0")]
    editor.cells[3]["source"] = "y = 4"
    editor.version += 1
    (_, hunk) = [row["hunk"] for row in rows(wire)][::-1]
    wire.call("workspace/executeCommand", {"command": "agls.revert", "arguments": [{"hunk": hunk}]})
    wait_until(lambda: sources(editor)[0] == ("code", "x = 1  # not saved"))
    assert editor.cells[0]["output"] == "seen"
    wait_until(lambda: [row[-1] for row in listed(wire)] == [False])
    assert "n.ipynb:1" in act("redo", "n.ipynb:1")["output"][0]["text"]
    assert sources(editor)[0] == ("code", "x = 2")
    act("keep", "n.ipynb:1")
    assert len(listed(wire)) == 1
    assert (wire.workspace / "n.ipynb").read_text() == TEXT, "it is the user who saves"


CLOSED = turns(
    {"calls": [call("read_file", path="m.ipynb")]},
    {"calls": [call("edit_notebook", path="m.ipynb", cell=0, source="x = 2")]},
    {"calls": [call("edit_notebook", path="m.ipynb", cell=1, action="insert", source="y = 3\nz = 4")]},
    "done",
)


@pytest.mark.row(34)
def test_changes_of_a_notebook_that_is_not_open_are_reviewed_by_cell(serve: Serve) -> None:
    """Undoing both gives the file back, byte for byte."""
    wire = started(serve, NotebookEditor(), CLOSED)
    path = wire.workspace / "m.ipynb"
    path.write_text(TEXT)
    session = wire.session()
    wire.run(session)
    assert listed(wire) == [(0, 0, "x = 1\n", "x = 2\n", True), (1, 0, "", "y = 3\nz = 4\n", True)]
    changes = [change for item in fold(wire.events).items.values() for change in item.get("changes", ())]
    assert '"source"' in changes[0]["patch"], "it is that of the file"
    assert [line for line in changes[0]["cells"].splitlines() if line[:1] in "+-"][2:] == ["-x = 1", "+x = 2"]
    assert "+[code cell]\n+y = 3\n+z = 4\n" in changes[1]["cells"]
    asked = {"sessionId": session, "name": "changes.list", "input": {}}
    shown = wire.call("agent/action/invoke", asked)["output"][0]["text"]
    assert "`m.ipynb:1` cell 0 line 1\n```diff\n-x = 1\n+x = 2\n```" in shown
    assert "`m.ipynb:2` cell 1 line 1\n```diff\n+y = 3\n+z = 4\n```" in shown
    for row in reversed(rows(wire)):
        given = {"command": "agls.revert", "arguments": [{"hunk": row["hunk"]}]}
        wire.call("workspace/executeCommand", given)
        wait_until(lambda gone=row["hunk"]: gone not in [left["hunk"] for left in rows(wire)])
    assert path.read_text() == TEXT


def test_changes_of_a_notebook_that_is_open_as_a_text_are_reviewed_by_line(serve: Serve) -> None:
    """So does an editor that knows no notebooks show them, in the lines of the document."""
    wire = started(serve, NotebookEditor(), CLOSED)
    path = wire.workspace / "m.ipynb"
    path.write_text(TEXT)
    wire.run(wire.session())
    document = {"uri": path.as_uri(), "languageId": "json", "version": 1, "text": path.read_text()}
    wire.notify("textDocument/didOpen", {"textDocument": document})
    first, _ = rows(wire)
    assert "cell" not in first and first["new"] == '    "x = 2"\n'
    assert path.read_text().splitlines()[first["line"]] == '    "x = 2"'
