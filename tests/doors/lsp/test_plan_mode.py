"""Plan mode for clients: the plan is a question of its own kind, and the answer to it reaches the model."""

import pytest

from support.wire import AGENT, Message, Wire, turns

from .conftest import Serve

PLAN = "# Write a.txt\n\n1. Create `a.txt`.\n2. Read it again."
STEPS = ["Create a.txt", "Read it"]
PRESENT = {"calls": [{"name": "present_plan", "arguments": {"plan": PLAN, "steps": STEPS}}]}
WRITE = {"calls": [{"name": "write_file", "arguments": {"path": "a.txt", "content": "one\n"}}]}
OFFERED = [
    ("ask", "Approve and ask first", "allow", "once"),
    ("acceptEdits", "Approve and accept edits", "allow", "session"),
    ("reject", "Keep planning", "reject", "once"),
]


def answering(wire: Wire, *answers: Message) -> list[Message]:
    """Answer the questions for permission in turn. **Returns** the list of those that were asked."""
    asked, left = [], list(answers)

    def answer(message: Message) -> None:
        if message.get("method") == "agent/requestPermission":
            asked.append(message["params"])
            wire.send({"jsonrpc": "2.0", "id": message["id"], "result": left.pop(0)})

    wire.heard = answer
    return asked


def outputs(wire: Wire, session: str) -> list[str]:
    """What the model read of its calls, in order."""
    items = wire.call("agent/resume", {"sessionId": session, "replay": "all"})["snapshot"]["items"]
    return [item["output"] for item in items if item["kind"] == "toolCall"]


def plan_of(wire: Wire, session: str) -> Message:
    """What the action `plan` says."""
    return wire.call("agent/action/invoke", {"sessionId": session, "name": "plan"})


def started(serve: Serve, *prompts: Message) -> tuple[Wire, str]:
    """A client, and a session in plan mode."""
    wire = serve(*prompts)
    wire.initialize(AGENT)
    return wire, wire.session(options={"mode": "plan"})


@pytest.mark.row(66)
def test_plan_is_asked_about_with_all_its_text_and_an_approval_lets_edits_run(serve: Serve) -> None:
    wire, session = started(serve, turns(WRITE, PRESENT, WRITE, "Done."))
    asked = answering(wire, {"outcome": "selected", "optionId": "acceptEdits", "feedback": "be quick"})
    assert wire.run(session)["stopReason"] == "endTurn"
    (question,) = asked
    assert (question["kind"], question["title"]) == ("plan", "Approve this plan?")
    assert question["subject"] == {"type": "plan", "plan": PLAN}
    assert question["shown"] == {"text": "\n".join(f"│ {line}" for line in PLAN.split("\n")), "whole": True}
    shown = [(o["optionId"], o["label"], o["decision"], o["scope"]) for o in question["options"]]
    assert shown == OFFERED
    refused, approved, written = outputs(wire, session)
    assert "The session is in plan mode" in refused
    assert approved.startswith(
        "The user approved the plan. Plan mode is off: files of the workspace are changed"
    )
    assert "They said: be quick" in approved
    assert "- [ ] 1. Create a.txt" in approved
    assert (wire.workspace / "a.txt").read_text() == "one\n", written
    told = plan_of(wire, session)["data"]
    assert told["document"] == PLAN
    assert [entry["text"] for entry in told["entries"]] == ["Create a.txt", "Read it"]


@pytest.mark.row(66)
def test_comments_and_edits_of_the_user_reach_the_model(serve: Serve) -> None:
    wire, session = started(serve, turns(PRESENT, PRESENT, PRESENT, WRITE, "Done."))
    no, yes = ({"outcome": "selected", "optionId": each} for each in ("reject", "ask"))
    asked = answering(
        wire,
        {**no, "feedback": "no tests?"},
        {"outcome": "dismissed"},
        {**yes, "input": {"plan": "Only step 1."}},
        {"outcome": "selected", "optionId": "once"},
    )
    assert wire.run(session)["stopReason"] == "endTurn"
    assert [question["kind"] for question in asked] == ["plan"] * 3 + ["permission"]
    commented, dismissed, approved, _ = outputs(wire, session)
    assert commented.endswith("nothing may be changed. They said: no tests?")
    assert dismissed.endswith("ask them, or end your turn and wait.")
    assert approved.startswith(
        "The user approved the plan, as they changed it. Plan mode is off: the user is asked"
    )
    assert approved.endswith("Their version of the plan:\n\nOnly step 1.")
    told = plan_of(wire, session)["data"]
    assert (told["document"], told["entries"]) == ("Only step 1.", [])


