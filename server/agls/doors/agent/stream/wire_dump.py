"""What went over the wire, as a file: `agls serve --stdio --wire-dump FILE`.

One JSON object per line: `at` (UTC), `from` (client or server), `bytes` (of the body), and the `message`, or
`text` where it is no JSON. Keys are left out. Until the settings are read nobody knows the keys, so messages
wait until then; of those that never see it only the shape is written.
"""

import json
import os
import sys
import threading
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from agls.doors.agent.stream.tap import Tap
from agls.doors.messages import JsonObject
from agls.json_values import object_in
from agls.redaction import without
from agls.terminal_codes import KEY_MARK

SECRET = "agent/secret"  # the request whose answer is a key
SHAPE = ("jsonrpc", "id", "method")  # members that are written also where nobody knows the keys


class WireDump(Tap):
    """Appends to a private file. A disk that takes no more ends the dump, not the connection."""

    def __init__(self, path: Path) -> None:
        """Open the file, which only its user can read. **Raises** `OSError`."""
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._writing = threading.Lock()
        self._waiting: list[JsonObject] = []
        self._secrets: Callable[[], Iterable[str]] | None = None
        self._keys_asked: set[object] = set()  # ids of requests for a key or another secret

    def received(self, body: bytes) -> None:
        """Take a message of the client; the answer to a request for a secret is written without it."""
        record, message = _record("client", body)
        with self._writing:
            if "method" not in message and message.get("id") in self._keys_asked:
                record["message"] = {**_shape_of(message), "result": KEY_MARK}
            elif message.get("method") == "agent/respond":
                record["message"] = _without_content(message)
            self._take(record)

    def sent(self, frame: bytes) -> None:
        """Take a frame of the server."""
        record, message = _record("server", frame.partition(b"\r\n\r\n")[2])
        with self._writing:
            if message.get("method") == SECRET or _asks_for_secret(message):
                self._keys_asked.add(message.get("id"))
            self._take(record)

    def know(self, secrets: Callable[[], Iterable[str]]) -> None:
        """Write what waited, and everything from now on at once."""
        with self._writing:
            self._secrets = secrets
            waiting, self._waiting = self._waiting, []
            for record in waiting:
                self._take(record)

    def close(self) -> None:
        """Write the shapes of messages whose keys nobody learned."""
        with self._writing:
            for record in self._waiting:
                message = record.pop("message", {})
                self._write(json.dumps({**record, "text": "", "message": _shape_of(message)}))
            self._waiting = []

    def _take(self, record: JsonObject) -> None:
        if self._secrets is None:
            self._waiting.append(record)
        else:
            self._write(without(self._secrets(), json.dumps(record, ensure_ascii=False)))

    def _write(self, line: str) -> None:
        data = memoryview(f"{line}\n".encode("utf-8", "backslashreplace"))
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError as problem:
            sys.stderr.write(f"agls: the wire dump ends here: {problem.strerror}\n")
            self._descriptor = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)


def _record(sender: str, body: bytes) -> tuple[JsonObject, JsonObject]:
    """The record of a message, and the message; {} where it is no JSON object."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    record: JsonObject = {"at": now, "from": sender, "bytes": len(body)}
    try:
        message: Any = json.loads(body)
    except (ValueError, RecursionError):
        message = None
    if isinstance(message, dict):
        given = cast(JsonObject, message)
        return {**record, "message": given}, given
    return {**record, "text": body.decode("utf-8", "backslashreplace")}, {}


def _asks_for_secret(message: JsonObject) -> bool:
    """Return whether a form has a field that nobody may see."""
    if message.get("method") != "agent/askUser":
        return False
    fields = object_in(object_in(object_in(message, "params"), "schema"), "properties")
    return any(object_in(fields, name).get("format") == "password" for name in fields)


def _without_content(message: JsonObject) -> JsonObject:
    """Return an answer to a question without what was filled into a form: that may be a secret."""
    params = object_in(message, "params")
    response = object_in(params, "response")
    if "content" not in response:
        return message
    return {**message, "params": {**params, "response": {**response, "content": KEY_MARK}}}


def _shape_of(message: JsonObject) -> JsonObject:
    return {name: message[name] for name in SHAPE if name in message}
