"""Clients that answer wrongly, never, or leave midway: each hears what is wrong, and nothing waits on."""

import json
from typing import Any

import pytest

from agls.views.transcript import fold
from support.message_rules import check_answer
from support.wire import AGENT, Message, Wire, turns

from .conftest import Serve
from .test_editing import Opened, edit_call, read_call
from .test_notebooks import NotebookEditor, outputs, started

TEXT = "one\ntwo\n"
FORM = {
    "calls": [{"name": "ask_user", "arguments": {"question": "Which colour?", "choices": ["red", "blue"]}}]
}
NO_REQUESTS = [
    ("agent/ack", "without an id"),
    ("agent/editDelta", "The server sends this"),
    ("agent/askUser", "The server sends this"),
    ("agent/runs", "capabilities.experimental.agent.methods"),
    ("textDocument/hover", "capabilities.experimental.agent.methods"),
]
NO_JSON = [
    (b"{", "at character 1"),
    (b'{"id": "\xff"}', "at byte 8"),
    (b'{"id": NaN}', "a number"),
    (b'{"id": 1e999}', "a number"),
    (b'{"id": ' + b"[" * 100_000, "deep"),
]


@pytest.mark.parametrize(("method", "words"), NO_REQUESTS)
def test_unknown_request_is_refused_with_what_to_do(serve: Serve, method: str, words: str) -> None:
    wire = serve("hi")
    wire.initialize()
    error = wire.ask(method, {})["error"]
    assert (error["code"], error["data"]["kind"]) == (-32601, "methodNotFound")
    assert words in error["data"]["hint"]
    assert words in error["message"]


@pytest.mark.parametrize(("body", "words"), NO_JSON, ids=["cut", "utf8", "nan", "infinite", "deep"])
def test_message_that_is_no_json_is_refused_with_the_reason_and_the_place(
    serve: Serve, body: bytes, words: str
) -> None:
    wire = serve("hi")
    wire.unchecked = "what the client sends is no JSON"
    wire.initialize()
    wire.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    refused = wire.until(lambda m: "error" in m)
    check_answer(refused)
    assert (refused["id"], refused["error"]["data"]["kind"]) == (None, "parseError")
    assert words in refused["error"]["message"]
    assert wire.call("agent/status")["load"]["running"] == 0


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ({}, "failed"),
        ({"outcome": "yes"}, "failed"),
        ({"outcome": "accept"}, "failed"),
        ({"outcome": "accept", "content": "red"}, "failed"),
        ({"outcome": "cancel"}, "cancelled"),
    ],
)
def test_form_answered_wrongly_is_no_withdrawn_question(serve: Serve, answer: Message, status: str) -> None:
    wire = serve(turns(FORM, "done"))
    wire.initialize({**AGENT, "askUser": {"form": {}}})
    session = wire.session()
    wire.answers["agent/askUser"] = lambda params: answer
    assert wire.run(session)["stopReason"] == "endTurn"
    (asked,) = [item for item in fold(wire.events).items.values() if item["kind"] == "toolCall"]
    assert asked["status"] == status
    assert ("could not be understood" in asked["output"]) == (status == "failed")


@pytest.mark.parametrize(
    "notebook",
    [{}, 7, {"version": "1"}, {"version": "1", "cells": [7]}, {"version": "1", "cells": [{"type": "code"}]}],
)
def test_malformed_notebook_is_refused_with_its_required_members(serve: Serve, notebook: Any) -> None:
    """It is not taken for one that is closed: the file might be older than what the user sees."""
    script = turns({"calls": [{"name": "read_file", "arguments": {"path": "n.ipynb"}}]}, "done")
    wire = started(serve, NotebookEditor(), script)
    wire.answers["agent/notebook"] = lambda params: {"notebook": notebook}
    (read,) = outputs(wire, wire.run(wire.session()))
    assert read["status"] == "failed"
    assert "needs a `version`, and `cells`" in read["output"]


def test_tool_of_the_client_with_a_wrong_answer_names_its_member(serve: Serve) -> None:
    wire = serve(turns({"calls": [{"name": "windows", "arguments": {}}]}, "done"))
    tool = {"name": "windows", "description": "d", "inputSchema": {"type": "object"}, "readOnly": True}
    wire.initialize({**AGENT, "tools": [tool]})
    wire.answers["agent/callTool"] = lambda params: {"output": [{"type": "video"}]}
    wire.run(wire.session())
    (call,) = [item for item in fold(wire.events).items.values() if item["kind"] == "toolCall"]
    assert "output[0].type must be one of text" in call["output"]


