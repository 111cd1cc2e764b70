"""What a headless run writes for programs: the events as JSON lines, or one JSON object, in ASCII."""

import json
import time
from collections.abc import Mapping
from typing import Protocol
from urllib.parse import urlsplit
from urllib.request import url2pathname

from agls.doors.agent.flow.left_out import CaughtUp, LeftOutDeltas
from agls.doors.agent.limits import ConnectionLimits
from agls.doors.headless.answer import FinalAnswer
from agls.doors.headless.greeting import greeting
from agls.doors.headless.pipe import Pipe
from agls.engine.vocabulary import JsonObject

WARNINGS = frozenset({"warning", "error"})  # notices of these severities
LIMITS = ConnectionLimits()


class Output(Protocol):
    """Takes what happens, in order: `begin`, every event, and the `end`; or `fatal` when no run could begin.

    `action` is what a command came to, instead of a run. `code` is the exit code that goes with an end.
    `spare` comes before the events: with it, deltas may be left out for a slow reader, and what they came to
    be reported later.
    """

    def spare(self, caught_up: CaughtUp) -> None: ...
    def begin(self, hello: JsonObject) -> None: ...
    def event(self, event: JsonObject) -> None: ...
    def end(self, event: JsonObject, code: int) -> None: ...
    def action(self, done: JsonObject) -> None: ...
    def fatal(self, error: JsonObject, code: int) -> None: ...


class JsonLines:
    """Every event as one line of JSON; the first line is `hello`, the last `runEnded`, `action` or `fatal`.

    Between them may stand answers to requests: they have no `type`. While too much waits for the reader,
    deltas are left out; a `gap` and an `itemUpdated` make up for those of an item that is still open when
    the reader has caught up.
    """

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._begun = False
        self._left_out = LeftOutDeltas(_nothing)

    def spare(self, caught_up: CaughtUp) -> None:
        """From now on a slow reader is spared deltas."""
        self._left_out = LeftOutDeltas(caught_up)
        self._pipe.moved = self._catch_up

    def begin(self, hello: JsonObject) -> None:
        """Write the first line."""
        self._begun = True
        self._line({"type": "hello", **hello})

    def event(self, event: JsonObject) -> None:
        """Write the event."""
        crowded = bool(self._left_out) or self._pipe.backlog > LIMITS.full
        for each in self._left_out.spare([event]) if crowded else [event]:
            self._line(each)

    def end(self, event: JsonObject, code: int) -> None:
        """Write the last line."""
        self.event(event)

    def action(self, done: JsonObject) -> None:
        """Write the last line."""
        self._line({"type": "action", "v": 1, **done})

    def reply(self, message: JsonObject) -> None:
        """Write the answer to a request from standard input."""
        self._line(message)

    def fatal(self, error: JsonObject, code: int) -> None:
        """Write the last line, and before it the first if there was none."""
        if not self._begun:
            self.begin(greeting())
        self._line({"type": "fatal", "v": 1, "error": error})

    def _catch_up(self) -> None:
        if self._left_out and self._pipe.backlog <= LIMITS.drained:
            for event in self._left_out.catch_up(time.time()):
                self._line(event)

    def _line(self, value: JsonObject) -> None:
        self._pipe.write(json.dumps(value, separators=(",", ":")) + "\n")


class JsonSummary:
    """Writes one JSON object at the end of the run."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._answer = FinalAnswer()
        self._hello: JsonObject = {}
        self._warnings: list[str] = []

    def spare(self, caught_up: CaughtUp) -> None:
        """Nothing is written before the end."""

    def begin(self, hello: JsonObject) -> None:
        """Remember what the object says about the session."""
        self._hello = hello

    def event(self, event: JsonObject) -> None:
        """Remember the answer and the warnings."""
        self._answer.take(event)
        if event["type"] == "notice" and event["data"]["severity"] in WARNINGS:
            self._warnings.append(f"{event['data']['title']}: {event['data']['text']}")

    def end(self, event: JsonObject, code: int) -> None:
        """Write the object."""
        self.event(event)
        said = self._session()
        whole = {"result": self._answer.text, **said, "runId": event["runId"], **event["data"]}
        whole |= {"paths": [path_of(file["uri"]) for file in event["data"]["filesChanged"]]}
        whole |= {"warnings": self._warnings, "steps": self._answer.steps}
        self._write({**whole, "exitCode": int(code)})

    def action(self, done: JsonObject) -> None:
        """Write the object of a command."""
        self._write({"result": text_of(done), **self._session(), "action": done, "exitCode": 0})

    def _session(self) -> JsonObject:
        names = ("sessionId", "model", "notes")
        return {name: self._hello[name] for name in names if self._hello.get(name)}

    def fatal(self, error: JsonObject, code: int) -> None:
        """Write the object of a run that could not begin."""
        reason = "cancelled" if error["kind"] == "cancelled" else "error"
        nothing: JsonObject = {"result": "", "stopReason": reason, "filesChanged": []}
        self._write({**nothing, "error": error, "exitCode": code})

    def _write(self, value: JsonObject) -> None:
        self._pipe.write(json.dumps(value, indent=2) + "\n")


def path_of(uri: str) -> str:
    """Return the path of a `file:` URI, as other programs take it; an address of no file stays one."""
    return url2pathname(urlsplit(uri).path) if uri.startswith("file:///") else uri


def text_of(done: JsonObject) -> str:
    """Return what a command came to, in words."""
    return "\n".join(block["text"] for block in done["output"])


def _nothing(behind: Mapping[str, int], at: float) -> list[JsonObject]:
    return []
