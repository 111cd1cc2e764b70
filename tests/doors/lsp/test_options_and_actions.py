"""The queue, the options of a session, the actions of its features, and the client's own tools."""

from functools import partial
from typing import Any

import pytest

from support.wire import AGENT, Message, Wire, events_in, turns

from .conftest import Serve

HANGING = {"turns": [{"text": "I begin", "hang": True}]}
WINDOWS = {
    "name": "list_windows",
    "description": "List the windows.",
    "inputSchema": {"type": "object", "properties": {"screen": {"type": "integer"}}},
    "readOnly": True,
}
CALL = {"text": "I ask.", "calls": [{"name": "list_windows", "arguments": {"screen": 1}}]}


def kind(answer: Message) -> str:
    return answer["error"]["data"]["kind"]


def queued(queue: list[Message]) -> list[str]:
    return [waiting["content"][0]["text"] for waiting in queue]


# --- the queue -----------------------------------------------------------------------------------


def ended(run: str, message: Message) -> bool:
    return any(e["type"] == "runEnded" and e["runId"] == run for e in events_in(message))


def test_waiting_prompts_are_listed_moved_replaced_and_removed(serve: Serve) -> None:
    wire = serve(HANGING)
    wire.initialize()
    session = wire.session()
    first = wire.call("agent/run", {"sessionId": session, "input": "go"})
    wire.event("itemDelta")
    given = {t: wire.call("agent/run", {"sessionId": session, "input": t}) for t in "abc"}
    ids, runs = ({t: answer[name] for t, answer in given.items()} for name in ("itemId", "runId"))

    def change(op: str, **more: Any) -> list[str]:
        asked = {"sessionId": session, "op": op, **more}
        return queued(wire.call("agent/queue", asked)["queue"])

    assert change("list") == ["a", "b", "c"]
    assert change("move", itemId=ids["c"], to=0) == ["c", "a", "b"]
    assert change("replace", itemId=ids["a"], input="A", clientKey="k") == ["c", "A", "b"]
    assert change("replace", itemId=ids["a"], input="A", clientKey="k") == ["c", "A", "b"]
    (new,) = [
        row for row in wire.call("agent/queue", {"sessionId": session})["queue"] if queued([row]) == ["A"]
    ]
    assert new["itemId"] != ids["a"]
    assert (
        kind(wire.ask("agent/queue", {"sessionId": session, "op": "remove", "itemId": ids["a"]}))
        == "noSuchItem"
    )
    assert new["runId"] != runs["a"]
    assert change("remove", itemId=ids["b"]) == ["c", "A"]
    for gone in "ab":
        wire.until(partial(ended, runs[gone]))
    assert queued(
        wire.event("queueChanged", queue=wire.call("agent/queue", {"sessionId": session})["queue"])["data"][
            "queue"
        ]
    ) == ["c", "A"]
    for op in ("remove", "move", "replace"):
        gone = {"sessionId": session, "op": op, "itemId": first["itemId"], "input": "x"}
        assert kind(wire.ask("agent/queue", gone)) == "noSuchItem"
    assert wire.ask("agent/queue", {"sessionId": session, "op": "burn"})["error"]["code"] == -32602
    empty = {"sessionId": session, "op": "replace", "itemId": ids["c"], "input": " "}
    assert wire.ask("agent/queue", empty)["error"]["code"] == -32602


# --- options -------------------------------------------------------------------------------------


def test_option_is_set_reported_and_unset(serve: Serve) -> None:
    wire = serve("one")
    wire.initialize()
    session = wire.session(options={"maxTurns": 5})

    def set_option(name: str, value: Any) -> Message:
        given = {"sessionId": session, "optionId": name, "value": value, "chosenBy": "user"}
        return wire.call("agent/setOption", given)

    assert set_option("mode", "plan") == {"options": {"maxTurns": 5, "mode": "plan"}}
    assert wire.event("options", options={"maxTurns": 5, "mode": "plan"})
    assert set_option("maxTurns", None) == {"options": {"mode": "plan"}}
    assert set_option("mode", "allowAll") == {"options": {"mode": "allowAll"}}
    assert wire.run(session)["stopReason"] == "endTurn"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("colour", "blue", "there is no option"),
        ("colour", None, "there is no option"),
        ("mode", "reckless", "mode"),
        ("mode", 3, "must be a string"),
        ("model", "no such model", "no such model"),
        ("maxTurns", -1, "maxTurns"),
    ],
)
def test_an_option_that_no_run_could_have_is_refused(
    lasting: Serve, name: str, value: Any, said: str
) -> None:
    wire = lasting("one")
    session = wire.session()
    answer = wire.ask("agent/setOption", {"sessionId": session, "optionId": name, "value": value})
    assert said in answer["error"]["message"]
    assert wire.run(session)["stopReason"] == "endTurn"


def test_a_run_with_an_output_schema_gives_the_answer_as_json(serve: Serve) -> None:
    wire = serve('{"n": 3}')
    wire.initialize()
    session = wire.session()
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    bad = {"sessionId": session, "input": "go", "options": {"outputSchema": {"type": "thing"}}}
    assert "is not a JSON Schema" in wire.ask("agent/run", bad)["error"]["message"]
    assert wire.run(session, options={"outputSchema": schema})["output"] == {"n": 3}
    assert wire.event("runEnded")["data"]["output"] == {"n": 3}


