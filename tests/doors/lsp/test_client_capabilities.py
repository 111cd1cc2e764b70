"""The members of `initialize` that describe a client, and their effect (protocol#initialize)."""

import json
from pathlib import Path
from typing import Any

import pytest

from agls.views.transcript import fold
from support.wire import AGENT, Message, Wire, turns

from .conftest import Serve

SHELL = {"name": "shell", "arguments": {"command": "touch asked"}}
ONCE = {"outcome": "selected", "optionId": "once"}
EDITED = {**ONCE, "input": {"command": "echo edited"}}


def asked(wire: Wire) -> Message:
    return wire.until(lambda m: m.get("method") == "agent/requestPermission")["params"]


def calls(wire: Wire) -> list[Message]:
    return [item for item in fold(wire.events).items.values() if item["kind"] == "toolCall"]


def answered(serve: Serve, permission: Any, answer: Message) -> Wire:
    """A run with one command, which this client answers so."""
    wire = serve(turns({"calls": [SHELL]}, "done"))
    wire.initialize({**AGENT, "permission": permission})
    wire.answers["agent/requestPermission"] = lambda params: answer
    assert wire.run(wire.session())["stopReason"] == "endTurn"
    return wire


# --- permission: remember, editInput -------------------------------------------------------------


def test_dialog_with_remember_is_offered_lasting_answers(serve: Serve) -> None:
    wire = answered(serve, {"remember": {}}, {"outcome": "selected", "optionId": "session"})
    assert [option["scope"] for option in asked(wire)["options"]] == ["once", "session", "project", "once"]
    assert calls(wire)[0]["status"] == "completed"


@pytest.mark.item(24)
@pytest.mark.parametrize("permission", [{}, {"remember": None}], ids=["absent", "null"])
def test_dialog_without_remember_can_only_allow_once(serve: Serve, permission: Message) -> None:
    wire = answered(serve, permission, {"outcome": "selected", "optionId": "session"})
    assert [option["optionId"] for option in asked(wire)["options"]] == ["once", "reject"]
    assert calls(wire)[0]["status"] == "rejected", "it chose what it was not offered"
    opened = wire.event("requestOpened")["data"]["options"]
    assert len(opened) == 4, "the fact is the same for everybody"


def test_edited_call_of_a_client_with_edit_input_runs_as_edited(serve: Serve) -> None:
    wire = answered(serve, {"editInput": {}}, EDITED)
    assert (calls(wire)[0]["status"], "edited" in calls(wire)[0]["output"]) == ("completed", True)


@pytest.mark.parametrize("answer", [{"outcome": "yes"}, {"outcome": "selected", "optionId": "zz"}, {}])
def test_answer_that_makes_no_sense_is_not_shown_as_the_no_of_the_user(serve: Serve, answer: Message) -> None:
    wire = answered(serve, {}, answer)
    (call,) = calls(wire)
    assert (call["status"], call["refusedBy"]) == ("rejected", "nobody")
    assert "said no" not in call["output"]
    resolved = wire.event("requestResolved")["data"]
    assert (resolved["outcome"], "could not be understood" in resolved["feedback"]) == ("unanswered", True)


def test_edited_call_of_a_client_without_edit_input_does_not_run(serve: Serve) -> None:
    wire = answered(serve, {}, EDITED)
    assert calls(wire)[0]["status"] == "rejected"
    assert "could not be understood" in calls(wire)[0]["output"]


@pytest.mark.parametrize(
    ("permission", "status"), [({}, "rejected"), ({"editInput": {}}, "completed")], ids=["no", "yes"]
)
def test_edited_call_by_agent_respond_follows_the_same_rule(
    serve: Serve, permission: Message, status: str
) -> None:
    wire = serve(turns({"calls": [SHELL]}, "done"))
    wire.initialize({**AGENT, "permission": permission})
    run = wire.post("agent/run", {"sessionId": wire.session(), "input": "go", "wait": True})
    given = {"requestId": asked(wire)["requestId"], "response": EDITED}
    assert wire.call("agent/respond", given) == {"outcome": "accepted"}
    assert wire.answer_of(run)["result"]["stopReason"] == "endTurn"
    assert calls(wire)[0]["status"] == status


# --- keys (4.11) ---------------------------------------------------------------------------------

KEYED = """
model = "{default}"
[models.play]
dialect = "scripted"
script = "{script}"
[models.paid]
base_url = "https://models.invalid/v1"
model = "x"
api_key_env = "NO_SUCH_KEY"
"""


