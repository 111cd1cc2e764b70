"""Reports of a run to a client that knows only LSP: progress, the answer in its log, the end as a message."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from agls.doors.agent.client import ClientCapabilities
from agls.doors.agent.peer import Peer
from agls.doors.messages import JsonObject
from agls.views.escape import escape_controls

ERROR = 1  # these are LSP's MessageType
WARNING = 2
INFO = 3
LOG = 4
SEVERITIES: Mapping[str, int] = {"error": ERROR, "warning": WARNING}
COUNTED = ("inputTokens", "outputTokens")
MOST_CHARACTERS = 120  # of what is going on, in one report
ENDS = {"endTurn": "done", "cancelled": "cancelled", "interrupted": "interrupted"}


class ProgressReporter:
    """Reports the runs of one session by `$/progress`, and in plain mode by messages."""

    def __init__(self, peer: Peer, client: ClientCapabilities) -> None:
        self._peer, self._client = peer, client
        self._given: dict[str, Any] = {}  # the client's own tokens, by run
        self._running = ""
        self._doing, self._tokens = "", 0  # what the running run does, and what it used so far
        self._token: Any = None  # under which the running run is reported

    def give(self, run_id: str, token: Any) -> None:
        """Report this run's progress under the client's own token."""
        if token is not None:
            self._given[run_id] = token

    def run_of(self, token: Any) -> str:
        """Return the run that reports under this token, "" for none."""
        if token is not None and token == self._token:
            return self._running
        return next((run_id for run_id, given in self._given.items() if given == token), "")

    def show(self, events: Sequence[JsonObject]) -> None:
        """Report these wire events."""
        for event in events:
            data = event["data"]
            match event["type"]:
                case "runStarted":
                    self._start(event["runId"])
                case "itemStarted" if data["item"]["kind"] == "toolCall":
                    self._report(data["item"]["title"])
                case "requestOpened":
                    self._report(f"waiting for an answer: {data['title']}")
                case "turnRetrying":
                    self._report(f"the model is asked again: {data['cause']}")
                case "turnEnded":
                    self._tokens += sum(data.get("usage", {}).get(name, 0) for name in COUNTED)
                case "itemCompleted" if data["item"]["kind"] == "message":
                    self._message("window/logMessage", LOG, _text(data["item"]))
                case "notice":
                    kind = SEVERITIES.get(data["severity"], INFO)
                    self._message("window/showMessage", kind, f"{data['title']}: {data['text']}")
                case "runEnded":
                    self._end(event["runId"], data)
                case _:
                    pass

    def _start(self, run_id: str) -> None:
        self._running = run_id
        self._tokens = 0
        self._doing = ""
        if (given := self._given.pop(run_id, None)) is not None:
            self._begin(given)
        elif self._client.plain and self._client.progress:
            made = self._peer.request("window/workDoneProgress/create", {"token": run_id})
            made.future.add_done_callback(partial(self._made, run_id))

    def _made(self, run_id: str, future: asyncio.Future[Any]) -> None:
        """The client took our token, or refused it: then nothing may be reported under it (LSP 3.17)."""
        if not (future.cancelled() or future.exception()) and self._running == run_id:
            self._begin(run_id)

    def _begin(self, token: Any) -> None:
        self._token = token
        begin: JsonObject = {"kind": "begin", "title": "agls", "cancellable": True}
        self._progress(begin | ({"message": self._doing} if self._doing else {}))

    def _end(self, run_id: str, data: JsonObject) -> None:
        self._given.pop(run_id, None)
        reason: str = data["stopReason"]
        problem = data.get("error", {}).get("message", data.get("detail", ""))
        message = ENDS.get(reason, f"stopped: {reason}") + (f" ({problem})" if problem else "")
        if run_id == self._running:
            self._progress({"kind": "end", "message": message})
            self._running, self._token = "", None
        self._message("window/showMessage", ERROR if reason == "error" else INFO, f"agls: {message}")

    def _message(self, method: str, kind: int, text: str) -> None:
        if self._client.plain and text:
            self._peer.notify(method, {"type": kind, "message": escape_controls(text)})

    def _report(self, doing: str) -> None:
        """Report in one line what is going on, and the tokens used up to now."""
        used = f", {brief(self._tokens)} tokens" if self._tokens else ""
        self._doing = escape_controls(" ".join(doing.split()))[:MOST_CHARACTERS] + used
        self._progress({"kind": "report", "message": self._doing})

    def _progress(self, value: JsonObject) -> None:
        if self._token is not None:
            self._peer.notify("$/progress", {"token": self._token, "value": value})


class NoProgress(ProgressReporter):
    """Reports nothing: a child's work is part of a call of its parent, whose progress is reported."""

    def show(self, events: Sequence[JsonObject]) -> None:
        """Do nothing."""


def _text(message: JsonObject) -> str:
    text = message.get("text", "")
    return f"(broken off, does not count) {text}" if text and message.get("discarded") else text


def brief(count: int) -> str:
    """Write a count as people do: 950, 12k, 1.3M."""
    if count < 1_000:
        return str(count)
    return f"{count / 1_000:.0f}k" if count < 999_500 else f"{count / 1_000_000:.1f}M"