@pytest.mark.parametrize("error", [{"code": -32603, "message": "the window is closed"}, "odd", None])
def test_error_as_the_answer_to_an_edit_is_shown_in_its_words(serve: Serve, error: Any) -> None:
    opened = Opened(serve, TEXT, read_call(), edit_call("two", "2"), "done")
    wire = opened.wire
    wire.unchecked = "the client's errors are odd"
    del wire.answers["workspace/applyEdit"]
    asked = wire.post("agent/run", {"sessionId": wire.session(), "input": "go", "wait": True})
    edit = wire.until(lambda m: m.get("method") == "workspace/applyEdit")
    wire.send({"jsonrpc": "2.0", "id": edit["id"], "error": error})
    assert wire.answer_of(asked)["result"]["stopReason"] == "endTurn"
    call = [item for item in fold(wire.events).items.values() if item["kind"] == "toolCall"][-1]
    said = error["message"] if isinstance(error, dict) else error or "it did not say why"
    assert call["output"] == f"The editor refused the edit: {said}. Nothing was changed."
    assert (call["effects"], opened.text, opened.file.read_text()) == ("none", TEXT, TEXT)


LOST = [7, {"range": "x", "text": "y"}, {"range": {"start": {"line": -1, "character": 0}}, "text": "y"}]


@pytest.mark.parametrize("change", LOST, ids=["number", "range", "negative"])
def test_unreadable_change_is_logged_once_and_a_whole_text_restores_the_document(
    serve: Serve, change: Any
) -> None:
    opened = Opened(serve, TEXT, read_call(), edit_call("two", "2"), "done")
    wire, document = opened.wire, opened.editor.documents[opened.uri]
    wire.unchecked = "the client's changes make no sense"

    def changed(version: int, *changes: Any) -> None:
        about = {"uri": opened.uri, "version": version}
        wire.notify("textDocument/didChange", {"textDocument": about, "contentChanges": changes})

    changed(2, change)
    changed(3, change)
    opened.run()
    assert (opened.call["status"], opened.editor.asked) == ("failed", [])
    (shown,) = [m["params"] for m in wire.of_method("window/logMessage")]
    assert "until it is reopened, or the editor sends its whole text" in shown["message"]
    assert opened.uri in shown["message"]
    document.text, document.version = "whole\ntwo\n", 4
    changed(4, {"text": "whole\n"}, {"range": at_line(1), "text": "two\n"})
    opened.run()
    assert (opened.call["status"], opened.text) == ("completed", "whole\n2\n")


def at_line(line: int) -> Message:
    place = {"line": line, "character": 0}
    return {"start": place, "end": place}


@pytest.mark.process
@pytest.mark.parametrize("how", ["end of input", "exit"])
def test_client_that_leaves_while_an_edit_is_in_flight_still_hears_how_its_run_ended(
    serve: Serve, how: str
) -> None:
    opened = Opened(serve, TEXT, read_call(), edit_call("two", "2"), "done")
    wire = opened.wire
    del wire.answers["workspace/applyEdit"]
    session = wire.session()
    asked = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
    wire.until(lambda m: m.get("method") == "workspace/applyEdit")
    leave(wire, how)
    ended = wire.answer_of(asked)["result"]
    assert ended["stopReason"] == "interrupted"
    call = [item for item in fold(wire.events).items.values() if item["kind"] == "toolCall"][-1]
    assert (call["status"], call["effects"]) == ("cancelled", "unknown")
    assert opened.file.read_text() == TEXT


def leave(wire: Wire, how: str) -> None:
    assert wire.process.stdin
    wire.process.stdin.close() if how == "end of input" else wire.notify("exit")


@pytest.mark.process
def test_prompt_that_did_not_begin_before_the_client_left_is_kept_and_not_an_error_of_the_journal(
    serve: Serve,
) -> None:
    wire = serve("one", "two")
    wire.initialize()
    session = wire.session()
    frames = [
        {"jsonrpc": "2.0", "id": f"r{n}", "method": "agent/run",
         "params": {"sessionId": session, "input": str(n), "wait": True}} for n in range(3)
    ]  # fmt: skip
    bodies = [json.dumps(each).encode() for each in frames]
    wire.write(b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in bodies))
    leave(wire, "end of input")
    wire.exit_code()
    wire.closed()
    answers = [m for m in wire.messages if str(m.get("id")).startswith("r")]
    assert len(answers) == 3, "each gets one"
    for each in answers:
        kind = each["error"]["data"]["kind"] if "error" in each else each["result"]["stopReason"]
        assert kind in {"serverCancelled", "interrupted", "endTurn"}


@pytest.mark.parametrize("method", ["textDocument/inlineCompletion", "agent/edit"])
def test_position_beyond_every_text_is_its_end(serve: Serve, method: str) -> None:
    opened = Opened(serve, TEXT, "changed")
    beyond = {"line": 2**70, "character": 2**70}
    lsp: Message = {"textDocument": {"uri": opened.uri}, "position": beyond}
    own: Message = {"uri": opened.uri, "range": {"start": beyond, "end": beyond}, "instruction": "add a line"}
    result = opened.wire.call(method, own if method == "agent/edit" else lsp)
    if method == "agent/edit":
        assert (result["text"], result["range"]["end"]) == ("changed", {"line": 2, "character": 0})
    else:
        assert result == {"items": []}
