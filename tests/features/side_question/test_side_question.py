"""A question beside the work (`btw`): asked while a run is on, given up, and seen by the client only."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.model_server import ModelServer, Reply
from support.wire import AGENT, Message, Wire


@contextmanager
def served(folder: Path, *replies: Reply, config: str = "") -> Iterator[tuple[Wire, ModelServer, str]]:
    """A client, a server of models, and a session."""
    with ModelServer(replies) as model:
        file = folder / "config.toml"
        file.write_text(f'model = "m"\n[models.m]\nbase_url = "{model.url}"\nmodel = "x"\n{config}')
        with Wire(folder, file) as wire:
            wire.initialize(AGENT)
            yield wire, model, wire.session()


def aside(session: str, question: str) -> Message:
    """The parameters of the question."""
    return {"sessionId": session, "name": "btw", "input": {"question": question}}


def test_question_is_answered_while_a_run_waits_and_its_cost_counts(tmp_path: Path) -> None:
    call = Reply("I run it.", calls=[("shell", {"command": "touch made.txt"})])
    replies = (call, Reply("A short command.", usage=(500, 9)), Reply("Done."))
    with served(tmp_path, *replies) as (wire, model, session):
        run = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
        asked = wire.until(lambda m: m.get("method") == "agent/requestPermission")
        done = wire.call("agent/action/invoke", aside(session, "What runs there?"))
        assert done["output"][0]["text"] == "A short command."
        item = wire.event("itemCompleted")  # of the prompt; the answer has one of its own
        assert item
        chosen = {"outcome": "selected", "optionId": "once"}
        wire.send({"jsonrpc": "2.0", "id": asked["id"], "result": chosen})
        assert wire.answer_of(run)["result"]["stopReason"] == "endTurn"
        first, question, last = (post.body["messages"] for post in model.posts)
        assert question[: len(first)] == first
        assert question[-2]["content"] == "[This call is still running.]"
        assert question[-1]["content"].endswith("What runs there?")
        assert "What runs there?" not in str(last)
        assert "A short command." not in str(last)
        items = wire.call("agent/resume", {"sessionId": session, "replay": "all"})["snapshot"]["items"]
        (answer,) = [each for each in items if each["kind"] == "sideAnswer"]
        assert (answer["title"], answer["text"]) == ("What runs there?", "A short command.")
        used = wire.call("agent/action/invoke", {"sessionId": session, "name": "usage"})
        assert "side_question" in str(used)


def of_item(wire: Wire, item_id: str) -> list[Message]:
    """The events of an item up to its end, in order."""

    def is_end(event: Message) -> bool:
        return event["type"] == "itemCompleted" and event.get("itemId") == item_id

    wire.until(lambda _: any(map(is_end, wire.events)))
    return [event for event in wire.events if event.get("itemId") == item_id]


def side_answers(wire: Wire, session: str) -> list[Message]:
    """The answers beside the work as a client that comes later sees them."""
    items = wire.call("agent/resume", {"sessionId": session, "replay": "all"})["snapshot"]["items"]
    return [item for item in items if item["kind"] == "sideAnswer"]


def test_answer_streams_while_it_comes_and_is_the_same_item_later(tmp_path: Path) -> None:
    with served(tmp_path, Reply("Hello."), Reply("Because it is short.")) as (wire, _, session):
        assert wire.run(session)["stopReason"] == "endTurn"
        usage = {"sessionId": session, "name": "usage"}
        before = wire.call("agent/action/invoke", usage)["data"]
        done = wire.call("agent/action/invoke", aside(session, "Why?"))
        after = wire.call("agent/action/invoke", usage)["data"]
        assert after["run"] == before["run"], "the run was over"
        assert after["session"]["modelCalls"] == before["session"]["modelCalls"] + 1
        begun, *streamed, ended = of_item(wire, done["data"]["shownIn"])
        item = {"kind": "sideAnswer", "status": "running", "title": "Why?", "text": ""}
        assert begun["data"]["item"].items() >= item.items()
        assert "".join(event["data"]["append"] for event in streamed) == "Because it is short."
        assert ended["data"]["item"]["status"] == "completed"
        assert side_answers(wire, session) == [ended["data"]["item"]]


def test_cost_of_a_question_counts_in_the_budget_of_the_run_that_is_on(tmp_path: Path) -> None:
    call = Reply("I run it.", calls=[("shell", {"command": "touch made.txt"})], usage=(10, 10))
    with served(tmp_path, call, Reply("A short command.", usage=(5000, 9))) as (wire, model, session):
        limits = {"maxInputTokens": 1000}
        run = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True, "options": limits})
        asked = wire.until(lambda m: m.get("method") == "agent/requestPermission")
        wire.call("agent/action/invoke", aside(session, "What runs there?"))
        wire.send(
            {"jsonrpc": "2.0", "id": asked["id"], "result": {"outcome": "selected", "optionId": "once"}}
        )
        ended = wire.answer_of(run)["result"]
        assert ended["stopReason"] == "budget"
        assert ended["usage"]["inputTokens"] == 5010
        assert len(model.posts) == 2


def test_model_that_calls_something_is_asked_once_more_without_tools(tmp_path: Path) -> None:
    call = Reply(calls=[("shell", {"command": "touch made.txt"})])
    with served(tmp_path, Reply("Hello."), call, Reply("Because.")) as (wire, model, session):
        assert wire.run(session)["stopReason"] == "endTurn"
        done = wire.call("agent/action/invoke", aside(session, "Why?"))
        assert done["output"][0]["text"] == "Because."
        assert [bool(post.body.get("tools")) for post in model.posts] == [True, True, False]
        assert not wire.of_method("agent/requestPermission")


def test_question_that_is_given_up_leaves_what_was_shown_and_the_work_as_it_was(tmp_path: Path) -> None:
    hanging = Reply("half an answer", fragment=4, cut_after=3, then="hang")
    with served(tmp_path, Reply("Hello."), hanging, Reply("On.")) as (wire, _, session):
        assert wire.run(session)["stopReason"] == "endTurn"
        request = wire.post("agent/action/invoke", aside(session, "Why?"))
        wire.until(
            lambda _: any(event["type"] == "itemDelta" and "half" in str(event) for event in wire.events)
        )
        wire.notify("$/cancelRequest", {"id": request})
        assert wire.answer_of(request)["error"]["data"]["kind"] == "cancelled"
        (left,) = side_answers(wire, session)
        assert left["status"] == "cancelled"
        assert left["text"].startswith("half")
        used = wire.call("agent/action/invoke", {"sessionId": session, "name": "usage"})["data"]
        spent = used["by"]["side_question"]
        assert (spent["modelCalls"], spent["outputTokens"] > 0) == (1, True), "what came of it counts"
        (day,) = (tmp_path / "state" / "usage").rglob(f"{session}.json")
        (row,) = json.loads(day.read_text())["ended"]
        assert row["used"]["model_calls"] == 2, "in the day, too"
        assert wire.run(session)["stopReason"] == "endTurn"


def test_files_that_the_question_points_at_go_with_it_and_stay_in_no_conversation(tmp_path: Path) -> None:
    key = "sk-of-this-user-1234567890"
    replies = (Reply("Hello."), Reply("Two."), Reply("Done."))
    config = f'api_key = "{key}"\n[permissions]\ndeny = ["read(b.py)"]\n'
    with served(tmp_path, *replies, config=config) as (wire, model, session):
        (wire.workspace / "a.py").write_text(f"first = 1\nsecond = 2 # {key}\n")
        (wire.workspace / "b.py").write_text("hidden = 1\n")
        assert wire.run(session)["stopReason"] == "endTurn"
        question = "What is second in @a.py? And @a.py:1 and @b.py?"
        done = wire.call("agent/action/invoke", aside(session, question))
        assert done["output"][0]["text"] == "Two."
        assert wire.run(session)["stopReason"] == "endTurn"
        _, asked, later = (str(post.body["messages"]) for post in model.posts)
        assert "first = 1" in asked and "second = 2 # [secret]" in asked
        assert "a.py#L1-L1" in asked
        assert "hidden = 1" not in asked, "what a rule hides is not shown"
        assert "first = 1" not in later
