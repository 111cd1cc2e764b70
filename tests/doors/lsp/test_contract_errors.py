"""Every code of the error table, provoked; no message tells a secret or what is inside (protocol#errors)."""

import json
import re
import sys
import time
from itertools import cycle
from pathlib import Path

import pytest

from support.patience import wait_until
from support.wire import Message, Wire, turns

TABLE = Path(__file__).parents[3] / "protocol" / "README.md"
ROW = re.compile(r"^\| (-3\d{4}) \| `(\w+)` \| (yes|no) \|", re.M)
LIMIT = 32 * 1024 * 1024
WAITING = 256
KEY, HEADER, NAME = "sk-canary-4711", "canary-header-0815", "canary-name"
UNUSED = {  # in the table for what is to come, or for bugs
    (-32603, "internal"): "a bug of the server",
    (-32801, "contentModified"): "edits are part of runs; their items say it",
    (-32802, "serverCancelled"): "only when the server ends: `features/compaction/test_in_the_product.py`",
    (-32803, "failed"): "no method of this door touches files outside a run",
    (-33012, "unsupported"): "only a server without checkpoints, and they cannot be switched off yet",
}
CONFIG = """
model = "play"
[models.play]
dialect = "scripted"
script = "{script}"
[models.locked]
dialect = "chat"
base_url = "https://127.0.0.1:9/v1"
model = "x"
api_key_env = "NO_SUCH_KEY"
headers = {{ X-Token = "{header}" }}
"""


@pytest.fixture
def wire(tmp_path: Path) -> Wire:
    """A server whose surroundings are full of canaries."""
    home, script = tmp_path / NAME, tmp_path / "script.json"
    home.mkdir()
    hanging = {"match": "hang", "turns": [{"text": "I", "hang": True}]}
    script.write_text(json.dumps({"prompts": [hanging, {"match": "", "repeat": True, **turns("yes")}]}))
    config = tmp_path / "config.toml"
    config.write_text(CONFIG.format(script=script, header=HEADER))
    given = {"AGLS_API_KEY": KEY, "OPENAI_API_KEY": KEY, "HOME": str(home), "AGLS_CONFIG": str(config)}
    command = ["env", *(f"{name}={value}" for name, value in given.items())]
    return Wire(tmp_path, command=[*command, sys.executable, "-m", "agls", "serve", "--stdio"])


def provoke(wire: Wire, folder: Path) -> None:
    """Do everything wrong."""
    wire.ask("agent/status")  # before initialize
    wire.initialize()
    session = wire.session()
    here = {"sessionId": session}
    for body in (b"{no json", b"[]"):
        wire.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    wire.write(b"Content-Length: %d\r\n\r\n" % (LIMIT + 1) + b" " * (LIMIT + 1))
    wire.ask("agent/nothing")
    wire.ask("agent/session/new", {"cwd": "relative"})
    wire.run(session, clientKey="k")
    wire.ask("agent/run", {**here, "input": "other", "clientKey": "k"})
    wire.ask("agent/run", {**here, "continueRun": True})
    wire.ask("agent/run", {"sessionId": "ses_none", "input": "x"})
    wire.ask("agent/run", {**here, "input": "x", "options": {"model": "locked"}})
    wire.ask("agent/run", {**here, "input": "x", "options": {"model": "nowhere"}})
    wire.ask("agent/run", {**here, "input": "x", "options": {"maxTurns": "x"}})
    wire.ask("agent/queue", {**here, "op": "remove", "itemId": "none"})
    wire.ask("agent/queue", {**here, "clientKey": "k" * 1_000})
    wire.ask("workspace/executeCommand", {"command": "agls.approve", "arguments": [{"requestId": "none"}]})
    wire.ask("agent/action/invoke", {**here, "name": "none"})
    wire.ask("agent/action/invoke", {**here, "name": "permission.revoke", "input": {"rule": "none"}})
    wire.ask("agent/events", {**here, "after": {"epoch": "other", "seq": 1}})
    wire.ask("agent/run", {**here, "input": "x", "options": {"mode": "allowAll"}})  # nobody chose it
    damaged = wire.session(clientKey="damaged")
    wire.call("agent/session/close", {"sessionId": damaged})
    (folder / "state" / "sessions" / f"{damaged}.jsonl").write_bytes(b"what no agls wrote\n")
    wire.ask("agent/resume", {"sessionId": damaged})
    busy(wire, here, folder)
    cancelled(wire, here)
    (folder / "state" / "sessions").rename(folder / "gone")
    (folder / "state" / "sessions").write_text("not a folder")
    wire.ask("agent/session/new", {"cwd": wire.workspace.as_uri()})


def busy(wire: Wire, here: Message, folder: Path) -> None:
    """Too much, too early, or somewhere else."""
    run = wire.call("agent/run", {**here, "input": "hang"})
    wire.event("runStarted")
    wire.ask("agent/run", {**here, "input": "x", "admission": "ifIdle"})
    wire.ask("agent/steer", {**here, "input": "x", "expectedRunId": "none"})
    waiting = wire.call("agent/run", {**here, "input": "x"})["runId"]
    wire.ask("agent/steer", {**here, "input": "x", "expectedRunId": waiting})
    for number in [wire.post("agent/run", {**here, "input": "x"}) for _ in range(WAITING)]:
        wire.answer_of(number)
    wire.call("agent/cancel", {**here, "queued": "drop"})
    with Wire(folder) as other:
        other.initialize()
        error = other.ask("agent/resume", {**here, "takeControl": True})["error"]
        wire.messages.append({"jsonrpc": "2.0", "id": None, "error": error})
    assert run["runId"]


def cancelled(wire: Wire, here: Message) -> None:
    """A read that is not wanted any more, as often as it takes to be quick enough."""
    delays = cycle(range(10))

    def refused() -> bool:
        asked = wire.post("agent/events", here)
        time.sleep(next(delays) / 1000)
        wire.notify("$/cancelRequest", {"id": asked})
        return "error" in wire.answer_of(asked)

    wait_until(refused)


@pytest.mark.item(37)
def test_every_error_of_the_table_has_a_message_without_secrets(wire: Wire, tmp_path: Path) -> None:
    table = {(int(code), kind): retry == "yes" for code, kind, retry in ROW.findall(TABLE.read_text())}
    with wire:
        provoke(wire, tmp_path)
        errors = [message["error"] for message in wire.messages if "error" in message]
    told = {(error["code"], error["data"]["kind"]): error for error in errors}
    assert set(told) == set(table) - set(UNUSED)
    for code_and_kind, error in told.items():
        assert error["data"]["retryable"] is table[code_and_kind], error
        assert ("retryAfterMs" in error["data"]) == (error["data"]["kind"] == "overloaded")
        for secret in (KEY, HEADER, NAME, "Traceback", 'File "', "site-packages"):
            assert secret not in json.dumps(error)