# --- actions -------------------------------------------------------------------------------------


def test_actions_are_listed_with_schemas_and_can_be_invoked(serve: Serve) -> None:
    wire = serve("one")
    wire.initialize()
    session = wire.session()
    wire.run(session)
    listed = {a["name"]: a for a in wire.call("agent/action/list", {"sessionId": session})["actions"]}
    assert {"usage", "context", "permission.list", "permission.revoke"} <= set(listed)
    revoke = listed["permission.revoke"]
    assert (revoke["slash"], revoke["when"]) == ("/permission.revoke", "any")
    assert revoke["inputSchema"]["required"] == ["rule"]
    done = wire.call("agent/action/invoke", {"sessionId": session, "name": "usage", "clientKey": "k"})
    assert done["output"][0]["text"].startswith("Session: 1 turn,")
    assert done["data"]["session"]["modelCalls"] == 1
    again = {"sessionId": session, "name": "usage", "clientKey": "k", "input": {"a": 1}}
    assert kind(wire.ask("agent/action/invoke", again)) == "keyConflict"


@pytest.mark.parametrize(
    ("name", "given", "error"),
    [
        ("dance", {}, ("noSuchAction", "There are:")),
        ("permission.revoke", {}, ("actionFailed", "rule: is required")),
        ("permission.revoke", {"rule": "shell(ls)"}, ("actionFailed", "permission.list")),
    ],
)
def test_an_action_that_cannot_be_done_says_why(
    serve: Serve, name: str, given: Message, error: tuple[str, str]
) -> None:
    wire = serve("one")
    wire.initialize()
    asked = {"sessionId": wire.session(), "name": name, "input": given}
    answer = wire.ask("agent/action/invoke", asked)
    assert kind(answer) == error[0]
    assert error[1] in answer["error"]["message"]


# --- the client's own tools ----------------------------------------------------------------------


def with_tools(serve: Serve, *tools: Message) -> tuple[Wire, str]:
    wire = serve(turns(CALL, "done"))
    wire.initialize({**AGENT, "tools": list(tools)})
    return wire, wire.session()


def result_of(wire: Wire) -> Message:
    return wire.event("itemCompleted", item=_Call())["data"]["item"]


class _Call:
    """Equal to the item of a tool call."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, dict) and other.get("kind") == "toolCall"

    def __hash__(self) -> int:
        return id(self)


@pytest.mark.parametrize(
    ("answer", "status", "output"),
    [
        ({"output": "two"}, "completed", "two"),
        ({"output": [{"type": "text", "text": "two"}]}, "completed", "two"),
        ("two", "completed", "two"),
        ({"output": "no screen", "isError": True}, "failed", "no screen"),
        ({"output": 7}, "failed", "could not be read"),
    ],
)
def test_the_model_can_call_a_tool_of_the_client(serve: Serve, answer: Any, status: str, output: str) -> None:
    wire, session = with_tools(serve, WINDOWS)
    wire.answers["agent/callTool"] = lambda params: answer
    assert wire.run(session)["stopReason"] == "endTurn"
    asked = wire.of_method("agent/callTool")[0]["params"]
    item = result_of(wire)
    assert asked == {
        "sessionId": session, "itemId": item["itemId"], "name": "list_windows", "input": {"screen": 1},
    }  # fmt: skip
    assert item["status"] == status
    assert output in item["output"]


def test_a_tool_that_may_change_something_is_asked_for(serve: Serve) -> None:
    wire, session = with_tools(serve, {**WINDOWS, "readOnly": False})
    wire.answers["agent/requestPermission"] = lambda params: {"outcome": "dismissed"}
    assert wire.run(session)["stopReason"] == "endTurn"
    assert wire.of_method("agent/requestPermission")[0]["params"]["subject"]["name"] == "list_windows"
    assert result_of(wire)["status"] == "rejected"
    assert not wire.of_method("agent/callTool")


def test_a_cancelled_call_is_taken_back_from_the_client(serve: Serve) -> None:
    wire, session = with_tools(serve, WINDOWS)
    request = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
    asked = wire.until(lambda m: m.get("method") == "agent/callTool")
    wire.call("agent/cancel", {"sessionId": session})
    assert wire.answer_of(request)["result"]["stopReason"] == "cancelled"
    withdrawn = wire.until(lambda m: m.get("method") == "$/cancelRequest")
    assert withdrawn["params"]["id"] == asked["id"]


def test_an_error_of_the_client_reaches_the_model(serve: Serve) -> None:
    wire, session = with_tools(serve, WINDOWS)
    request = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
    asked = wire.until(lambda m: m.get("method") == "agent/callTool")
    wire.send({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32603, "message": "no window"}})
    assert wire.answer_of(request)["result"]["stopReason"] == "endTurn"
    assert "no window" in result_of(wire)["output"]


def test_tool_that_cannot_be_offered_is_left_out_and_reported(serve: Serve) -> None:
    wire = serve("one")
    wire.initialize({**AGENT, "tools": [{**WINDOWS, "name": "read_file"}, 7, {"name": "a b"}]})
    assert wire.run(wire.session())["stopReason"] == "endTurn"
    notice = wire.event("notice", title="Tools of the editor are left out")["data"]["text"]
    assert "read_file" in notice
    assert "'a b'" in notice
