"""Questions of the model in an editor: answered by a person, too late, or before anybody is asked."""

import pytest

from support.wire import AGENT, Message, Wire, turns

from .conftest import Serve

ASK = turns(
    {
        "calls": [
            {"name": "ask_user", "arguments": {"question": "Which colour?", "choices": ["red", "blue"]}},
            {
                "name": "ask_user",
                "arguments": {"question": "Which size?", "timeout_s": 0.2, "default": "small"},
            },
        ]
    },
    "done",
)


def history(wire: Wire, session: str) -> list[tuple[str, str, str]]:
    """What the action of the room lists, after the session was closed and resumed."""
    wire.call("agent/session/close", {"sessionId": session})
    wire.call("agent/resume", {"sessionId": session})
    done = wire.call("agent/action/invoke", {"sessionId": session, "name": "ask.history"})
    return sorted((row["question"], row["answer"], row["source"]) for row in done["data"]["questions"])


@pytest.mark.row(39)
def test_person_answers_one_question_and_the_other_one_is_withdrawn_in_time(serve: Serve) -> None:
    wire = serve(ASK)
    wire.initialize(AGENT)

    def answer(message: Message) -> None:
        if message.get("method") == "agent/askUser" and message["params"]["message"] == "Which colour?":
            wanted = {"outcome": "accept", "content": {"choice": "blue"}}
            wire.send({"jsonrpc": "2.0", "id": message["id"], "result": wanted})

    wire.heard = answer
    session = wire.session()
    assert wire.run(session)["stopReason"] == "endTurn"
    assert history(wire, session) == [
        ("Which colour?", "blue", "interactive"),
        ("Which size?", "small", "timeout"),
    ]


@pytest.mark.row(39)
def test_person_chooses_several_answers_of_one_question(serve: Serve) -> None:
    asks = {"question": "Which colours?", "choices": ["red", "blue", "green"], "several": True}
    wire = serve(turns({"calls": [{"name": "ask_user", "arguments": asks}]}, "done"))
    wire.initialize(AGENT)
    wire.answers["agent/askUser"] = lambda params: {
        "outcome": "accept",
        "content": {"choice": params["schema"]["properties"]["choice"]["items"]["enum"][::2]},
    }
    session = wire.session()
    assert wire.run(session)["stopReason"] == "endTurn"
    assert wire.event("itemCompleted")
    told = [event["data"]["item"] for event in wire.events if event["type"] == "itemCompleted"]
    assert "The user answered: red, green" in [item.get("output") for item in told]
    assert history(wire, session) == [("Which colours?", "red, green", "interactive")]


@pytest.mark.row(39)
def test_prepared_answers_of_the_run_come_before_a_question_to_the_user(serve: Serve) -> None:
    wire = serve(ASK)
    wire.initialize(AGENT)
    session = wire.session()
    answers = [{"question": "colour", "match": "contains", "answer": "red"}, {"answer": "large"}]
    assert wire.run(session, options={"answers": answers})["stopReason"] == "endTurn"
    assert not wire.of_method("agent/askUser")
    assert history(wire, session) == [
        ("Which colour?", "red", "queued"),
        ("Which size?", "large", "queued"),
    ]
