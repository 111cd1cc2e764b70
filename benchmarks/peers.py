"""The two that are measured, the floor and agls, and the model they ask."""

import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Self

from benchmarks.client import Broken, Client, JsonObject
from benchmarks.model import MARK

HERE = Path(__file__).parent
KEPT = ("PATH", "LANG", "TZ")
FILES = 200
STREAMED = 0.6  # seconds an answer streams before it is cancelled
Name = Literal["floor", "agls"]
CONFIG = """\
model = "mock"
[models.mock]
dialect = "chat"
base_url = "http://127.0.0.1:{port}/v1"
model = "mock"
context_window = 10_000_000
[budget]
max_turns = 1000
max_seconds = 3600
"""
AGENT: JsonObject = {"protocolVersions": [1], "events": {}, "permission": {}, "askUser": {"form": {}}}


class Model:
    """The model server, in a process of its own."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, HERE / "model.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout
        self.port = int(self._process.stdout.readline())
        return self

    def __exit__(self, *error: object) -> None:
        self._process.communicate()

    def log(self) -> list[JsonObject]:
        """Return what was asked since the last time, once all of it is over."""
        entries: list[JsonObject] = []
        deadline = time.monotonic() + 10
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", self.port)
            connection.request("GET", "/log")
            page = json.loads(connection.getresponse().read())
            connection.close()
            entries += page["over"]
            if not page["open"]:
                return sorted(entries, key=lambda entry: entry["received"])
            if time.monotonic() > deadline:
                raise Broken("the model was asked and never got to an end")
            time.sleep(0.005)


class Bench:
    """What every measurement needs: the model, and a folder for everything that is written.

    `server` is the command that starts agls, by default the installed one.
    """

    def __init__(self, model: Model, folder: Path, server: Sequence[str] = ()) -> None:
        self.model, self.folder = model, folder
        self._server = server or (*installed(), "serve", "--stdio")
        self.workspace = made_workspace(folder / "workspace")
        self.config = folder / "config.toml"
        self.config.write_text(CONFIG.format(port=model.port))

    def home(self, name: Name) -> Path:
        """Return the folder in which this server keeps its sessions."""
        home = self.folder / name
        home.mkdir(exist_ok=True)
        return home

    def spawn(self, name: Name) -> Client:
        """Start the server."""
        home = self.home(name)
        environment = {key: os.environ[key] for key in KEPT if key in os.environ} | {"HOME": str(home)}
        if name == "floor":
            command = [sys.executable, str(HERE / "floor.py")]
            environment |= {"FLOOR_PORT": str(self.model.port), "FLOOR_FOLDER": str(home)}
        else:
            command = [*self._server]
            environment |= {"AGLS_STATE_DIR": str(home), "AGLS_CONFIG": str(self.config)}
        return Client(command, environment, self.workspace, self.folder / f"{name}.log")

    def ready(self, name: Name) -> "Conversation":
        """Start the server, initialize it, and create a session."""
        client = self.spawn(name)
        self.initialize(client)
        return Conversation(self, client, self.session(client)[1])

    def initialize(self, client: Client) -> int:
        """Initialize the server. Returns when the answer came."""
        folder = self.workspace.as_uri()
        params = {
            "processId": os.getpid(),
            "rootUri": folder,
            "capabilities": {"experimental": {"agent": AGENT}},
            "initializationOptions": {"trusted": True},
        }
        at, _ = client.ask("initialize", params)
        client.notify("initialized", {})
        return at

    def session(self, client: Client) -> tuple[int, str]:
        """Create a session. Returns when the answer came, and its id."""
        at, result = client.ask("agent/session/new", {"cwd": self.workspace.as_uri()})
        return at, result["sessionId"]


class Conversation:
    """A session of a running server."""

    def __init__(self, bench: Bench, client: Client, session_id: str) -> None:
        self._bench = bench
        self.client, self.session_id = client, session_id

    def another(self) -> "Conversation":
        """One more session of the same server."""
        return Conversation(self._bench, self.client, self._bench.session(self.client)[1])

    def post(self, do: str, **task: Any) -> tuple[int, int]:
        """Prompt for something. Returns when it was sent, and the id of the request."""
        text = MARK + json.dumps({"do": do, **task})
        sent = time.monotonic_ns()
        return sent, self.client.post(
            "agent/run", {"sessionId": self.session_id, "input": text, "wait": True}
        )

    def run(self, do: str, **task: Any) -> tuple[int, int]:
        """Ask, and wait for the end. Returns when it was sent and when its answer came. Raises `Broken`.

        What came before is forgotten.
        """
        self.client.forget()
        sent, request_id = self.post(do, **task)
        return sent, self.end(request_id, "endTurn")

    def end(self, request_id: int, reason: str) -> int:
        """Wait for the answer to a run that ends for this reason. Returns when it came. Raises `Broken`."""
        at, result = self.client.answer(request_id)
        if result["stopReason"] != reason:
            raise Broken(f"the run ended otherwise: {result}")
        return at

    def cancel(self) -> int:
        """Begin a long answer and cancel it. Returns the nanoseconds from that to the answer to the run."""
        self.client.forget()
        _, request_id = self.post("slow")
        self.client.until(lambda: len(self.client.events) > 4, "the first chunks")
        self.client.idle(STREAMED)
        sent = time.monotonic_ns()
        self.client.post("agent/cancel", {"sessionId": self.session_id})
        return self.end(request_id, "cancelled") - sent

    def resume(self, replay: str) -> tuple[int, int]:
        """Attach to the session. Returns when it was sent and when its answer came."""
        sent = time.monotonic_ns()
        at, _ = self.client.ask("agent/resume", {"sessionId": self.session_id, "replay": replay})
        return sent, at


def installed() -> list[str]:
    """Return the command an editor would start."""
    script = Path(sys.executable).with_name("agls")
    return [str(script)] if script.exists() else [sys.executable, "-m", "agls"]


def made_workspace(folder: Path) -> Path:
    """Create a small repository with files to read."""
    (folder / "data").mkdir(parents=True)
    for number in range(FILES):
        (folder / "data" / f"f{number:03}.txt").write_text(f"file {number}\n" + "a line of text\n" * 20)
    (folder / "README.md").write_text("# A small project\n")
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "begin"]):
        who = ["-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
        subprocess.run(["git", *who, *command], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder
