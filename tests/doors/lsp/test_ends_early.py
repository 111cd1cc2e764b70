"""What ends a server ends it also while it loads, and when nobody named the client's process."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.patience import wait_until
from support.wire import Wire, frame

LOADING = 5.0  # seconds
SLOW = f"""
import sys, time
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "agls.doors.lsp.server":
            time.sleep({LOADING})
sys.meta_path.insert(0, Slow())
from agls.doors.lsp import main
sys.exit(main())
"""
SHUTDOWN = frame({"jsonrpc": "2.0", "id": "end", "method": "shutdown"})
EXIT = frame({"jsonrpc": "2.0", "method": "exit"})


def close(wire: Wire) -> None:
    assert wire.process.stdin
    wire.process.stdin.close()


ENDS = {
    "the end of the stream": (close, 0),
    "exit": (lambda wire: wire.write(EXIT), 1),
    "shutdown and exit": (lambda wire: wire.write(SHUTDOWN + EXIT), 0),
    "SIGTERM": (lambda wire: wire.process.send_signal(signal.SIGTERM), 0),
    "SIGINT": (lambda wire: wire.process.send_signal(signal.SIGINT), 0),
}


@pytest.mark.parametrize("end", ENDS)
def test_server_that_loads_ends_at_once(tmp_path: Path, end: str) -> None:
    act, code = ENDS[end]
    with Wire(tmp_path, command=[sys.executable, "-c", SLOW]) as wire:
        wire.initialize()
        begun = time.monotonic()
        act(wire)
        assert wire.exit_code() == code
        assert time.monotonic() - begun < LOADING - 1, "it did not wait until it was loaded"
        wire.closed()
        assert wire.errors() == "", "and says nothing"
        if end == "shutdown and exit":
            assert any(message.get("id") == "end" for message in wire.messages)


def test_request_to_a_server_that_ends_while_loading_gets_an_error(tmp_path: Path) -> None:
    with Wire(tmp_path, command=[sys.executable, "-c", SLOW]) as wire:
        wire.initialize()
        asked = wire.post("agent/status")
        wire.write(SHUTDOWN + EXIT)
        assert wire.exit_code() == 0
        wire.closed()
        given_up, ended = wire.messages[1:]
        assert (given_up["id"], given_up["error"]["data"]["kind"]) == (asked, "serverCancelled")
        assert (ended["id"], ended["result"]) == ("end", None)


CLIENT = """
import subprocess, sys, time
command, pipe = [sys.executable, "-m", "agls", "serve", "--stdio"], subprocess.PIPE
server = subprocess.Popen(command, stdin=pipe, stdout=pipe)
server.stdin.write(bytes.fromhex(sys.argv[1]))
server.stdin.flush()
for _ in range(int(sys.argv[2])):
    length = int(server.stdout.readline().split(b":")[1])
    server.stdout.read(length + 2)
ends = [server.stdin.fileno(), server.stdout.fileno()]
holder = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"], pass_fds=ends)
print(server.pid, holder.pid, flush=True)
time.sleep(300)
"""


@pytest.mark.parametrize("loaded", [False, True])
def test_server_whose_client_named_no_process_ends_with_its_parent(tmp_path: Path, loaded: bool) -> None:
    """Also when somebody else still holds both ends of its pipes."""
    params = {"processId": None, "rootUri": None, "capabilities": {}}
    hello = frame({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    environment = {**os.environ, "HOME": str(tmp_path), "AGLS_STATE_DIR": str(tmp_path / "state")}
    asked = frame({"jsonrpc": "2.0", "id": 2, "method": "agent/status"})
    command = [sys.executable, "-c", CLIENT, (hello + asked).hex(), "2" if loaded else "1"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=environment, cwd=tmp_path
    ) as client:
        assert client.stdout
        server, holder = map(int, client.stdout.readline().split())
        try:
            client.kill()
            wait_until(lambda: not running(server), patience=20)
        finally:
            for process in (holder, server):
                if running(process):
                    os.kill(process, signal.SIGKILL)


def running(process: int) -> bool:
    """Whether this process is there and is not only waiting to be collected."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
