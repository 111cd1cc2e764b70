"""Interrupted runs are offered, continued or left alone at the start: the setting `recovery`."""

import json
from pathlib import Path
from typing import Any

import pytest

from agls.engine.facts import Admitted, Fact, RunEnded, RunStarted, SessionChanged
from agls.engine.vocabulary import Limits, Stop, StopReason, Text
from agls.stores.files import FileStore
from support.patience import wait_until
from support.store_samples import entries_of
from support.wire import Wire, turns

from .conftest import Serve

GONE = Stop(StopReason.INTERRUPTED)
CUT_OFF: tuple[Fact, ...] = (Admitted("run_1", "item_1", (Text("repair it"),)), RunStarted("run_1"))
WINDOW = {"window": {"showMessage": {"messageActionItem": {}}}}


def leave(
    folder: Path, session_id: str = "ses_1", facts: tuple[Fact, ...] = CUT_OFF, at: float = 1e9
) -> None:
    """A session of the workspace whose process died after these facts."""
    (folder / "workspace").mkdir(exist_ok=True)
    store = FileStore(folder / "state")
    journal = store.create(session_id)
    journal.append(*entries_of([SessionChanged(str(folder / "workspace")), *facts], at=at))
    journal.close()


def hello(
    wire: Wire, mode: str = "", *, agent: Any = None, window: bool = True, trusted: bool = True
) -> None:
    options = {"trusted": trusted, "settings": {"recovery": mode} if mode else {}}
    wire.initialize(agent, initializationOptions=options, capabilities=WINDOW if window else {})


def ended(wire: Wire, run_id: str = "") -> dict[str, Any]:
    """Wait for the end of a run other than this."""
    wire.until(lambda m: any(e["type"] == "runEnded" and e["runId"] != run_id for e in _events(m)))
    return next(e for e in wire.events if e["type"] == "runEnded" and e["runId"] != run_id)


def _events(message: dict[str, Any]) -> list[dict[str, Any]]:
    return message["params"]["events"] if message.get("method") == "agent/event" else []


@pytest.mark.parametrize("agent", [None, {}], ids=["with views", "plain"])
def test_user_is_asked_and_continues(serve: Serve, tmp_path: Path, agent: Any) -> None:
    leave(tmp_path)
    wire = serve("Repaired.")
    questions: list[dict[str, Any]] = []

    def answer(params: dict[str, Any]) -> dict[str, str]:
        questions.append(params)
        return {"title": "Continue"}

    wire.answers["window/showMessageRequest"] = answer
    hello(wire, agent=agent)
    if agent is None:
        end = ended(wire, "run_1")
        assert end["data"]["stopReason"] == "endTurn"
        admitted = next(e for e in wire.events if e["type"] == "runAdmitted")
        assert admitted["data"]["recovers"] == "run_1"
    else:
        wire.until(lambda m: m.get("method") == "window/logMessage" and "Repaired." in json.dumps(m))
    (question,) = questions
    assert question["message"] == "“repair it” was interrupted. Continue it?"


@pytest.mark.parametrize(
    ("title", "note"),
    [("Archive", "archived"), ("Leave it", "leftInterrupted"), ("", "leftInterrupted")],
    ids=["archived", "left", "closed"],
)
def test_session_that_was_archived_or_left_is_not_offered_again(
    serve: Serve, tmp_path: Path, title: str, note: str
) -> None:
    leave(tmp_path)
    first = serve("never")
    first.answers["window/showMessageRequest"] = lambda params: {"title": title} if title else None
    hello(first)
    first.until(lambda m: m.get("method") == "window/showMessageRequest")
    journal = tmp_path / "state" / "sessions" / "ses_1.jsonl"
    wait_until(lambda: note in journal.read_text())

    def row() -> dict[str, Any]:
        return first.call("agent/session/list", {})["sessions"][0]

    wait_until(lambda: row().get("interrupted"))  # it is let go
    wait_until(lambda: row().get("archived", False) == (title == "Archive"))  # the list follows the journal
    assert first.leave() == 0
    leave(
        tmp_path, "ses_2", facts=(Admitted("run_9", "item_1", (Text("the older one"),)), RunStarted("run_9"))
    )
    second = serve("never")
    hello(second)
    asked = second.until(lambda m: m.get("method") == "window/showMessageRequest")
    assert "the older one" in asked["params"]["message"], "the newer one would be asked about first"


def test_auto_continues_an_interrupted_run_with_a_notice(serve: Serve, tmp_path: Path) -> None:
    leave(tmp_path)
    wire = serve("Repaired.")
    hello(wire, "auto")
    assert ended(wire, "run_1")["data"]["stopReason"] == "endTurn"
    said = wire.until(lambda m: m.get("method") == "window/showMessage")
    assert said["params"]["message"] == "agls continues “repair it”, which was interrupted."
    assert wire.of_method("window/showMessageRequest") == []


