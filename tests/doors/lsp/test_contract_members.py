"""Members that the specification names: how a model failed, how full its context is, what a snapshot has."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agls.views.transcript import fold
from support.model_server import Failure, ModelServer, Reply
from support.wire import Wire

from .conftest import Serve

Serving = Callable[..., Wire]


@pytest.fixture
def behind(tmp_path: Path) -> Iterator[Serving]:
    """A server whose model is behind HTTP, on loopback."""
    with ExitStack() as stack:

        def start(*replies: Reply | Failure, more: str = "") -> Wire:
            model = stack.enter_context(ModelServer(replies))
            config = tmp_path / "config.toml"
            place = f'base_url = "{model.url}"\nmodel = "x"\n{more}'
            config.write_text(f'model = "m"\n[models.m]\ndialect = "chat"\n{place}')
            return stack.enter_context(Wire(tmp_path, config))

        yield start


# --- how a model failed (4.11) -------------------------------------------------------------------


def test_run_refused_by_its_model_reports_status_host_attempts_and_retry_time(
    behind: Serving,
) -> None:
    before = datetime.now(UTC)
    wire = behind(Failure(429, "slow down", headers={"Retry-After": "3600"}))
    wire.initialize()
    session = wire.session()
    answer = wire.run(session)
    error = answer["error"]
    assert {name: error[name] for name in ("kind", "httpStatus", "provider", "attempts")} == {
        "kind": "rateLimit", "httpStatus": 429, "provider": "127.0.0.1", "attempts": 1,
    }  # fmt: skip
    until = datetime.fromisoformat(error["resetsAt"])
    assert timedelta(hours=1) <= until - before + timedelta(seconds=1) < timedelta(hours=2)
    assert wire.event("runEnded")["data"]["error"] == error
    snapshot = wire.call("agent/resume", {"sessionId": session})["snapshot"]
    assert snapshot["runs"][-1]["ended"]["error"] == error, "it is kept"


def test_a_model_that_is_asked_again_says_how_often(behind: Serving) -> None:
    wire = behind(Failure(503, headers={"retry-after-ms": "1"}), Failure(400, "no"))
    wire.initialize()
    error = wire.run(wire.session())["error"]
    assert (error["httpStatus"], error["attempts"]) == (400, 2)
    assert "resetsAt" not in error


# --- the context (4.6) ---------------------------------------------------------------------------


def test_the_context_says_how_much_the_model_holds_how_sure_that_is_and_what_it_cost(behind: Serving) -> None:
    prices = "context_window = 5000\ninput_price = 1.0\noutput_price = 2.0\n"
    wire = behind(Reply("one", usage=(1000, 500)), Reply("two", usage=(2000, 500)), more=prices)
    wire.initialize()
    session = wire.session()
    wire.run(session)
    wire.run(session)
    told = [event["data"] for event in wire.events if event["type"] == "contextUsage"]
    assert told == [
        {"used": 1500, "sure": "told", "size": 5000, "cost": 0.002},
        {"used": 2500, "sure": "told", "size": 5000, "cost": 0.005},
    ]


def test_context_usage_has_no_size_when_the_window_is_unknown(serve: Serve) -> None:
    wire = serve("one")
    wire.initialize()
    wire.run(wire.session())
    assert "size" not in wire.event("contextUsage")["data"]


# --- snapshots (4.8) -----------------------------------------------------------------------------


def test_snapshot_has_everything_that_the_events_had(serve: Serve) -> None:
    wire = serve("one", "two", {"turns": [{"text": "I begin", "hang": True}]})
    wire.initialize()
    session = wire.session(title="A title", options={"maxTurns": 7})
    first, second = wire.run(session)["runId"], wire.run(session)["runId"]
    third = wire.call("agent/run", {"sessionId": session, "input": "hang"})["runId"]
    wire.event("itemDelta")
    waiting = wire.call("agent/run", {"sessionId": session, "input": "later"})["runId"]
    wire.event("queueChanged")  # told before the answer below
    answer = wire.call("agent/resume", {"sessionId": session})
    snapshot, known = answer["snapshot"], fold(wire.events)
    assert snapshot["info"] == {"cwd": wire.workspace.as_uri(), "title": "A title"}
    assert snapshot["options"] == {"maxTurns": 7}
    assert [run["runId"] for run in snapshot["queue"]] == [waiting]
    assert snapshot["usage"] == known.usage
    assert [run["runId"] for run in snapshot["runs"]] == [first, second, third]
    assert [run.get("ended") for run in snapshot["runs"]] == [known.runs[first], known.runs[second], None]
    of_run = {item: run["runId"] for run in snapshot["runs"] for item in run["itemIds"]}
    assert of_run == known.run_of
    assert set(of_run) == {item["itemId"] for item in (*snapshot["items"], *answer["openItems"])}


def test_a_tail_has_only_the_runs_of_its_items(serve: Serve) -> None:
    wire = serve("one", "two")
    wire.initialize()
    session = wire.session()
    wire.run(session)
    last = wire.run(session)["runId"]
    snapshot = wire.call("agent/resume", {"sessionId": session, "tail": 1})["snapshot"]
    assert [(run["runId"], run["itemIds"]) for run in snapshot["runs"]] == [
        (last, [snapshot["items"][0]["itemId"]])
    ]


# --- what only the model is told -----------------------------------------------------------------


def test_environment_message_is_no_item(serve: Serve) -> None:
    wire = serve("one")
    wire.initialize()
    session = wire.session()
    wire.run(session)
    assert {item["kind"] for item in fold(wire.events).items.values()} == {"userMessage", "message"}
    (said,) = (event["data"] for event in wire.events if event["data"].get("by") == "environment")
    assert (said["fact"], "<environment>" in said["content"][0]["text"]) == ("injected", True)
