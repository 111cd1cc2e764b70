"""What the specification lets a client ask, member by member (4.4), and what it is told instead."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from support.rich_run import Company
from support.wire import AGENT, Message, Wire

from .conftest import Serve

HANGING = {"turns": [{"text": "I begin", "hang": True}]}
MODELS = """
model = "fast"
[models.slow]
dialect = "chat"
base_url = "https://example.invalid/v1"
model = "slow-1"
api_key_env = "SLOW_KEY"
context_window = 1000
[models.fast]
dialect = "scripted"
script = "{script}"
[models.here]
dialect = "chat"
base_url = "http://127.0.0.1:9/v1"
model = "small"
"""


def error(answer: Message) -> tuple[int, str, Message]:
    told = answer["error"]
    return told["code"], told["data"]["kind"], told["data"]


# --- sessions and what they offer ----------------------------------------------------------------


def test_actions_are_listed_before_there_is_a_session(serve: Serve) -> None:
    wire = serve("one")
    wire.initialize()
    before = wire.call("agent/action/list")
    assert {"usage", "checkpoint.restore", "permission.list"} <= {a["name"] for a in before["actions"]}
    assert not wire.call("agent/session/list")["sessions"], "none was made for it"
    assert wire.call("agent/action/list", {"sessionId": wire.session()}) == before


def test_mcp_servers_are_answered_one_by_one(serve: Serve) -> None:
    wire = serve("one")
    wire.initialize()
    servers = [{"name": "db", "command": "/no/such/program"}, {"url": "y"}, {"name": "none"}]
    given = {"cwd": wire.workspace.as_uri(), "mcpServers": servers}
    made = wire.call("agent/session/new", given)
    assert [(server["name"], server["status"]) for server in made["mcp"]] == [
        ("db", "stopped"),
        ("", "failed"),
        ("none", "failed"),
    ]
    assert made["mcp"][1]["message"] == "it has no name"
    assert "a command or a url" in made["mcp"][2]["message"]
    assert wire.run(made["sessionId"])["stopReason"] == "endTurn", "the session is there all the same"


@pytest.mark.parametrize("none", [None, []])
def test_no_mcp_servers_are_none(lasting: Serve, none: Any) -> None:
    wire = lasting("one")
    made = wire.call("agent/session/new", {"cwd": wire.workspace.as_uri(), "mcpServers": none})
    assert made["mcp"] == []


def test_options_of_initialize_are_those_of_new_sessions(serve: Serve) -> None:
    wire = serve("one")
    wire.initialize(initializationOptions={"options": {"mode": "plan", "maxTurns": 5}})
    made = wire.call("agent/session/new", {"cwd": wire.workspace.as_uri(), "options": {"maxTurns": 6}})
    assert made["options"] == {"mode": "plan", "maxTurns": 6}


def test_options_of_initialize_that_there_are_not_are_named(serve: Serve) -> None:
    wire = serve("one")
    wire.initialize(initializationOptions={"options": {"moed": "plan"}})
    answer = wire.ask("agent/session/new", {"cwd": wire.workspace.as_uri()})
    assert "did you mean 'mode'?" in answer["error"]["message"]


def test_closed_session_is_reported_as_closed(serve: Serve) -> None:
    wire = serve(HANGING, "one")
    wire.initialize()
    session = wire.session()
    wire.call("agent/run", {"sessionId": session, "input": "go"})
    wire.event("itemDelta")
    wire.call("agent/session/close", {"sessionId": session})
    states = [event["data"] for event in wire.events if event["type"] == "sessionState"]
    assert [data["state"] for data in states] == ["running", "idle", "closed"]
    assert wire.events[-1]["data"] == states[-1], "it is the last that is told"
    assert wire.call("agent/resume", {"sessionId": session})["state"] == "idle"
    assert wire.run(session)["stopReason"] == "endTurn"


# --- status --------------------------------------------------------------------------------------


def test_the_status_says_models_keys_and_load(tmp_path: Path, serve: Serve) -> None:
    serve(HANGING)  # for its script
    config = tmp_path / "models.toml"
    config.write_text(MODELS.format(script=tmp_path / "script.json"))
    with Wire(tmp_path, config) as wire:
        wire.initialize()
        idle = wire.call("agent/status")
        assert idle["models"] == [
            {"name": "fast", "provider": "scripted", "default": True},
            {"name": "slow", "provider": "example.invalid", "contextWindow": 1000},
            {"name": "here", "provider": "127.0.0.1"},
        ]
        assert {row["provider"]: row for row in idle["auth"]} == {
            "example.invalid": {"provider": "example.invalid", "state": "missing", "variable": "SLOW_KEY"},
            "scripted": {"provider": "scripted", "state": "none"},
            "127.0.0.1": {"provider": "127.0.0.1", "state": "none"},
        }
        assert idle["load"] == {"running": 0, "queued": 0, "unreadBytes": 0}
        session = wire.session()
        for text in "ab":
            wire.call("agent/run", {"sessionId": session, "input": text})
        wire.event("runStarted")
        load = wire.call("agent/status")["load"]
        assert (load["running"], load["queued"]) == (1, 1)
        wire.call("agent/cancel", {"sessionId": session, "queued": "drop"})
        wire.event("sessionState", state="idle")


def test_the_schema_says_when_it_was_changed(serve: Serve) -> None:
    wire = serve("one")
    schema = wire.initialize()["capabilities"]["experimental"]["agent"]["schema"]
    assert date.fromisoformat(schema["revision"]) >= date(2026, 11, 21)
    assert len(schema["sha256"]) == 64


# --- cancel --------------------------------------------------------------------------------------


def test_end_of_a_cancelled_run_has_the_reason(serve: Serve) -> None:
    wire = serve(HANGING)
    wire.initialize()
    session = wire.session()
    request = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
    wire.event("itemDelta")
    waiting = wire.call("agent/run", {"sessionId": session, "input": "later"})["runId"]
    asked = {"sessionId": session, "queued": "drop", "tasks": "stop", "reason": "wrong\nfolder"}
    assert wire.call("agent/cancel", asked)["dropped"] == [waiting]
    assert wire.answer_of(request)["result"]["stopReason"] == "cancelled"
    wire.until(lambda m: len([e for e in wire.events if e["type"] == "runEnded"]) == 2)
    ends = {event["data"]["detail"] for event in wire.events if event["type"] == "runEnded"}
    assert ends == {"cancelled by the user: wrong folder"}


@pytest.mark.parametrize(("name", "value"), [("queued", "all"), ("tasks", "all"), ("reason", 7)])
def test_a_cancel_that_makes_no_sense_is_refused_by_name(lasting: Serve, name: str, value: Any) -> None:
    wire = lasting("one")
    answer = wire.ask("agent/cancel", {"sessionId": wire.session(), name: value})
    assert error(answer)[1] == "invalidParams"
    assert f"params.{name}" in answer["error"]["message"]


@pytest.mark.item(27)
@pytest.mark.parametrize("first", ["request", "progress"])
def test_a_cancel_of_the_request_and_of_its_progress_together_is_one(serve: Serve, first: str) -> None:
    wire = serve(HANGING, "next")
    wire.initialize()
    session = wire.session()
    asked = {"sessionId": session, "input": "go", "wait": True, "workDoneToken": "mine"}
    request = wire.post("agent/run", asked)
    wire.event("itemDelta")
    both = {"request": ("$/cancelRequest", {"id": request})}
    both["progress"] = ("window/workDoneProgress/cancel", {"token": "mine"})
    for name in sorted(both, key=lambda name: name != first):
        wire.notify(*both[name])
    assert wire.answer_of(request)["result"]["stopReason"] == "cancelled"
    wire.event("sessionState", state="idle")
    assert [e["data"]["stopReason"] for e in wire.events if e["type"] == "runEnded"] == ["cancelled"]
    assert wire.run(session, "next")["stopReason"] == "endTurn", "nothing of it reaches the next run"


# --- errors --------------------------------------------------------------------------------------


def test_a_run_that_waits_takes_no_messages(serve: Serve) -> None:
    wire = serve(HANGING)
    wire.initialize()
    session = wire.session()
    wire.call("agent/run", {"sessionId": session, "input": "go"})
    wire.event("itemDelta")
    waiting = wire.call("agent/run", {"sessionId": session, "input": "later"})["runId"]
    steer = {"sessionId": session, "input": "hurry", "expectedRunId": waiting}
    code, kind, data = error(wire.ask("agent/steer", steer))
    assert (code, kind, data["runId"]) == (-33004, "notSteerable", waiting)
    wire.call("agent/cancel", {"sessionId": session, "queued": "drop"})


def test_a_key_may_not_be_endless(serve: Serve) -> None:
    wire = serve("one")
    wire.initialize()
    given = {"cwd": wire.workspace.as_uri(), "clientKey": "k" * 257}
    code, kind, data = error(wire.ask("agent/session/new", given))
    assert (code, kind, data["which"], data["value"]) == (-33011, "limitExceeded", "clientKey", 256)
    wire.call("agent/session/new", {**given, "clientKey": "k" * 256})


def test_a_command_that_answers_a_question_too_late_says_so(serve: Serve) -> None:
    wire = serve(
        {
            "turns": [
                {"calls": [{"name": "shell", "arguments": {"command": "touch made.txt"}}]},
                {"text": "Done."},
            ]
        }
    )
    wire.initialize({**AGENT, "permission": {}})
    Company(wire)  # says yes
    session = wire.session()
    wire.run(session)
    asked = wire.event("requestResolved")["data"]["requestId"]
    command = {"command": "agls.reject", "arguments": [{"requestId": asked}]}
    assert error(wire.ask("workspace/executeCommand", command))[:2] == (-33013, "requestResolved")
    late = {"requestId": asked, "response": {"outcome": "dismissed"}}
    assert wire.call("agent/respond", late) == {"outcome": "alreadyResolved"}