@pytest.mark.row(66)
def test_approval_holds_after_a_resume_and_goes_back_with_a_rewind(serve: Serve) -> None:
    """A mode that lets edits run unasked was chosen in memory only: after a resume they are asked about."""
    wire, session = started(serve, turns("Hello."), turns(PRESENT, "Planned."), turns(WRITE, "Written."))
    yes = {"outcome": "selected", "optionId": "acceptEdits"}
    asked = answering(wire, yes, {"outcome": "selected", "optionId": "reject"})
    assert wire.run(session, "hello")["stopReason"] == "endTurn"
    assert wire.run(session, "plan it")["stopReason"] == "endTurn"
    wire.call("agent/session/close", {"sessionId": session})
    snapshot = wire.call("agent/resume", {"sessionId": session, "replay": "all"})["snapshot"]
    assert snapshot["options"].get("mode", "ask") == "ask"
    assert plan_of(wire, session)["data"]["document"] == PLAN
    assert wire.run(session, "do it")["stopReason"] == "endTurn"
    assert [question["kind"] for question in asked] == ["plan", "permission"]
    hello = next(item for item in snapshot["items"] if item.get("text") == "Hello.")
    gone = {"sessionId": session, "toItemId": hello["itemId"], "what": "conversation"}
    undo = wire.call("agent/session/rewind", gone)["checkpointId"]
    assert "document" not in plan_of(wire, session)["data"]
    wire.call("agent/session/rewind", {"sessionId": session, "undo": undo})
    assert plan_of(wire, session)["data"]["document"] == PLAN


@pytest.mark.row(66)
def test_open_plan_says_where_it_is_and_can_be_cancelled(serve: Serve) -> None:
    wire, session = started(serve, turns(PRESENT, "Never."))
    run = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
    wire.event("requestOpened", kind="plan")
    assert "A plan waits for your approval" in plan_of(wire, session)["output"][0]["text"]
    wire.call("agent/cancel", {"sessionId": session})
    assert wire.answer_of(run)["result"]["stopReason"] == "cancelled"
    assert not (wire.workspace / "a.txt").exists()
    assert "Plan mode is on" in plan_of(wire, session)["output"][0]["text"]


def test_approval_ends_the_mode_that_the_run_itself_was_given(serve: Serve) -> None:
    wire = serve(turns(PRESENT, WRITE, "Done."))
    wire.initialize(AGENT)
    session = wire.session()
    asked = answering(wire, *({"outcome": "selected", "optionId": each} for each in ("ask", "once")))
    assert wire.run(session, options={"mode": "plan"})["stopReason"] == "endTurn"
    assert [question["kind"] for question in asked] == ["plan", "permission"]
    assert (wire.workspace / "a.txt").read_text() == "one\n"


@pytest.mark.row(66)
def test_comment_of_a_client_that_knows_only_commands_reaches_the_model(serve: Serve) -> None:
    wire = serve(turns(PRESENT, PRESENT, "Done."))
    wire.initialize({}, capabilities={})

    def command(name: str, **given: str) -> Message:
        return wire.call("workspace/executeCommand", {"command": f"agls.{name}", "arguments": [given]})

    session = wire.session(options={"mode": "plan"})
    command("run", sessionId=session, input="go")
    for answered, (name, words) in enumerate((("reject", "no tests?"), ("approve", "keep it small"))):
        wire.until(lambda _, count=answered + 1: len(wire.of_method("window/showMessage")) >= count)
        assert "agls.approve" in wire.of_method("window/showMessage")[answered]["params"]["message"]
        command(name, feedback=words)
    wire.until(lambda m: m.get("params", {}).get("message") == "agls: done")
    commented, approved = outputs(wire, session)
    assert commented.endswith("nothing may be changed. They said: no tests?")
    assert approved.startswith("The user approved the plan.")
    assert "They said: keep it small" in approved


def test_client_that_knows_only_messages_gets_buttons(serve: Serve) -> None:
    """A short plan stands whole in the message; a long one is read in the transcript first."""
    wire = serve(turns(PRESENT, "Done."))
    wire.initialize({}, capabilities={"window": {"showMessage": {"messageActionItem": {}}}})

    def answer(message: Message) -> None:
        if message.get("method") == "window/showMessageRequest":
            chosen = message["params"]["actions"][0]
            wire.send({"jsonrpc": "2.0", "id": message["id"], "result": chosen})

    wire.heard = answer
    session = wire.session(options={"mode": "plan"})
    assert wire.run(session)["stopReason"] == "endTurn"
    message = wire.of_method("window/showMessageRequest")[0]["params"]
    assert [action["title"] for action in message["actions"]] == [label for _, label, _, _ in OFFERED]
    for line in PLAN.splitlines():
        assert line in message["message"]
    assert outputs(wire, session)[0].startswith("The user approved the plan.")
