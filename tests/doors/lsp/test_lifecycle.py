"""From the first byte to the exit code (LSP 3.17, Lifecycle Messages; SECURITY.md, P7 and P8)."""

import json
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from support.leftovers import gone
from support.patience import PATIENCE, wait_until, within
from support.wire import Wire, turns

from .conftest import Serve

pytestmark = [pytest.mark.process, pytest.mark.promise("P7", "P8")]

HANGING = {"turns": [{"text": "I begin", "hang": True}]}


def test_the_first_answer_is_given_before_anything_is_imported(tmp_path: Path) -> None:
    """The list of modules at the moment of the reply, from inside the process."""
    spy = (
        "import sys\n"
        "import agls.doors.lsp as door\n"
        "from agls.doors.lsp import initialize as hello\n"
        "told = hello.initialize_result\n"
        "def spy(*given):\n"
        "    return told(*given) | {'modules': sorted(sys.modules)}\n"
        "hello.initialize_result = spy\n"
        "sys.exit(door.main())\n"
    )
    unmeasured = ["env", "-u", "COVERAGE_PROCESS_CONFIG", "-u", "COVERAGE_PROCESS_START"]
    with Wire(tmp_path, command=[*unmeasured, sys.executable, "-c", spy]) as wire:
        result = wire.initialize()
        modules = set(result["modules"])
        outside = {name.partition(".")[0] for name in modules} - set(sys.stdlib_module_names)
        heavy = {
            "asyncio",
            "pathlib",
            "urllib",
            "pygls",
            "lsprotocol",
            "pydantic",
            "httpx",
            "attrs",
            "cattrs",
            "dataclasses",
        }
        assert not heavy & modules
        assert {name for name in outside if not name.startswith("_")} <= {
            "agls",
            "sitecustomize",
            "coverage",
        }
        assert wire.leave() == 0


def test_initialize_is_answered_at_once(tmp_path: Path) -> None:
    for watch in within(1.0):
        with ExitStack() as ends, watch:
            wire = ends.enter_context(Wire(tmp_path))
            wire.initialize()


@pytest.mark.item(23)
def test_work_that_runs_when_the_client_leaves_is_recorded_as_interrupted(serve: Serve) -> None:
    wire = serve(HANGING)
    wire.initialize()
    session = wire.session()
    wire.call("agent/run", {"sessionId": session, "input": "go"})
    wire.event("itemDelta")
    assert wire.process.stdin
    wire.process.stdin.close()
    assert wire.exit_code() == 0
    with Wire(wire.workspace.parent, wire.workspace.parent / "config.toml") as again:
        again.initialize()
        resumed = again.call("agent/resume", {"sessionId": session, "replay": "since", "after": None})
        items = [item for item in resumed["snapshot"]["items"] if item["kind"] != "notice"]
        assert [(item["kind"], item["status"]) for item in items] == [
            ("userMessage", "completed"), ("message", "cancelled"),
        ]  # fmt: skip
        assert resumed["state"] == "idle"


STUBBORN = "trap '' TERM HUP INT; echo $$ > pid; while true; do sleep 0.1; done"


def say_goodbye(wire: Wire, how: str) -> None:
    if how == "end of input":
        assert wire.process.stdin
        wire.process.stdin.close()
        return
    if how == "shutdown and exit":
        assert wire.call("shutdown") is None
    wire.notify("exit")


@pytest.mark.parametrize("leave", ["shutdown and exit", "exit", "end of input"])
def test_exit_during_a_command_leaves_no_process(serve: Serve, tmp_path: Path, leave: str) -> None:
    call = {"text": "x", "calls": [{"name": "shell", "arguments": {"command": STUBBORN}}]}
    pid_file = tmp_path / "workspace" / "pid"
    for watch in within(2.3):
        wire = serve(turns(call, "never"))
        wire.initialize()
        session = wire.session(clientKey=f"{wire.process.pid}")
        wire.answers["agent/requestPermission"] = lambda asked: {"outcome": "selected", "optionId": "once"}
        pid_file.unlink(missing_ok=True)
        wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
        wire.event("itemUpdated", patch={"status": "running"})
        wait_until(lambda: pid_file.exists() and pid_file.read_text().strip())
        with watch:
            say_goodbye(wire, leave)
            assert wire.exit_code() == (1 if leave == "exit" else 0)
            wait_until(lambda: gone(int(pid_file.read_text())))
    with Wire(wire.workspace.parent, wire.workspace.parent / "config.toml") as again:
        again.initialize()
        request = {"sessionId": session, "replay": "since", "after": None}
        resumed = again.call("agent/resume", request)
        call_item = next(i for i in resumed["snapshot"]["items"] if i["kind"] == "toolCall")
        assert (call_item["status"], call_item["effects"]) == ("cancelled", "unknown")
        assert resumed["state"] == "idle"
        cursor = {"epoch": resumed["epoch"], "seq": 0}
        told = again.call("agent/resume", {**request, "after": cursor})["events"]
        ends = [event["data"]["stopReason"] for event in told if event["type"] == "runEnded"]
        assert ends == ["interrupted"]


