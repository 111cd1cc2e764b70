"""The language servers of the editor are asked first: by `agent/codeQuery` and `agent/diagnostics`."""

from typing import Any

from agls.views.transcript import fold
from support.lsp_editor import LspEditor, attach
from support.wire import Message, Wire, turns

from .conftest import Serve

SHOP = "def total(items):\n    return sum(items)\n\n\nname = 'ä😀'; total([1])\n"
MAIN = "from shop import total\n"


def call(name: str, **arguments: Any) -> Message:
    return {"calls": [{"name": name, "arguments": arguments}]}


def code(operation: str, **arguments: Any) -> Message:
    return call("code_intelligence", operation=operation, **arguments)


class Scene:
    """An editor with `shop.py` open; `answers` are those of its language servers, by method."""

    def __init__(self, serve: Serve, *made: Message) -> None:
        self.wire: Wire = serve(turns(*made, "done"))
        self.editor: LspEditor = attach(self.wire, code=True)
        for name, text in (("shop.py", SHOP), ("main.py", MAIN)):
            (self.wire.workspace / name).write_text(text)
        self.shop, self.main = ((self.wire.workspace / name).as_uri() for name in ("shop.py", "main.py"))
        self.editor.open_file(self.wire.workspace / "shop.py")
        self.answers: dict[str, Any] = {}
        self.queries: list[Message] = []
        self.shown: list[list[Message]] = []  # what is shown as wrong in shop.py, each time it is asked
        self.asked: list[Message] = []
        self.wire.answers["agent/codeQuery"] = self._answer
        self.wire.answers["agent/diagnostics"] = self._wrong
        self.session = self.wire.session()

    def _answer(self, params: Message) -> Message:
        self.queries.append(params)
        known = params["method"] in self.answers
        return {"answered": known, "result": self.answers.get(params["method"])}

    def _wrong(self, params: Message) -> Message:
        self.asked.append(params)
        rows = self.shown.pop(0) if self.shown else []
        return {"files": [{"uri": self.shop, "diagnostics": rows}] if rows else []}

    def run(self) -> list[str]:
        """Give what the model is told by its calls."""
        ended = self.wire.run(self.session)
        told = [event for event in self.wire.events if event.get("runId") == ended["runId"]]
        return [item["output"] for item in fold(told).items.values() if item["kind"] == "toolCall"]


def span(line: int, start: int, end: int) -> Message:
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}


BY = "[From the editor's language servers.]"


def test_definition_is_asked_of_the_editor_with_positions_as_it_counts_them(serve: Serve) -> None:
    scene = Scene(serve, code("definition", path="shop.py", symbol="total", line=5))
    scene.answers["textDocument/definition"] = [{"uri": scene.shop, "range": span(0, 4, 9)}]
    assert scene.run() == [f"shop.py\n1:def total(items):\n{BY}"]
    (query,) = scene.queries
    assert query["sessionId"] == scene.session
    assert query["params"] == {
        "textDocument": {"uri": scene.shop},
        "position": {"line": 4, "character": len("name = 'ä😀'; ") + 1},  # two units for the face
    }


def test_calls_go_back_to_the_editor_with_its_own_item(serve: Serve) -> None:
    scene = Scene(serve, code("incoming_calls", path="shop.py", symbol="total"))
    item = {"name": "total", "kind": 12, "uri": scene.shop, "range": span(0, 0, 1), "data": {"own": 7}}
    caller = {"name": "shop", "kind": 2, "uri": scene.shop, "range": span(0, 0, 1)}
    scene.answers["textDocument/prepareCallHierarchy"] = [item]
    scene.answers["callHierarchy/incomingCalls"] = [{"from": caller, "fromRanges": [span(4, 14, 19)]}]
    assert scene.run() == [f"shop.py\n5:name = 'ä😀'; total([1])  (in shop)\n{BY}"]
    assert scene.queries[1]["params"] == {"item": item}


def test_renaming_by_the_editors_servers_is_an_edit_of_the_open_buffer_and_of_files(serve: Serve) -> None:
    """The file that is open is changed through the editor, the other one on the disk."""
    scene = Scene(serve, call("rename_symbol", path="shop.py", symbol="total", new_name="summed"))
    edits = [{"range": span(line, at, at + 5), "newText": "summed"} for line, at in ((0, 4), (4, 14))]
    other = [{"range": span(0, 17, 22), "newText": "summed"}]
    scene.answers["textDocument/rename"] = {"changes": {scene.shop: edits, scene.main: other}}
    (told,) = scene.run()
    assert told == "Renamed total to summed in 3 places:\nshop.py: 2\nmain.py: 1"
    assert scene.editor.documents[scene.shop].text == SHOP.replace("total", "summed")
    assert (scene.wire.workspace / "shop.py").read_text() == SHOP, "it is for the user to save it"
    assert (scene.wire.workspace / "main.py").read_text() == MAIN.replace("total", "summed")
    (question,) = scene.wire.of_method("agent/requestPermission")
    changes = question["params"]["subject"]["changes"]
    assert [change["uri"] for change in changes] == [scene.shop, scene.main]


def test_no_language_server_is_asked_without_the_editor_and_without_trust(serve: Serve) -> None:
    scene = Scene(serve, code("hover", path="shop.py", symbol="total"))
    (told,) = scene.run()
    assert told.startswith("Language servers are not started in a folder that the user does not trust.")
    assert [query["method"] for query in scene.queries] == ["textDocument/hover"]


def test_new_problems_in_the_editor_are_reported_after_an_edit(serve: Serve) -> None:
    """What was shown before is not told, wherever it moved, and neither are hints."""
    edit = call("edit_file", path="shop.py", old_text="sum(items)", new_text="smu(items)")
    scene = Scene(serve, call("read_file", path="shop.py"), edit)
    old = {"range": span(4, 0, 4), "severity": 2, "message": "unused name", "source": "lint"}
    hint = {"range": span(0, 0, 1), "severity": 4, "message": "a hint"}
    new = {"range": span(1, 11, 14), "severity": 1, "message": "smu is not defined", "source": "lint"}
    scene.shown = [[old], [hint, {**old, "range": span(5, 0, 4)}, new]]
    told = scene.run()[1]
    assert told.endswith("New problems since this edit:\nshop.py\n2: error: smu is not defined (lint)")
    assert "unused" not in told
    assert scene.asked == [
        {"sessionId": scene.session, "uri": scene.shop},
        {"sessionId": scene.session, "uri": scene.shop, "waitMs": 2000},
    ]


def test_edit_of_a_file_that_is_not_open_does_not_wait_for_the_editor(serve: Serve) -> None:
    scene = Scene(serve, call("write_file", path="new.py", content="x = 1\n"))
    assert scene.run() == ["Created new.py."]
    assert scene.asked == []
