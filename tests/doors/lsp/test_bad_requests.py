"""Requests that make no sense are answered with what is wrong, and change nothing (protocol#errors)."""

import pytest

from .conftest import Serve

HANGING = {"turns": [{"text": "I begin", "hang": True}]}

BAD_PARAMS = {
    "agent/session/new": [{}, {"cwd": 1}, {"cwd": "relative"}, {"cwd": "file:///no/such"}, {"cwd": "ftp://x"}],
    "agent/run": [
        {}, {"sessionId": "S"}, {"sessionId": "S", "input": []}, {"sessionId": "S", "input": 1},
        {"sessionId": "S", "input": [1]}, {"sessionId": "S", "input": [{"type": "video"}]},
        {"sessionId": "S", "input": [{"type": "text"}]}, {"sessionId": "S", "input": " \n"},
        {"sessionId": "S", "input": [{"type": "text", "text": ""}]}, {"sessionId": "S", "options": []},
        {"sessionId": "S", "input": "x", "wait": 1},
        {"sessionId": "S", "input": "x", "admission": "now"}, [1], "x",
    ],
    "agent/steer": [{"sessionId": "S", "input": ""}, {"sessionId": "S", "input": "x", "ifEnded": "no"}],
    "agent/resume": [{"sessionId": "S", "replay": "some"}],
    "agent/session/list": [{"cwd": "file:x"}, {"limit": "many"}],
    "agent/respond": [{"requestId": 1}],
    "workspace/executeCommand": [{}, {"command": "rm"}, []],
}  # fmt: skip

OPTIONS = [
    ({"maxTurns": "x"}, -33009, "whole number"), ({"maxTurns": -1}, -33009, "0 or more"),
    ({"maxCostUsd": True}, -33009, "US dollars"), ({"mode": "auto"}, -32602, "sandbox"),
    ({"mode": "nope"}, -32602, "the modes are"), ({"mode": 1}, -32602, "a string"),
    ({"model": ["x"]}, -32602, "a string"), ({"effort": 3}, -32602, "a string"),
    ({"maxTurn": 3}, -32602, "did you mean 'maxTurns'"), ({"colour": 3}, -32602, "the options are agent"),
]  # fmt: skip


@pytest.mark.item(25)
def test_params_that_make_no_sense_are_refused_by_name(serve: Serve) -> None:
    wire = serve("hi")
    wire.initialize()
    session = wire.session()
    for method, cases in BAD_PARAMS.items():
        for case in cases:
            given = case
            if isinstance(case, dict) and "sessionId" in case:
                given = {**case, "sessionId": session}
            error = wire.ask(method, given)["error"]
            assert error["code"] == -32602, (method, case)
            assert error["data"]["kind"] == "invalidParams"


@pytest.mark.item(24)
def test_null_and_unknown_members_are_harmless(serve: Serve) -> None:
    wire = serve("hi")
    wire.initialize()
    session = wire.session(additionalRoots=None, mcpServers=[], _meta={"jsonrpc": "2.0"}, title=None)
    content = [{"type": "text", "text": "go", "_meta": {"jsonrpc": 1}, "class": 1}]
    result = wire.call("agent/run", {"sessionId": session, "input": content, "wait": True, "a-b": 1})
    assert result["stopReason"] == "endTurn"


def test_a_run_of_an_unknown_model_is_refused_before_it_is_admitted(serve: Serve) -> None:
    wire = serve("hi")
    wire.initialize()
    session = wire.session()
    asked = {"sessionId": session, "input": "go", "options": {"model": "nowhere"}}
    error = wire.ask("agent/run", asked)["error"]
    assert (error["code"], error["data"]["kind"]) == (-33009, "configInvalid")
    assert not wire.events


def test_options_no_run_could_have_are_refused_before_it_is_admitted(serve: Serve) -> None:
    wire = serve("hi", "again")
    wire.initialize()
    session = wire.session(options={"maxTurns": 3, "_mine": {"a": 1}})
    for options, code, words in OPTIONS:
        asked = {"sessionId": session, "input": "go", "options": options}
        made = {"cwd": wire.workspace.as_uri(), "options": options}
        for error in (wire.ask("agent/run", asked)["error"], wire.ask("agent/session/new", made)["error"]):
            assert error["code"] == code, (options, error)
            assert words in error["message"]
    assert not wire.events
    assert len(wire.call("agent/session/list")["sessions"]) == 1
    run = wire.run(session, options={"maxTurns": None, "mode": "plan"})
    assert run["stopReason"] == "endTurn"
    assert wire.event("runStarted")["data"]["limits"]["maxTurns"] == 3


def test_a_run_of_another_expected_run_is_refused(serve: Serve) -> None:
    wire = serve("hi")
    wire.initialize()
    session = wire.session()
    asked = {"sessionId": session, "input": "go", "expectedRunId": "run_x"}
    error = wire.ask("agent/run", asked)["error"]
    assert (error["code"], error["data"]["kind"]) == (-33003, "runMismatch")