@pytest.mark.item(23)
def test_requests_that_are_open_at_shutdown_are_answered_or_the_process_ends(serve: Serve) -> None:
    wire = serve(HANGING)
    wire.initialize()
    session = wire.session()
    request = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
    wire.event("itemDelta")
    assert wire.call("shutdown") is None
    wire.notify("exit")
    assert wire.answer_of(request)["result"]["stopReason"] == "interrupted"
    assert wire.exit_code() == 0


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_in_order(serve: Serve, end: signal.Signals) -> None:
    wire = serve(HANGING)
    wire.initialize()
    wire.call("agent/run", {"sessionId": wire.session(), "input": "go"})
    wire.event("itemDelta")
    wire.process.send_signal(end)
    assert wire.exit_code() == 0
    assert wire.event("runEnded")["data"]["stopReason"] == "interrupted"


def test_a_process_id_from_another_world_is_not_watched(bare: Wire) -> None:
    bare.initialize(processId=2**22 - 3)
    bare.call("agent/session/list")
    assert bare.leave() == 0


def test_a_server_without_a_model_starts_and_says_so(bare: Wire) -> None:
    bare.initialize()
    status = bare.call("agent/status")
    assert "no model" in status["problem"]
    session = bare.session()
    error = bare.ask("agent/run", {"sessionId": session, "input": "go"})["error"]
    assert (error["code"], error["data"]["kind"]) == (-33009, "configInvalid")


def test_models_are_listed_with_that_of_the_next_run_first(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(
        'model = "fast"\n[tiers]\nfast = "small"\n'
        '[models.big]\nbase_url = "http://127.0.0.1:9/v1"\n'
        '[models.small]\nbase_url = "http://127.0.0.1:9/v1"\ncontext_window = 32000\n'
    )
    with Wire(tmp_path, config) as wire:
        wire.initialize()
        assert wire.call("agent/status")["models"] == [
            {"name": "small", "provider": "127.0.0.1", "contextWindow": 32000, "default": True},
            {"name": "big", "provider": "127.0.0.1"},
        ]
        assert wire.leave() == 0


@pytest.mark.parametrize("text", ["mdoel = 1\n", "mdoel = "], ids=["an unknown key", "no TOML"])
def test_broken_configuration_is_reported_on_request(tmp_path: Path, text: str) -> None:
    config = tmp_path / "config.toml"
    config.write_text(text)
    with Wire(tmp_path, config) as wire:
        wire.initialize()
        assert "config.toml" in wire.call("agent/status")["problem"]
        response = wire.ask("agent/session/new", {"cwd": wire.workspace.as_uri()})
        if "result" in response:
            asked = {"sessionId": response["result"]["sessionId"], "input": "go"}
            response = wire.ask("agent/run", asked)
        assert response["error"]["code"] == -33009
        assert response["error"]["data"]["kind"] == "configInvalid"
        assert wire.leave() == 0


@pytest.mark.parametrize("stream", ["<&-", ">&-"])
def test_a_server_without_input_or_output_ends_and_says_why(stream: str) -> None:
    command = ["sh", "-c", f'"{sys.executable}" -m agls serve --stdio {stream}']
    ended = subprocess.run(
        command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE
    )
    assert ended.returncode == 1
    assert ended.stderr == "agls: serve --stdio needs standard input and output: Bad file descriptor\n"


def test_stray_output_never_reaches_the_client(tmp_path: Path) -> None:
    code = (
        "import sys, os, agls.doors.lsp as door\n"
        "take = door.take_streams\n"
        "def noisy():\n"
        "    streams = take()\n"
        "    print('stray', flush=True); os.write(1, b'stray')\n"
        "    return streams\n"
        "door.take_streams = noisy\n"
        "sys.exit(door.main())\n"
    )
    with Wire(tmp_path, command=[sys.executable, "-c", code]) as wire:
        wire.initialize()
        assert wire.leave() == 0
        assert "stray" in wire.errors()


@pytest.mark.item(24)
def test_capabilities_are_negotiated(serve: Serve) -> None:
    wire = serve("hi")
    result = wire.initialize(capabilities={"general": {"positionEncodings": ["x", "utf-8", "utf-16"]}})
    capabilities = result["capabilities"]
    assert capabilities["positionEncoding"] == "utf-8"
    agent = capabilities["experimental"]["agent"]
    assert agent["protocolVersion"] == 1
    assert "agent/run" in agent["methods"]
    assert "itemDelta" in agent["eventTypes"]
    assert json.dumps(agent)


@pytest.mark.item(24)
def test_unknown_protocol_version_is_reported_and_the_server_is_plain_lsp(serve: Serve) -> None:
    wire = serve(turns("hi"))
    result = wire.initialize({"protocolVersions": [99], "events": {}})
    assert result["capabilities"]["experimental"]["agent"] == {"supportedVersions": [1], "mismatch": True}
    done = wire.call("workspace/executeCommand", {"command": "agls.run", "arguments": ["go"]})
    assert done["outcome"] == "started"
    wire.until(lambda m: m.get("method") == "window/showMessage")
    assert not wire.events
