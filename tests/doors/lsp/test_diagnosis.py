"""What helps whoever looks for the cause of something: the log, the trace, and the dump of the wire."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from support.wire import AGENT, Message, Wire, script, turns

from .conftest import Serve

SERVE = [sys.executable, "-m", "agls", "serve", "--stdio"]


def traced(wire: Wire) -> list[Message]:
    """The lines of the trace so far."""
    return [message["params"] for message in wire.of_method("$/logTrace")]


def mentions(word: str) -> Callable[[Message], bool]:
    """Whether a message is a line of the trace with this word."""
    return lambda m: m.get("method") == "$/logTrace" and word in m["params"]["message"]


# --- $/setTrace ----------------------------------------------------------------------------------


def test_trace_of_messages_has_a_line_for_each_request_and_fact(serve: Serve) -> None:
    wire = serve("hello")
    wire.initialize(trace="messages")
    wire.run(wire.session())
    wire.until(mentions("RunEnded"))
    lines = [line["message"] for line in traced(wire)]
    assert any("agent/run" in line for line in lines)
    assert any(": answered" in line for line in lines)
    assert not any("verbose" in line for line in traced(wire))


def test_verbose_trace_has_details_until_it_is_switched_off(serve: Serve) -> None:
    wire = serve("hello", "again")
    wire.initialize()
    wire.notify("$/setTrace", {"value": "verbose"})
    session = wire.session()
    wire.run(session, "what is this?")
    line = wire.until(mentions("Admitted"))["params"]
    assert "what is this?" in line["verbose"]
    wire.notify("$/setTrace", {"value": "off"})
    wire.call("agent/status")
    before = len(traced(wire))
    wire.run(session)
    assert len(traced(wire)) == before


def test_client_that_asks_for_no_trace_gets_none(serve: Serve) -> None:
    wire = serve("hello")
    wire.initialize()
    wire.run(wire.session())
    assert traced(wire) == []


def test_trace_with_a_senseless_value_is_off(serve: Serve) -> None:
    wire = serve("hello")
    wire.initialize(trace=["verbose"])
    wire.notify("$/setTrace", {"value": {"messages": True}})
    wire.run(wire.session())
    assert traced(wire) == []


# --- AGLS_LOG ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("level", "logged"), [("debug", True), ("DEBUG", True), ("error", False), ("", False)]
)
def test_log_has_requests_and_facts_when_the_level_is_debug(tmp_path: Path, level: str, logged: bool) -> None:
    with Wire(tmp_path, script(tmp_path, turns("hello")), variables={"AGLS_LOG": level}) as wire:
        wire.initialize()
        wire.run(wire.session(), "what is this?")
        log = (tmp_path / "state" / "agls.log").read_text()
    assert ("agent/run" in log) is logged
    assert ("RunEnded" in log) is logged
    assert "what is this?" not in log, "what users say is only in a verbose trace"


def test_log_names_the_levels_when_there_is_no_such_level(tmp_path: Path) -> None:
    with Wire(tmp_path, script(tmp_path, turns("hello")), variables={"AGLS_LOG": "loud"}) as wire:
        wire.initialize()
        wire.session()
        log = (tmp_path / "state" / "agls.log").read_text()
    assert "AGLS_LOG is 'loud'; the levels are debug, info, warning, error" in log


# --- the dump of the wire ------------------------------------------------------------------------


def dumped(file: Path) -> list[Message]:
    """The lines of a dump."""
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_dump_has_every_message_of_both_sides_in_order(tmp_path: Path) -> None:
    file = tmp_path / "wire.jsonl"
    command = [*SERVE, "--wire-dump", str(file)]
    with Wire(tmp_path, script(tmp_path, turns("hello")), command) as wire:
        wire.initialize()
        wire.run(wire.session())
        wire.leave()
        wire.closed()
        lines = dumped(file)
        sent = [line["message"] for line in lines if line["from"] == "client"]
        said = [line["message"] for line in lines if line["from"] == "server"]
        assert sent == [message for who, message in wire.said if who == "client"]
        assert said == wire.messages
    assert file.stat().st_mode & 0o077 == 0, "only its user can read it"
    assert all(line["bytes"] > 0 and line["at"].endswith("Z") for line in lines)


def test_dump_has_what_is_no_json_as_text(tmp_path: Path) -> None:
    file = tmp_path / "wire.jsonl"
    with Wire(tmp_path, script(tmp_path, turns("hello")), [*SERVE, "--wire-dump", str(file)]) as wire:
        wire.initialize()
        wire.write(b"Content-Length: 5\r\n\r\n{\xff}[]")
        wire.until(lambda m: m.get("error", {}).get("code") == -32700)
        wire.leave()
    assert "{\\xff}[]" in [line.get("text") for line in dumped(file)]


def test_dump_of_a_server_without_settings_has_the_shape_of_messages_alone(tmp_path: Path) -> None:
    file, config = tmp_path / "wire.jsonl", tmp_path / "config.toml"
    config.write_text("model = ")
    with Wire(tmp_path, config, [*SERVE, "--wire-dump", str(file)]) as wire:
        wire.initialize(initializationOptions={"settings": {"note": "my-private-key"}})
        wire.leave()
    assert [line["message"].get("method", "answer") for line in dumped(file)] == [
        "initialize", "answer", "initialized", "shutdown", "answer", "exit",
    ]  # fmt: skip
    assert "my-private-key" not in file.read_text()


def test_dump_to_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    where = str(tmp_path / "missing" / "wire.jsonl")
    done = subprocess.run(
        [*SERVE, "--wire-dump", where], input="", capture_output=True, text=True, check=False, env=os.environ
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert f"--wire-dump {where}: No such file or directory" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only where there is a full disk")
def test_dump_on_a_full_disk_ends_and_the_connection_goes_on(tmp_path: Path) -> None:
    command = [*SERVE, "--wire-dump", "/dev/full"]
    with Wire(tmp_path, script(tmp_path, turns("hello")), command) as wire:
        wire.initialize(AGENT)
        assert wire.run(wire.session())["stopReason"] == "endTurn"
        wire.leave()
        assert wire.errors().count("the wire dump ends here: No space left on device") == 1
