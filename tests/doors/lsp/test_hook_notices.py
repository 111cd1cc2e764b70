"""Hooks that only look: they hear of a question and of a summary, and the run does not wait for them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.model_server import ModelServer, Reply
from support.patience import wait_until
from support.wire import Message, Wire


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def seen(tmp_path: Path) -> Path:
    return tmp_path / "seen.jsonl"


@pytest.fixture
def wire(tmp_path: Path, server: ModelServer, seen: Path) -> Iterator[Wire]:
    config = tmp_path / "config.toml"
    program = f"import sys; open({str(seen)!r}, 'a').write(sys.stdin.read() + chr(10))"
    command = tmp_path / "keep.py"
    command.write_text(program)
    hooks = "".join(
        f'[[hooks.handlers]]\nevent = "{event}"\nmatcher = "{matcher}"\ncommand = "python3 {command}"\n'
        for event, matcher in (
            ("Notification", "permission_prompt"),
            ("Notification", "plan_prompt"),
            ("PostCompact", "auto"),
            ("PostCompact", "manual"),
        )
    )
    config.write_text(f'[models.m]\nbase_url = "{server.url}"\ncontext_window = 12000\n{hooks}')
    with Wire(tmp_path, config) as wire:
        wire.initialize()
        yield wire


def given(seen: Path, number: int) -> list[dict[str, Any]]:
    """What the hooks were given, once there is so much."""
    wait_until(lambda: seen.exists() and len(seen.read_text().splitlines()) >= number)
    return [json.loads(line) for line in seen.read_text().splitlines()]


@pytest.mark.row(50)
def test_question_is_notified_of_while_it_waits(wire: Wire, server: ModelServer, seen: Path) -> None:
    heard: list[dict[str, Any]] = []

    def answer(params: Message) -> Message:
        heard.extend(given(seen, 1))  # nobody has answered yet
        option = next(each for each in params["options"] if each["decision"] == "allow")
        return {"outcome": "selected", "optionId": option["optionId"]}

    wire.answers["agent/requestPermission"] = answer
    server.add(Reply(calls=[("shell", {"command": "touch made"})]), Reply("Done."))
    assert wire.run(wire.session())["stopReason"] == "endTurn"
    (notice,) = heard
    assert notice["hook_event_name"] == "Notification"
    assert notice["notification_type"] == "permission_prompt"
    assert "touch made" in notice["message"]


@pytest.mark.row(50)
def test_summary_of_a_run_is_given_to_the_hooks(wire: Wire, server: ModelServer, seen: Path) -> None:
    texts = ("Begun. " * 3_000, "They said hello.", "Done.", "Done.")
    server.add(*(Reply(text, usage=None, fragment=2_000) for text in texts))
    session = wire.session()
    wire.run(session, text="b " * 6_000)
    assert wire.run(session, text="c " * 4_000)["stopReason"] == "endTurn"
    (notice,) = given(seen, 1)
    assert (notice["hook_event_name"], notice["trigger"]) == ("PostCompact", "auto")
    assert "They said hello." in notice["compact_summary"]
