"""Questions to the human: the agent's own request, plain LSP, and nobody there (protocol#to-the-client)."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from agls.doors.agent.attached import Attached
from agls.doors.agent.flow.batches import Piece
from agls.doors.agent.limits import ConnectionLimits
from agls.doors.agent.peer import Peer
from agls.doors.lsp.client import read_client
from agls.doors.lsp.plain.presenter import LspPresenter
from agls.engine.sessions import Sessions
from agls.engine.vocabulary import Answer, Question
from agls.stores.memory import MemoryStore
from agls.views.transcript import fold
from support.scenario import FakeClock
from support.wire import AGENT, Message, Wire, events_in, turns
from support.wire_rules import check_events

from .conftest import Serve

pytestmark = pytest.mark.promise("P3")

SHELL = {"text": "I look.", "calls": [{"name": "shell", "arguments": {"command": "touch hi; echo hi"}}]}
ASK = {"name": "ask_user", "arguments": {"question": "Which colour?", "choices": ["red", "blue"]}}
FORM = {"text": "I ask.", "calls": [ASK]}
MESSAGES = {"window": {"showMessage": {"messageActionItem": {}}}}


def choose(decision: str) -> Any:
    def answer(params: Message) -> Message:
        option = next(o for o in params["options"] if o["decision"] == decision)
        return {"outcome": "selected", "optionId": option["optionId"], "feedback": "because"}

    return answer


def tells(message: Message, type: str) -> bool:
    return any(event["type"] == type for event in events_in(message))


def calls(wire: Wire) -> list[Message]:
    return [item for item in fold(wire.events).items.values() if item["kind"] == "toolCall"]


def test_a_permission_is_asked_with_all_that_must_be_seen(serve: Serve) -> None:
    wire = serve(turns(SHELL, "done"))
    wire.initialize()
    session = wire.session()
    wire.answers["agent/requestPermission"] = choose("allow")
    assert wire.run(session)["stopReason"] == "endTurn"
    asked = wire.until(lambda m: m.get("method") == "agent/requestPermission")["params"]
    assert asked["subject"]["command"] == "touch hi; echo hi"
    assert asked["subject"]["cwd"] == str(wire.workspace)
    assert (asked["sessionId"], asked["agentId"]) == (session, "main")
    assert asked["itemId"] == calls(wire)[0]["itemId"]
    resolved = wire.event("requestResolved")["data"]
    assert (resolved["outcome"], resolved["by"]) == ("selected", "test")
    assert calls(wire)[0]["status"] == "completed"
    opened = wire.index(lambda m: tells(m, "requestOpened"))
    assert opened < wire.index(lambda m: m.get("method") == "agent/requestPermission")
    check_events(wire.events)


@pytest.mark.promise("P15")
def test_record_of_the_run_says_who_allowed_or_refused_each_call(serve: Serve) -> None:
    wire = serve(turns(SHELL, SHELL, "done"))
    wire.initialize()
    session = wire.session()
    answers = iter((choose("allow"), choose("reject")))

    def answer(params: Message) -> Message:
        return next(answers)(params)

    wire.answers["agent/requestPermission"] = answer
    wire.run(session)
    shown = wire.call("agent/action/invoke", {"sessionId": session, "name": "audit", "input": {}})
    rows = [
        row for record in shown["data"]["records"] for step in record["steps"] for row in step["toolCalls"]
    ]
    assert [(row["allowedBy"], row["refusedBy"]) for row in rows] == [
        ("test: Allow once", None),
        (None, "user"),
    ]


@pytest.mark.parametrize(
    "answer",
    [
        {"outcome": "dismissed", "feedback": "no"},
        {"outcome": "selected", "optionId": "no such option"},
        {"outcome": "selected"},
        {"outcome": "selected", "optionId": "once", "input": "what the user made of it, in no shape"},
        {"outcome": "cancelled"},
        None,
        "yes",
        ["allow"],
    ],
    ids=repr,
)
def test_answer_that_is_not_clearly_yes_is_a_refusal(lasting: Serve, answer: Any) -> None:
    wire = lasting(turns(SHELL, "done"))
    wire.answers["agent/requestPermission"] = lambda params: answer
    session = wire.session()
    assert wire.run(session)["stopReason"] == "endTurn"
    mine = fold([event for event in wire.events if event["sessionId"] == session]).items.values()
    assert [item["status"] for item in mine if item["kind"] == "toolCall"] == ["rejected"]


def test_an_error_for_an_answer_is_no(serve: Serve) -> None:
    wire = serve(turns(SHELL, "done"))
    wire.initialize()
    request = wire.post("agent/run", {"sessionId": wire.session(), "input": "go", "wait": True})
    asked = wire.until(lambda m: m.get("method") == "agent/requestPermission")
    wire.send({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "no"}})
    wire.answer_of(request)
    assert calls(wire)[0]["status"] == "rejected"


def test_a_withdrawn_question_is_cancelled_at_the_client_and_a_late_answer_ignored(serve: Serve) -> None:
    wire = serve(turns(SHELL, "done"), "next")
    wire.initialize()
    session = wire.session()
    request = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
    asked = wire.until(lambda m: m.get("method") == "agent/requestPermission")
    wire.call("agent/cancel", {"sessionId": session})
    assert wire.answer_of(request)["result"]["stopReason"] == "cancelled"
    taken_back = wire.index(lambda m: m.get("method") == "$/cancelRequest")
    assert wire.messages[taken_back]["params"] == {"id": asked["id"]}
    assert taken_back < wire.index(lambda m: tells(m, "requestResolved"))
    wire.send({"jsonrpc": "2.0", "id": asked["id"], "result": choose("allow")(asked["params"])})
    late = {"requestId": asked["params"]["requestId"], "response": {"outcome": "dismissed"}}
    assert wire.call("agent/respond", late) == {"outcome": "alreadyResolved"}
    assert wire.run(session)["stopReason"] == "endTurn"
    assert calls(wire)[0]["status"] == "cancelled"
    check_events(wire.events)


def test_a_question_can_be_answered_by_respond_and_survives_a_resume(serve: Serve) -> None:
    wire = serve(turns(SHELL, "done"))
    wire.initialize()
    session = wire.session()
    request = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
    asked = wire.until(lambda m: m.get("method") == "agent/requestPermission")["params"]
    resumed = wire.call("agent/resume", {"sessionId": session})
    assert resumed["state"] == "requiresAction"
    assert resumed["openRequests"][0]["requestId"] == asked["requestId"]
    assert resumed["snapshot"]["openRequests"] == resumed["openRequests"]
    response = {"requestId": asked["requestId"], "response": choose("allow")(asked)}
    assert wire.call("agent/respond", response) == {"outcome": "accepted"}
    assert wire.answer_of(request)["result"]["stopReason"] == "endTurn"
    assert calls(wire)[0]["status"] == "completed"


def test_a_plain_client_is_asked_by_a_message_with_fixed_actions(serve: Serve) -> None:
    wire = serve(turns(SHELL, "done"), turns(SHELL, "done"))
    wire.initialize({}, capabilities=MESSAGES)
    titles: list[str] = ["Allow once"]
    wire.answers["window/showMessageRequest"] = lambda params: {"title": titles[-1]}
    session = wire.session()
    assert wire.run(session)["stopReason"] == "endTurn"
    asked = wire.until(lambda m: m.get("method") == "window/showMessageRequest")["params"]
    assert "touch hi; echo hi" in asked["message"]
    assert asked["actions"][0]["title"] == "Allow once"
    titles.append("allow once")
    wire.run(session)
    result = wire.call("agent/resume", {"sessionId": session})
    states = [i["status"] for i in result["snapshot"]["items"] if i["kind"] == "toolCall"]
    assert states == ["completed", "rejected"]
    assert not wire.events


def test_missing_client_is_counted_and_the_run_continues(serve: Serve) -> None:
    wire = serve(turns(SHELL, "done"))
    wire.initialize({"protocolVersions": [1], "events": {}})
    wire.run(wire.session())
    ended = wire.event("runEnded")["data"]
    assert (ended["stopReason"], ended["unanswered"]) == ("endTurn", 1)


FORMS: list[tuple[Any, str, str]] = [
    ({"outcome": "accept", "content": {"choice": "blue"}}, "accepted", "completed"),
    ({"outcome": "accept", "content": {"choice": "mauve"}}, "accepted", "failed"),
    ({"outcome": "accept"}, "unanswered", "failed"),
    ({"outcome": "decline"}, "declined", "rejected"),
    ({"outcome": "cancel"}, "cancelled", "cancelled"),
    ("blue", "unanswered", "failed"),
]


@pytest.mark.parametrize(("answer", "outcome", "status"), FORMS, ids=[repr(form[0]) for form in FORMS])
def test_a_form_goes_to_a_client_that_has_forms(serve: Serve, answer: Any, outcome: str, status: str) -> None:
    wire = serve(turns(FORM, "done"))
    wire.initialize()
    wire.answers["agent/askUser"] = lambda params: answer
    assert wire.run(wire.session())["stopReason"] == "endTurn"
    asked = wire.until(lambda m: m.get("method") == "agent/askUser")["params"]
    assert (asked["mode"], asked["agentId"], asked["message"]) == ("form", "main", "Which colour?")
    assert asked["schema"]["properties"]["choice"]["enum"] == ["red", "blue"]
    assert asked["itemId"] == calls(wire)[0]["itemId"]
    resolved = wire.event("requestResolved")["data"]
    assert resolved["outcome"] == outcome
    assert "content" not in resolved
    assert calls(wire)[0]["status"] == status
    assert ("blue" in calls(wire)[0]["output"]) == (status == "completed")
    check_events(wire.events)


@pytest.mark.parametrize("agent", [{**AGENT, "askUser": None}, {**AGENT, "permission": None}, {}])
def test_form_that_no_client_can_fill_in_is_not_waited_for(serve: Serve, agent: Message) -> None:
    wire = serve(turns(FORM, "done"))
    wire.initialize(agent)
    wire.answers["agent/askUser"] = lambda params: {"outcome": "decline"}
    session = wire.session()
    assert wire.run(session)["stopReason"] == "endTurn"
    assert bool(wire.of_method("agent/askUser")) == (agent.get("permission", 0) is None)


def test_a_form_is_not_approved_by_command(serve: Serve) -> None:
    wire = serve(turns(FORM, "done"))
    wire.initialize()
    wire.call("agent/run", {"sessionId": wire.session(), "input": "go"})
    asked = wire.until(lambda m: m.get("method") == "agent/askUser")["params"]["requestId"]
    approve = {"command": "agls.approve", "arguments": [asked]}
    assert "is a form" in wire.ask("workspace/executeCommand", approve)["error"]["message"]
    filled = {"requestId": asked, "response": {"outcome": "accept", "content": {"answer": "green"}}}
    assert wire.call("agent/respond", filled) == {"outcome": "accepted"}
    wire.event("runEnded")
    assert "green" in calls(wire)[0]["output"]


UNCLEAR: list[Any] = [
    {"requestId": "ask"}, "ask", [""], [7], [{"requestId": []}], [{"requestId": {}}], [{"requestId": ""}],
    [{"optionId": 7}], [{"optionId": []}],
]  # fmt: skip


@pytest.mark.parametrize("command", ["agls.approve", "agls.reject"])
def test_command_with_an_ambiguous_answer_answers_nothing(serve: Serve, command: str) -> None:
    wire = serve(turns(SHELL, "done"))
    wire.initialize()
    session = wire.session()
    wire.call("agent/run", {"sessionId": session, "input": "go"})
    asked = wire.event("requestOpened")["data"]["requestId"]
    for arguments in UNCLEAR:
        error = wire.ask("workspace/executeCommand", {"command": command, "arguments": arguments})["error"]
        assert (error["code"], error["data"]["kind"]) == (-32602, "invalidParams"), arguments
    (question,) = wire.call("agent/resume", {"sessionId": session})["openRequests"]
    assert question["requestId"] == asked
    told = wire.call("workspace/executeCommand", {"command": command, "arguments": [asked]})
    assert told == {"requestId": asked, "outcome": "accepted"}


def test_plain_commands_answer_questions_too(serve: Serve) -> None:
    wire = serve(turns(SHELL, "done"), turns(SHELL, "done"))
    wire.initialize({}, capabilities=MESSAGES)
    for command in ("agls.approve", "agls.reject"):
        count = len(wire.of_method("window/showMessageRequest"))
        wire.call("workspace/executeCommand", {"command": "agls.run", "arguments": ["go"]})
        wire.until(lambda m, n=count: len(wire.of_method("window/showMessageRequest")) > n)
        done = wire.call("workspace/executeCommand", {"command": command, "arguments": []})
        assert done["outcome"] == "accepted"
        wire.until(lambda m, n=count: len(wire.of_method("window/showMessage")) > n)
    unknown = {"command": "agls.approve", "arguments": ["ask_x"]}
    assert wire.ask("workspace/executeCommand", unknown)["error"]["data"]["kind"] == "requestResolved"
    nothing = wire.call("workspace/executeCommand", {"command": "agls.approve", "arguments": []})
    assert nothing == {"outcome": "alreadyResolved"}


class FakeWriter:
    """Keeps what would be written, by what it is."""

    backlog = others = 0

    def stalled(self) -> float:
        return 0.0

    def __init__(self) -> None:
        self.written: list[str] = []

    def send(self, message: Message, *, urgent: bool = False) -> None:
        self.written.append(message["method"])

    def put(self, pieces: Sequence[Piece]) -> bool:
        self.written += [json.loads(piece.text)["type"] for piece in pieces]
        return False


async def test_a_question_stays_behind_its_event_while_an_answer_goes_first() -> None:
    """A prompt is being admitted while the running run asks: its events wait, and so must the question."""
    capabilities = {"experimental": {"agent": AGENT}}
    client, writer = read_client({"capabilities": capabilities}), FakeWriter()
    given: Any = writer
    unused: Any = print  # no run is begun
    async with Sessions(MemoryStore(), unused, FakeClock()) as sessions:
        session = await sessions.create("/project")
        peer = Peer(given, ConnectionLimits(), client)
        attached = Attached(session, peer, LspPresenter(session, "own", peer), lambda: None, lambda: None)
        with attached.publisher.held():
            asking = asyncio.create_task(session.questions.ask(Question("permission", "May I?")))
            await asyncio.sleep(0)
            assert session.state.questions
            assert not writer.written
        assert writer.written == ["requestOpened", "sessionState", "agent/requestPermission"]
        with attached.publisher.held():
            session.questions.answer(next(iter(session.state.questions)), Answer("dismissed"))
            await asking
        assert writer.written[3:] == ["$/cancelRequest", "requestResolved", "sessionState"]
        attached.end()
