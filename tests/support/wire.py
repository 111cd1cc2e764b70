"""A client of the LSP door for tests: a real process, raw frames, everything that arrives kept in order."""

import itertools
import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

from agls.doors.agent.limits import ConnectionLimits
from agls.json_values import is_object, object_in
from support.advertised import check_advertised
from support.in_memory import ServerThread
from support.machine import NO_LOCAL_SERVERS
from support.message_rules import check_messages
from support.patience import PATIENCE
from support.processes import PROGRAM, LoadedProcess
from support.wire_rules import check_events

Message = dict[str, Any]
AGENT: Message = {
    "protocolVersions": [1],
    "events": {},
    "permission": {"remember": {}, "editInput": {}},
    "askUser": {"form": {}},
}


def frame(message: Any) -> bytes:
    """A message as a frame."""
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def script(folder: Path, *prompts: Message, **settings: Any) -> Path:
    """Write a script for the scripted model, and a config file that uses it; gives the config file."""
    path = folder / "script.json"
    path.write_text(json.dumps({"prompts": list(prompts), **settings}))
    config = folder / "config.toml"
    config.write_text(f'model = "play"\n[models.play]\ndialect = "scripted"\nscript = "{path}"\n')
    return config


def turns(*made: Message | str) -> Message:
    """A prompt of the script: what the model answers, turn by turn."""
    return {"turns": [{"text": turn} if isinstance(turn, str) else turn for turn in made]}


