"""A debugger attaches to a server that serves an editor, as docs/debugging.md says."""

import inspect
import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agls.doors.agent.methods.status import status
from support.patience import PATIENCE
from support.wire import Wire, script, turns

ROOT = Path(__file__).parents[3]
Message = dict[str, Any]


class Debugger:
    """A client of the Debug Adapter Protocol."""

    def __init__(self, connection: socket.socket) -> None:
        self._stream = connection.makefile("rwb")
        self._sent = 0

    def send(self, command: str, **arguments: Any) -> int:
        """Send a request. **Returns** its number."""
        self._sent += 1
        request = {"type": "request", "seq": self._sent, "command": command, "arguments": arguments}
        body = json.dumps(request).encode()
        self._stream.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._stream.flush()
        return self._sent

    def until(self, **members: Any) -> Message:
        """Wait for a message with these members."""
        while True:
            length = 0
            while (line := self._stream.readline().strip()) or not length:
                assert line or not length, "the debugger hung up"
                length = int(line.rpartition(b":")[2]) if line else length
            message = json.loads(self._stream.read(length))
            if members.items() <= message.items():
                return message

    def ask(self, command: str, **arguments: Any) -> Message:
        """Send a request and wait for what it answers."""
        answer = self.until(type="response", request_seq=self.send(command, **arguments))
        assert answer["success"], answer
        return answer.get("body", {})


@contextmanager
def attached(port: int) -> Iterator[Debugger]:
    """A debugger that is connected to the server."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            connection = socket.create_connection(("127.0.0.1", port), PATIENCE)
            break
        except ConnectionRefusedError:
            assert time.monotonic() < deadline, "no debugger listens"
            time.sleep(0.05)
    with connection:
        yield Debugger(connection)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]


def test_debugger_attaches_to_a_server_and_stops_in_a_method(tmp_path: Path) -> None:
    port = free_port()
    command = ["env", f"AGLS_DEBUG_PORT={port}", str(ROOT / "scripts/serve-debug"), "serve", "--stdio"]
    file, line = inspect.getsourcefile(status), status.__code__.co_firstlineno + 3
    with Wire(tmp_path, script(tmp_path, turns("hello")), command) as wire:
        wire.initialize()
        session = wire.session()
        with attached(port) as debugger:
            debugger.ask("initialize", adapterID="debugpy", pathFormat="path")
            debugger.send("attach", justMyCode=False, subProcess=False)
            debugger.until(type="event", event="initialized")
            debugger.ask("setBreakpoints", source={"path": file}, breakpoints=[{"line": line}])
            debugger.ask("configurationDone")
            number = wire.post("agent/status")
            stopped = debugger.until(type="event", event="stopped")["body"]
            frames = debugger.ask("stackTrace", threadId=stopped["threadId"])["stackFrames"]
            assert (frames[0]["source"]["path"], frames[0]["line"]) == (file, line)
            debugger.ask("continue", threadId=stopped["threadId"])
            assert "result" in wire.answer_of(number)
            debugger.send("disconnect", terminateDebuggee=False)
        assert wire.run(session)["stopReason"] == "endTurn", "it goes on without the debugger"
        assert wire.leave() == 0
