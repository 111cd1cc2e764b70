"""Hooks that see a summary before it is made, and may put it off."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.model_server import ModelServer, Reply
from support.wire import Wire

PROGRAM = """import json, sys
d = json.load(sys.stdin)
open({!r}, "a").write(json.dumps(d) + chr(10))
if "keep" in d["custom_instructions"] or d["trigger"] == "auto":
    sys.stderr.write("not before the release")
    sys.exit(2)
"""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def seen(tmp_path: Path) -> Path:
    return tmp_path / "seen.jsonl"


@pytest.fixture
def wire(tmp_path: Path, server: ModelServer, seen: Path) -> Iterator[Wire]:
    config, program = tmp_path / "config.toml", tmp_path / "guard.py"
    program.write_text(PROGRAM.format(str(seen)))
    hook = f'[[hooks.handlers]]\nevent = "PreCompact"\nname = "guard"\ncommand = "python3 {program}"\n'
    config.write_text(f'[models.m]\nbase_url = "{server.url}"\ncontext_window = 12000\n{hook}')
    with Wire(tmp_path, config) as wire:
        wire.initialize()
        yield wire


def given(seen: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in seen.read_text().splitlines()]


def test_hook_puts_the_summary_of_a_run_off(wire: Wire, server: ModelServer, seen: Path) -> None:
    server.add(*(Reply(text, usage=None, fragment=2_000) for text in ("Begun. " * 3_000, "Done.", "Done.")))
    session = wire.session()
    wire.run(session, text="b " * 6_000)
    assert wire.run(session, text="c " * 2_000)["stopReason"] == "endTurn"
    (call,) = given(seen)
    assert (call["hook_event_name"], call["trigger"], call["custom_instructions"]) == (
        "PreCompact",
        "auto",
        "",
    )
    history = json.dumps(wire.history(session))
    assert "compaction" not in history
    wire.event("notice", title="The conversation is not summarised now")


def test_hook_sees_what_the_user_wants_of_a_summary_and_refuses_it(
    wire: Wire, server: ModelServer, seen: Path
) -> None:
    server.add(*(Reply(text, usage=None) for text in ("Begun. " * 900, "Done.", "They said hello.")))
    session = wire.session()
    wire.run(session, text="b " * 3_000)
    wire.run(session, text="c")
    ask = {"sessionId": session, "name": "compact"}
    refused = wire.ask("agent/action/invoke", {**ask, "input": {"focus": "keep the tests"}})
    assert "The hook guard is against it: not before the release" in refused["error"]["message"]
    wire.call("agent/action/invoke", {**ask, "input": {"focus": "the tests"}})
    assert [(d["trigger"], d["custom_instructions"]) for d in given(seen)] == [
        ("manual", "keep the tests"),
        ("manual", "the tests"),
    ]
