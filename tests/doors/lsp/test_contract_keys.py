"""A rewind and an action with a `clientKey` are done once, for every connection and every process (4.2)."""

import socket
from pathlib import Path

import pytest

from support.patience import wait_until
from support.wire import Message, Wire, script, turns

CALLS = turns(
    {"calls": [{"name": "write_file", "arguments": {"path": "a.txt", "content": "one\n"}}]}, "Done."
)
ANY = {"match": "", "repeat": True, **turns("yes")}
ASKED = """
model = "m"
[models.m]
dialect = "chat"
base_url = "http://127.0.0.1:{port}/v1"
model = "x"
"""


def restarted(wire: Wire, folder: Path, config: Path) -> Wire:
    """The server is killed, and another takes its place."""
    wire.process.kill()
    wire.process.wait()
    wire.unchecked = "it was killed"
    again = Wire(folder, config)
    again.initialize()
    return again


def noted(folder: Path, words: bytes) -> bool:
    """Whether a session says this on the disk."""
    return any(words in path.read_bytes() for path in folder.rglob("*.jsonl"))


def kind(answer: Message) -> str:
    return answer["error"]["data"]["kind"]


@pytest.mark.item(33)
def test_request_with_a_known_key_is_not_done_again_by_the_next_process(tmp_path: Path) -> None:
    config = script(tmp_path, CALLS, turns("two"))
    with Wire(tmp_path, config) as wire:
        wire.initialize()
        session = wire.session(options={"mode": "allowAll"})
        wire.run(session)
        file = wire.workspace / "a.txt"
        last = wire.call("agent/resume", {"sessionId": session})["snapshot"]["items"][-1]["itemId"]
        wire.run(session)
        rewind = {"sessionId": session, "toItemId": last, "clientKey": "r"}
        went_back = wire.call("agent/session/rewind", rewind)
        revert = {"sessionId": session, "name": "checkpoint.restore", "input": {"toItemId": ""}}
        revert["clientKey"] = "a"
        reverted = wire.call("agent/action/invoke", revert)
        assert not file.exists()
        with restarted(wire, tmp_path, config) as other:
            file.write_text("mine\n")
            assert other.call("agent/session/rewind", rewind) == went_back
            assert other.call("agent/action/invoke", revert) == reverted
            assert kind(other.ask("agent/session/rewind", {**rewind, "toItemId": ""})) == "keyConflict"
            assert kind(other.ask("agent/action/invoke", {**revert, "name": "usage"})) == "keyConflict"
            assert file.read_text() == "mine\n"
            whole = other.call("agent/events", {"sessionId": session, "types": ["historyRewound"]})
            assert len(whole["events"]) == 1


WAYS: list[tuple[str, Message]] = [  # of another request that says the same words
    ("run", {"admission": "interrupt"}), ("run", {"admission": "ifIdle"}), ("run", {"admission": "steer"}),
    ("run", {"expectedRunId": "run_other"}), ("run", {"continueRun": True}),
    ("run", {"options": {"maxTurns": 9}}), ("steer", {}), ("steer", {"ifEnded": "run"}),
    ("session/rewind", {"toItemId": ""}), ("queue", {"op": "remove", "itemId": "none"}),
    ("action/invoke", {"name": "usage", "input": {}}),
]  # fmt: skip


@pytest.mark.item(33)
def test_a_key_is_of_one_request_whatever_is_asked_for_under_it_later(tmp_path: Path) -> None:
    """Who waits for the end, and where progress is told, make no difference."""
    config = script(tmp_path, ANY)
    with Wire(tmp_path, config) as wire:
        wire.initialize()
        usual = {"sessionId": wire.session(), "input": "go", "clientKey": "usual"}
        once = wire.call("agent/run", {**usual, "wait": True, "workDoneToken": "t"})
        interrupting = {**usual, "clientKey": "i", "admission": "interrupt", "wait": True}
        steering = {**usual, "clientKey": "s", "ifEnded": "run"}
        first = [wire.call("agent/run", interrupting), wire.call("agent/steer", steering)]
        wire.call("agent/session/rewind", {**usual, "clientKey": "r", "toItemId": once["itemId"]})
        with restarted(wire, tmp_path, config) as other:
            again = other.call("agent/run", usual)
            assert again == {name: once[name] for name in ("runId", "outcome", "itemId")}
            assert [other.call("agent/run", interrupting), other.call("agent/steer", steering)] == first
            for method, way in WAYS:
                assert kind(other.ask(f"agent/{method}", {**usual, **way})) == "keyConflict", (method, way)
            for key in "isr":
                for method in ("run", "steer"):
                    answer = other.ask(f"agent/{method}", {**usual, "clientKey": key})
                    assert kind(answer) == "keyConflict", (key, method)


def test_a_message_that_was_given_back_leaves_nothing(tmp_path: Path) -> None:
    with Wire(tmp_path, script(tmp_path, ANY)) as wire:
        wire.initialize()
        steer = {"sessionId": wire.session(), "input": "aside", "clientKey": "s"}
        for _ in range(2):
            assert wire.call("agent/steer", steer) == {"outcome": "returned"}
        assert wire.call("agent/resume", {"sessionId": steer["sessionId"]})["seq"] == 1


def test_failed_request_may_be_repeated_under_its_key(tmp_path: Path) -> None:
    with Wire(tmp_path, script(tmp_path, turns("one"))) as wire:
        wire.initialize()
        session = wire.session()
        rewind = {"sessionId": session, "toItemId": "none", "clientKey": "r"}
        for _ in range(2):
            assert kind(wire.ask("agent/session/rewind", rewind)) == "noSuchItem"
        revoke = {"sessionId": session, "name": "permission.revoke", "input": {"rule": "x"}, "clientKey": "p"}
        for _ in range(2):
            assert kind(wire.ask("agent/action/invoke", revoke)) == "actionFailed"


@pytest.mark.item(33)
def test_work_begun_by_a_dead_process_is_not_repeated(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes connections and never answers
        config = tmp_path / "config.toml"
        config.write_text(ASKED.format(port=silent.getsockname()[1]))
        with Wire(tmp_path, config) as wire:
            wire.initialize()
            session = wire.session()
            asked = {"sessionId": session, "name": "doctor", "clientKey": "d"}
            wire.post("agent/action/invoke", asked)
            wait_until(lambda: noted(tmp_path / "state", b'"begun"'))  # its event would follow the answer
            with restarted(wire, tmp_path, config) as other:
                answer = other.ask("agent/action/invoke", asked)
                assert kind(answer) == "failed"
                assert "new clientKey" in answer["error"]["message"]