class Wire:
    """A server and what it said: a process of its own, or `inside` of this one with these limits."""

    def __init__(
        self,
        folder: Path,
        config: Path | None = None,
        command: list[str] | None = None,
        inside: ConnectionLimits | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.workspace = folder / "workspace"
        self.workspace.mkdir(exist_ok=True)
        kept = ("PATH", "LANG", "COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG", "COVERAGE_FILE")
        environment = {name: os.environ[name] for name in kept if name in os.environ}
        environment |= {"HOME": str(folder), "AGLS_STATE_DIR": str(folder / "state"), **NO_LOCAL_SERVERS}
        environment |= {**({"AGLS_CONFIG": str(config)} if config else {}), **(variables or {})}
        self.log = folder / "stderr.log"
        self.process: Any = None
        with self.log.open("ab") as errors:
            if inside is not None:
                self.process = ServerThread(environment, inside)
            else:
                self.process = LoadedProcess(
                    command or [*PROGRAM, "serve", "--stdio"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    env=environment,
                    cwd=self.workspace,
                    bufsize=0,
                )
        self.messages: list[Message] = []
        self._answers: dict[Any, Message] = {}  # by the id of their request, the first of each
        self.said: list[tuple[str, Message]] = []  # both ways, in order: "client" or "server", and what
        self.unchecked = ""  # why this log may break the rules; it is checked at the end otherwise
        self.asked: dict[Any, tuple[str, Message]] = {}  # our requests, by id
        self.answers: dict[str, Callable[[Message], Any]] = {}
        self.heard: Callable[[Message], None] = lambda message: None  # called first, in order
        self.reading = threading.Event()
        self.reading.set()
        self.ended = False
        self.key = uuid4().hex  # of the session that is asked for without another one
        self._ids = itertools.count(1)
        self._arrived = threading.Condition()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.reading.set()
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(PATIENCE)
        self.process.kill()
        self.process.wait()
        self._thread.join(PATIENCE)
        self.process.stdout.close()
        if error is None and not self.unchecked:
            self.check()

    def check(self) -> None:
        """Everything that was said keeps the rules of the protocol."""
        check_messages(self.said)
        unasked = self.messages
        if self._wants_traces():
            unasked = [m for m in unasked if m.get("method") != "$/logTrace"]
        check_advertised(unasked, self.asked)
        hello = next((params for method, params in self.asked.values() if method == "initialize"), Message())
        wishes: Message = object_in(hello, "capabilities", "experimental", "agent", "events")
        killed = self.process.returncode < 0
        check_events(self.events, excluded=wishes.get("exclude", ()), whole=not killed)

    def _wants_traces(self) -> bool:
        """Whether the client asked for traces."""
        asked = any(m.get("method") == "$/setTrace" for who, m in self.said if who == "client")
        return asked or any("trace" in given for what, given in self.asked.values() if what == "initialize")

    # --- sending ---

    def write(self, data: bytes) -> None:
        """Write raw bytes."""
        assert self.process.stdin
        view = memoryview(data)
        while view:
            view = view[self.process.stdin.write(view) :]

    def send(self, message: Any) -> None:
        """Send any JSON as a frame."""
        if is_object(message):
            self.said.append(("client", message))
        self.write(frame(message))

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": {} if params is None else params})

    def post(self, method: str, params: Any = None) -> int:
        """Send a request without waiting; gives its id."""
        number = next(self._ids)
        self.asked[number] = (method, params or {})
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}})
        return number

    def answer_of(self, id: Any, patience: float = PATIENCE) -> Message:
        """Wait for the response to a request."""
        return self._wait(lambda: self._answers.get(id), patience)

    def ask(self, method: str, params: Any = None) -> Message:
        """Send a request and wait for its response."""
        return self.answer_of(self.post(method, params))

    def call(self, method: str, params: Any = None) -> Any:
        """Send a request and wait for its result."""
        response = self.ask(method, params)
        assert "result" in response, response
        return response["result"]

    # --- receiving ---

    def until(self, wanted: Callable[[Message], bool], patience: float = PATIENCE) -> Message:
        """Wait for the first message (since the beginning) that is wanted."""
        seen = 0

        def look() -> Message | None:
            nonlocal seen
            for message in self.messages[seen:]:
                if wanted(message):
                    return message
            seen = len(self.messages)
            return None

        return self._wait(look, patience)

    def _wait(self, look: Callable[[], Message | None], patience: float) -> Message:
        deadline = time.monotonic() + patience
        while True:
            with self._arrived:
                if (message := look()) is not None:
                    return message
                left = deadline - time.monotonic()
                assert left > 0, f"nothing of the kind came; last: {self.messages[-3:]}, {self.errors()}"
                assert not self.ended, f"the server ended; {self.messages[-3:]}, {self.errors()}"
                self._arrived.wait(left)

    def forget(self) -> None:
        """Forget what arrived so far; it is checked all the same."""
        with self._arrived:
            self.messages.clear()
            self._answers.clear()

    def event(self, type: str, **data: Any) -> Message:
        """Wait for an event of this type with these members in its data."""

        def wanted(event: Message) -> bool:
            return event["type"] == type and all(event["data"].get(k) == v for k, v in data.items())

        message = self.until(lambda m: any(wanted(event) for event in events_in(m)))
        return next(event for event in events_in(message) if wanted(event))

    @property
    def events(self) -> list[Message]:
        """All events so far."""
        return [event for message in list(self.messages) for event in events_in(message)]

    def of_method(self, method: str) -> list[Message]:
        """What the server sent of this method so far."""
        return [message for message in list(self.messages) if message.get("method") == method]

    def index(self, wanted: Callable[[Message], bool]) -> int:
        """The place of the first wanted message among all that arrived."""
        return next(index for index, message in enumerate(self.messages) if wanted(message))

    def exit_code(self, patience: float = PATIENCE) -> int:
        """Wait for the end of the process."""
        return self.process.wait(patience)

    def closed(self) -> None:
        """Wait until everything the server said has arrived, after its end."""
        self._thread.join(PATIENCE)

    def errors(self) -> str:
        """What the server wrote to its log."""
        return self.log.read_text()

    def _read(self) -> None:
        assert self.process.stdout
        stream = self.process.stdout
        buffer = b""
        while self.reading.wait() and (data := stream.read(65_536)):
            buffer += data
            while (taken := _take(buffer)) is not None:
                message, buffer = taken
                self._arrive(message)
        with self._arrived:
            self.ended = True
            self._arrived.notify_all()

    def _arrive(self, message: Message) -> None:
        with self._arrived:
            self.messages.append(message)
            if "method" not in message and not isinstance(message.get("id"), list | dict):
                self._answers.setdefault(message.get("id"), message)
            self.said.append(("server", message))
            self._arrived.notify_all()
        try:
            self.heard(message)
        except (OSError, ValueError):
            assert self.process.stdin
            if not self.process.stdin.closed:  # else the test is over
                raise
        if "method" in message and "id" in message and message["method"] in self.answers:
            with suppress(OSError, ValueError):  # the test is over, and the pipe with it
                result = self.answers[message["method"]](message["params"])
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": result})

    # --- the usual ---

    def initialize(self, agent: Mapping[str, Any] | None = None, **params: Any) -> Message:
        """Say hello; with `agent` {} in plain mode. Gives the result."""
        block: Mapping[str, Any] = AGENT if agent is None else agent
        capabilities: Message = {"experimental": {"agent": block}} if block else {}
        capabilities |= params.pop("capabilities", {})
        result = self.call(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": self.workspace.as_uri(),
                "clientInfo": {"name": "test"},
                "capabilities": capabilities,
                **params,
            },
        )
        self.notify("initialized")
        return result

    def session(self, **params: Any) -> str:
        """Make a session; gives its id."""
        given = {"cwd": self.workspace.as_uri(), "clientKey": self.key, **params}
        if "mode" in given.get("options", {}):
            given.setdefault("chosenBy", "user")
        return self.call("agent/session/new", given)["sessionId"]

    def run(self, session_id: str, text: str = "go", **params: Any) -> Any:
        """Run a prompt to its end; gives the result."""
        content = [{"type": "text", "text": text}]
        return self.call("agent/run", {"sessionId": session_id, "input": content, "wait": True, **params})

    def history(self, session_id: str) -> list[Message]:
        """Return all events of a session, in order, read page by page."""
        pages: list[list[Message]] = []
        page: Message = self.call("agent/events", {"sessionId": session_id, "limit": 5_000})
        pages.append(page["events"])
        while before := page.get("nextCursor"):
            page = self.call("agent/events", {"sessionId": session_id, "before": before, "limit": 5_000})
            pages.append(page["events"])
        return [event for events in reversed(pages) for event in events]

    def leave(self) -> int:
        """Shut down and exit; gives the exit code."""
        self.call("shutdown")
        self.notify("exit")
        return self.exit_code()


def events_in(message: Message) -> list[Message]:
    """The events of a message, none if it is something else."""
    return message["params"]["events"] if message.get("method") == "agent/event" else []


def _take(buffer: bytes) -> tuple[Message, bytes] | None:
    header, found, rest = buffer.partition(b"\r\n\r\n")
    if not found:
        return None
    length = int(header.rpartition(b":")[2])
    if len(rest) < length:
        return None
    return json.loads(rest[:length]), rest[length:]
