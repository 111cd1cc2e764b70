"""What a headless run writes for programs: the events as JSON lines, or one JSON object, in ASCII."""

import json
from typing import Protocol

from aglet.doors.headless.answer import Answer
from aglet.doors.headless.exits import exit_of
from aglet.doors.headless.pipe import Pipe
from aglet.engine.vocabulary import JsonObject


class Output(Protocol):
    """Takes what happens, in order: `begin`, then every event, or `fatal` when no run could begin.

    `code` is the exit code that goes with it.
    """

    def begin(self, hello: JsonObject) -> None: ...
    def event(self, event: JsonObject) -> None: ...
    def fatal(self, error: JsonObject, code: int) -> None: ...


class Lines:
    """Every event as one line of JSON; the first line is `hello`, the last `runEnded` or `fatal`.

    Between them may stand answers to requests: they have no `type`.
    """

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._begun = False

    def begin(self, hello: JsonObject) -> None:
        """Write the first line."""
        self._begun = True
        self._line({"type": "hello", **hello})

    def event(self, event: JsonObject) -> None:
        """Write the event."""
        self._line(event)

    def reply(self, message: JsonObject) -> None:
        """Write the answer to a request from standard input."""
        self._line(message)

    def fatal(self, error: JsonObject, code: int) -> None:
        """Write the last line, and before it the first if there was none."""
        if not self._begun:
            self.begin({"v": 1})
        self._line({"type": "fatal", "v": 1, "error": error})

    def _line(self, value: JsonObject) -> None:
        self._pipe.write(json.dumps(value, separators=(",", ":")) + "\n")


class Whole:
    """One JSON object at the end."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._answer = Answer()
        self._hello: JsonObject = {}

    def begin(self, hello: JsonObject) -> None:
        """Remember what the object says about the session."""
        self._hello = hello

    def event(self, event: JsonObject) -> None:
        """Remember the answer; at the end write the object."""
        self._answer.take(event)
        if event["type"] == "runEnded":
            said = {name: self._hello[name] for name in ("sessionId", "model") if name in self._hello}
            whole = {"result": self._answer.text, **said, "runId": event["runId"], **event["data"]}
            self._write({**whole, "exitCode": int(exit_of(event["data"]))})

    def fatal(self, error: JsonObject, code: int) -> None:
        """Write the object of a run that could not begin."""
        nothing: JsonObject = {"result": "", "stopReason": "error", "filesChanged": []}
        self._write({**nothing, "error": error, "exitCode": code})

    def _write(self, value: JsonObject) -> None:
        self._pipe.write(json.dumps(value, indent=2) + "\n")