def test_prompts_that_never_began_are_begun(serve: Serve, tmp_path: Path) -> None:
    leave(tmp_path, facts=CUT_OFF[:1])
    wire = serve("Repaired.")
    hello(wire, "auto")
    assert ended(wire)["runId"] == "run_1"


def test_after_three_attempts_it_is_asked(serve: Serve, tmp_path: Path) -> None:
    facts: list[Fact] = [*CUT_OFF]
    for number in range(2, 5):
        facts += [RunEnded(f"run_{number - 1}", GONE)]
        facts += [
            Admitted(f"run_{number}", "i", (), recovers=f"run_{number - 1}"),
            RunStarted(f"run_{number}"),
        ]
    leave(tmp_path, facts=tuple(facts))
    wire = serve("never")
    hello(wire, "auto")
    asked = wire.until(lambda m: m.get("method") == "window/showMessageRequest")
    assert "continued 3 times" in asked["params"]["message"]
    assert not any(event["type"] == "runAdmitted" for event in wire.events)


def test_in_a_folder_that_is_not_trusted_auto_asks(serve: Serve, tmp_path: Path) -> None:
    leave(tmp_path)
    wire = serve("never")
    hello(wire, "auto", trusted=False)
    wire.until(lambda m: m.get("method") == "window/showMessageRequest")
    assert not any(event["type"] == "runAdmitted" for event in wire.events)


def test_client_without_questions_gets_instructions_in_plain_mode(serve: Serve, tmp_path: Path) -> None:
    """Once: at the next start there is nothing new to say."""
    leave(tmp_path)
    first = serve("never")
    hello(first, agent={}, window=False)
    first.until(lambda m: m.get("method") == "window/showMessage")
    journal = tmp_path / "state" / "sessions" / "ses_1.jsonl"
    wait_until(lambda: "toldInterrupted" in journal.read_text())
    assert first.leave() == 0
    leave(tmp_path, "ses_2", facts=(Admitted("run_9", "item_1", (Text("the other"),)), RunStarted("run_9")))
    wire = serve("never")
    hello(wire, agent={}, window=False)
    said = wire.until(lambda m: m.get("method") == "window/showMessage")["params"]["message"]
    command = json.loads(said.partition("agls.run with ")[2])
    wire.call("workspace/executeCommand", {"command": "agls.run", "arguments": [command]})


@pytest.mark.row(16)
def test_run_continued_from_the_editor_has_the_rest_of_its_limits(serve: Serve, tmp_path: Path) -> None:
    """A run that had two turns left before the crash has two turns left."""
    leave(tmp_path, facts=(CUT_OFF[0], RunStarted("run_1", Limits(max_turns=2)), RunEnded("run_1", GONE)))
    look = {"calls": [{"name": "list_dir", "arguments": {}}]}
    wire = serve(turns(look, look, look, "never"))
    hello(wire, "auto")
    assert ended(wire)["data"]["stopReason"] == "maxTurns"
    assert sum(event["type"] == "turnStarted" for event in wire.events) == 2


def test_a_session_that_another_server_works_on_is_left_to_it(serve: Serve, tmp_path: Path) -> None:
    """Two servers on one store: the second begins nothing in the first one's session."""
    leave(tmp_path)
    held = FileStore(tmp_path / "state").open("ses_1")
    leave(tmp_path, "ses_2", facts=(Admitted("run_9", "item_1", (Text("the other"),)),), at=1.0)
    wire = serve("Done.")
    hello(wire, "auto")
    assert ended(wire)["sessionId"] == "ses_2", "the one that is free is continued, after the other"
    assert {event["sessionId"] for event in wire.events} == {"ses_2"}
    held.close()


def test_a_model_that_is_missing_is_named(serve: Serve, tmp_path: Path) -> None:
    leave(tmp_path, facts=(SessionChanged(options={"model": "nowhere"}), *CUT_OFF))
    wire = serve("never")
    hello(wire, "auto")
    said = wire.until(lambda m: m.get("method") == "window/showMessage")["params"]["message"]
    assert "cannot be continued" in said


def test_never_mode_neither_continues_nor_asks(serve: Serve, tmp_path: Path) -> None:
    leave(tmp_path)
    wire = serve("Repaired.")
    hello(wire, "never")
    session = wire.session()  # it would be told before the end of a run that begins later
    wire.run(session)
    assert wire.leave() == 0
    assert wire.of_method("window/showMessageRequest") == []
    assert {event["sessionId"] for event in wire.events} == {session}


def test_run_of_a_server_that_is_shut_down_can_be_continued(serve: Serve) -> None:
    """A graceful shutdown, then a start: the same run, further on."""
    first = serve({"turns": [{"text": "I begin", "hang": True}]})
    hello(first)
    session = first.session()
    first.call("agent/run", {"sessionId": session, "input": "go"})
    first.event("itemDelta")
    assert first.leave() == 0
    second = serve({"match": "go", "turns": [{"text": "Half."}, {"text": "Whole."}], "repeat": True})
    hello(second, "auto")
    assert ended(second)["data"]["stopReason"] == "endTurn"
    assert {event["sessionId"] for event in second.events} == {session}
