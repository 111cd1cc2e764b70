"""From the first byte to the exit code (LSP 3.17, Lifecycle Messages; promises P7 and P8)."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.wire import Wire, frame, turns

from .conftest import Serve

HANGING = {"turns": [{"text": "I begin", "hang": True}]}


def test_the_first_answer_is_given_before_anything_is_imported(tmp_path: Path) -> None:
    """The list of modules at the moment of the reply, from inside the process."""
    spy = (
        "import sys\n"
        "import aglet.doors.lsp as door\n"
        "from aglet.doors.lsp import hello\n"
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
        heavy = {"asyncio", "pygls", "lsprotocol", "pydantic", "httpx", "attrs", "cattrs", "dataclasses"}
        assert not heavy & modules
        assert {name for name in outside if not name.startswith("_")} <= {
            "aglet",
            "sitecustomize",
            "coverage",
        }
        assert wire.leave() == 0


def test_initialize_is_answered_at_once(bare: Wire) -> None:
    begun = time.monotonic()
    bare.initialize()
    assert time.monotonic() - begun < 1.0


def test_requests_before_initialize_are_refused(bare: Wire) -> None:
    error = bare.ask("agent/run")["error"]
    assert (error["code"], error["data"]["kind"]) == (-32002, "notInitialized")
    bare.notify("textDocument/didOpen")
    bare.send({"jsonrpc": "2.0", "id": 1, "result": None})
    assert bare.initialize()["serverInfo"]["name"] == "aglet"


@pytest.mark.parametrize(
    "params", [[], 1, {"capabilities": 1}, {"processId": "x"}, {"processId": True}], ids=repr
)
def test_initialize_with_params_that_cannot_be_meant_is_refused(bare: Wire, params: object) -> None:
    bare.send({"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": params})
    assert bare.answer_of("i")["error"]["code"] == -32602
    bare.initialize()


def test_initialize_without_params_is_refused(bare: Wire) -> None:
    bare.send({"jsonrpc": "2.0", "id": "i", "method": "initialize"})
    assert bare.answer_of("i")["error"]["code"] == -32602


def test_a_second_initialize_is_refused(bare: Wire) -> None:
    bare.initialize()
    assert bare.ask("initialize", {"capabilities": {}})["error"]["code"] == -32600


def test_after_shutdown_only_exit_follows(bare: Wire) -> None:
    bare.initialize()
    assert bare.call("shutdown") is None
    assert bare.ask("agent/status")["error"]["code"] == -32600
    bare.notify("exit")
    assert bare.exit_code() == 0


@pytest.mark.parametrize("greeted", [False, True])
def test_exit_without_shutdown_is_a_failure(bare: Wire, greeted: bool) -> None:
    if greeted:
        bare.initialize()
    bare.notify("exit")
    assert bare.exit_code() == 1


@pytest.mark.parametrize("greeted", [False, True])
def test_the_end_of_standard_input_ends_the_server(bare: Wire, greeted: bool) -> None:
    if greeted:
        bare.initialize()
    assert bare.process.stdin
    bare.process.stdin.close()
    assert bare.exit_code() == 0


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


def gone(pid: int, patience: float) -> bool:
    """Whether a process is no more, after a while."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        if not Path(f"/proc/{pid}").exists():
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("leave", ["shutdown and exit", "exit", "end of input"])
def test_leaving_in_the_middle_of_a_command_leaves_nothing_behind(serve: Serve, leave: str) -> None:
    call = {"text": "x", "calls": [{"name": "shell", "arguments": {"command": STUBBORN}}]}
    wire = serve(turns(call, "never"))
    wire.initialize()
    session = wire.session()
    wire.answers["agent/requestPermission"] = lambda asked: {"outcome": "selected", "optionId": "once"}
    wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
    pid_file = wire.workspace / "pid"
    wire.event("itemUpdated", patch={"status": "running"})
    while not (pid_file.exists() and pid_file.read_text().strip()):
        time.sleep(0.02)
    begun = time.monotonic()
    if leave == "end of input":
        assert wire.process.stdin
        wire.process.stdin.close()
    else:
        if leave == "shutdown and exit":
            assert wire.call("shutdown") is None
        wire.notify("exit")
    assert wire.exit_code() == (1 if leave == "exit" else 0)
    assert time.monotonic() - begun < 2.3
    assert gone(int(pid_file.read_text()), 2.0)
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


def test_a_client_that_died_takes_the_server_with_it(bare: Wire) -> None:
    """Its pipes are held open by another process, so only the watchdog can tell."""
    client = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    bare.initialize(processId=client.pid)
    bare.call("agent/session/list")
    begun = time.monotonic()
    client.kill()
    client.wait()
    if client.stdin:
        client.stdin.close()
    bare.exit_code()
    assert time.monotonic() - begun < 2.2


def test_a_client_that_closes_its_reading_end_takes_the_server_with_it(tmp_path: Path) -> None:
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}
    command = [sys.executable, "-m", "aglet", "serve", "--stdio"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path) as server:
        assert server.stdin
        assert server.stdout
        server.stdin.write(frame(hello))
        server.stdin.flush()
        assert server.stdout.readline().startswith(b"Content-Length")
        begun = time.monotonic()
        server.stdout.close()
        server.wait(8)
        assert time.monotonic() - begun < 2.5


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


@pytest.mark.parametrize("text", ["mdoel = 1\n", "mdoel = "], ids=["an unknown key", "no TOML"])
def test_a_broken_configuration_is_told_to_whoever_asks(tmp_path: Path, text: str) -> None:
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


def test_stray_output_never_reaches_the_client(tmp_path: Path) -> None:
    code = (
        "import sys, os, aglet.doors.lsp as door\n"
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


def test_a_version_nobody_speaks_is_reported_and_the_server_is_an_ordinary_one(serve: Serve) -> None:
    wire = serve(turns("hi"))
    result = wire.initialize({"protocolVersions": [99], "events": {}})
    assert result["capabilities"]["experimental"]["agent"] == {"supportedVersions": [1], "mismatch": True}
    done = wire.call("workspace/executeCommand", {"command": "aglet.run", "arguments": ["go"]})
    assert done["outcome"] == "started"
    wire.until(lambda m: m.get("method") == "window/showMessage")
    assert not wire.events


def test_unknown_things_are_answered_or_ignored(bare: Wire) -> None:
    bare.initialize()
    for params in ({"jsonrpc": "2.0"}, {"_meta": 1, "from": 2, "a-b": 3, "type_name": "x"}, None, [1]):
        bare.send({"jsonrpc": "2.0", "id": str(params), "method": "textDocument/hover", "params": params})
        assert bare.answer_of(str(params))["error"]["code"] == -32601
    bare.send({"jsonrpc": "2.0", "id": "none", "method": "agent/nothing"})
    assert bare.answer_of("none")["error"]["code"] == -32601
    bare.notify("agent/nothing", {"a": 1})
    bare.notify("textDocument/didChange", {"textDocument": {"uri": "file:///x", "version": 1}})
    bare.notify("textDocument/didChange", {"nonsense": True})
    bare.notify("$/setTrace", {"value": "off"})
    bare.send({"jsonrpc": "2.0", "id": "aglet-999", "result": None})
    bare.notify("$/cancelRequest", {"id": 12345})
    bare.notify("window/workDoneProgress/cancel", {"token": 1})
    assert bare.leave() == 0
    assert not [m for m in bare.messages if m.get("method")]