@pytest.mark.parametrize("default", ["play", "paid"], ids=["the model of a run", "the default"])
def test_a_run_whose_model_has_no_key_is_refused_with_the_ways_to_give_one(
    tmp_path: Path, default: str
) -> None:
    script, config = tmp_path / "script.json", tmp_path / "config.toml"
    script.write_text(json.dumps({"prompts": [turns("yes")]}))
    config.write_text(KEYED.format(default=default, script=script))
    with Wire(tmp_path, config) as wire:
        wire.initialize()
        given = {"sessionId": wire.session(), "input": "go", "options": {"model": "paid"}}
        error = wire.ask("agent/run", given)["error"]
        assert (error["code"], error["data"]["kind"]) == (-33008, "authRequired")
        assert error["data"]["retryable"] is False
        assert [way["method"] for way in error["data"]["methods"]] == ["environment", "keyring", "client"]
        assert "NO_SUCH_KEY" in error["message"]
        assert not [event for event in wire.events if event["type"] == "runAdmitted"]
        if default == "play":
            assert wire.run(given["sessionId"])["stopReason"] == "endTurn", "others are not kept from working"


def test_a_client_that_keeps_the_key_is_asked_and_the_run_begins(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(KEYED.format(default="paid", script=""))
    with Wire(tmp_path, config) as wire:
        wire.initialize({**AGENT, "secrets": {}})
        given: list[str] = []
        wire.answers["agent/secret"] = lambda params: {"value": key} if (key := "".join(given)) else {}
        here = {"sessionId": wire.session(), "input": "go"}
        assert wire.ask("agent/run", here)["error"]["data"]["kind"] == "authRequired"
        given.append("a-key")
        run = wire.call("agent/run", here)["runId"]
        wire.call("agent/cancel", {"sessionId": here["sessionId"], "runId": run})
        assert wire.event("runEnded")["runId"] == run


# --- askUser: form, url --------------------------------------------------------------------------

PAGE = "https://example.com/device?code=AB-12"
OPEN = turns(
    {"calls": [{"name": "ask_user", "arguments": {"question": "Log in here.", "url": PAGE}}]}, "done"
)


def opened(serve: Serve, block: Message, answer: Message) -> tuple[Message, Message]:
    """What a client is asked that has to open a page, and the call as it ended."""
    wire = serve(OPEN)
    wire.initialize({**AGENT, "askUser": block})
    wire.answers["agent/askUser"] = lambda params: answer
    assert wire.run(wire.session())["stopReason"] == "endTurn"
    return wire.until(lambda m: m.get("method") == "agent/askUser")["params"], calls(wire)[0]


def test_a_client_that_opens_addresses_is_given_one(serve: Serve) -> None:
    given, item = opened(serve, {"form": {}, "url": {}}, {"outcome": "accept"})
    assert (given["mode"], given["url"], given["message"]) == ("url", PAGE, f"Log in here.\n{PAGE}")
    assert given["schema"] == {"type": "object", "properties": {}}
    assert (item["status"], "opened it" in item["output"]) == ("completed", True)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"outcome": "accept", "content": {}}, "opened it"),
        ({"outcome": "accept", "content": {"answer": "it asks for a code"}}, "it asks for a code"),
        ({"outcome": "decline"}, "does not want to"),
    ],
    ids=["done", "with words", "no"],
)
def test_a_client_with_forms_alone_is_shown_the_address_in_one(
    serve: Serve, answer: Message, told: str
) -> None:
    given, item = opened(serve, {"form": {}}, answer)
    assert (given["mode"], given["message"]) == ("form", f"Log in here.\n{PAGE}")
    assert "url" not in given
    assert given["schema"]["required"] == []
    assert told in item["output"]


def test_only_a_page_of_the_web_is_ever_asked_for(serve: Serve) -> None:
    addresses = ("file:///etc/passwd", "javascript:alert(1)", "https://exa\u200bmple.com", "https://a b")
    asking = [{"name": "ask_user", "arguments": {"question": "Open.", "url": one}} for one in addresses]
    wire = serve(turns(*({"calls": [one]} for one in asking), "done"))
    wire.initialize({**AGENT, "askUser": {"form": {}, "url": {}}})
    wire.run(wire.session())
    assert [item["status"] for item in calls(wire)] == ["failed"] * len(addresses)
    assert not wire.of_method("agent/askUser")


# --- what the server says of itself --------------------------------------------------------------


@pytest.mark.item(24)
def test_a_marker_stands_for_what_can_be_done(serve: Serve) -> None:
    wire = serve("yes")
    block = wire.initialize()["capabilities"]["experimental"]["agent"]
    actions = {action["name"] for action in wire.call("agent/action/list")["actions"]}
    for marker, action in {
        "compact": "compact",
        "checkpoints": "checkpoint.list",
        "tasks": "task.list",
    }.items():
        assert (marker in block) == (action in actions), marker
