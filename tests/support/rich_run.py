"""A run with everything in it, for tests that interfere at every event, and a client that plays along.

Thinking, text, two reads side by side, a shell command and an edit in an open buffer (both after a
permission question), a form, and more text. Every session has a folder and a document of its own, so many
of them can share one server.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.wire import Message, Wire, events_in, turns

CAPABILITIES: Message = {
    "window": {"workDoneProgress": True},
    "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}},
}
PAUSE = 0.004  # seconds between two pieces, so that they are events of their own


def call(name: str, **arguments: Any) -> Message:
    """A tool call of the script."""
    return {"name": name, "arguments": arguments}


RICH: Message = {
    "match": "everything",
    **turns(
        {"thinking": "I should look first.", "text": ["I ", "read."], "delay": PAUSE, "calls": [
            call("read_file", path="a.txt"), call("read_file", path="open.txt")]},
        {"text": "I run.", "calls": [call("shell", command="echo one; sleep 0.02; touch made; echo two")]},
        {"text": "I edit.", "calls": [
            call("edit_file", path="open.txt", old_text="old line", new_text="new line")]},
        {"text": "I ask.", "calls": [call("ask_user", question="Which?", choices=["red", "blue"])]},
        {"text": ["All ", "of ", "it ", "done."], "delay": PAUSE},
    ),
}  # fmt: skip
NEXT: Message = {"match": "next", **turns("the next one")}
CONTENT = "old line\nlast line\n"


class Company:
    """A client of many sessions: answers what is asked and applies edits, and does things at the nth event.

    `silent` names the methods it does not answer any more, `mute` the sessions whose questions it leaves
    open. Where a run does not end by itself, `last` says which event is its last one.
    """

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.silent: set[str] = set()
        self.mute: set[str] = set()
        self.last: Callable[[Message], bool] = is_idle
        self._documents: dict[str, tuple[int, str]] = {}
        self.roots: dict[str, str] = {}  # sessions that work for another: whose events theirs count as
        self._plans: dict[str, tuple[int, Callable[[], None]]] = {}
        self._counts: dict[str, int] = {}
        wire.heard = self._hear

    def session(self, name: str, **params: Any) -> str:
        """A session in a folder of its own, with a file and an open document."""
        folder = self.folder(name)
        folder.mkdir()
        (folder / "a.txt").write_text("a file\n")
        (folder / "open.txt").write_text(CONTENT)
        self.open(folder / "open.txt")
        return self.wire.session(cwd=folder.as_uri(), clientKey=f"new {name}", **params)

    def folder(self, name: str) -> Path:
        """The folder of a session."""
        return self.wire.workspace / name

    def open(self, path: Path) -> None:
        """Open a document as it is on the disk."""
        text = path.read_text()
        self._documents[path.as_uri()] = (1, text)
        document = {"uri": path.as_uri(), "languageId": "text", "version": 1, "text": text}
        self.wire.notify("textDocument/didOpen", {"textDocument": document})

    def text(self, name: str) -> str:
        """The document of a session."""
        return self._documents[(self.folder(name) / "open.txt").as_uri()][1]

    def at(self, session: str, index: int, act: Callable[[], None]) -> None:
        """Do this when event number `index` of the session (0, 1, 2 …) arrives, before anything is answered.

        A busy machine merges deltas: a number that does not come up means the end of the run.
        """
        self._plans[session] = (index, act)

    def _hear(self, message: Message) -> None:
        for event in events_in(message):
            if event["type"] == "sessionInfo" and (parent := event["data"].get("parentSessionId")):
                self.roots[event["sessionId"]] = self.root_of(parent)
            session = self.root_of(event["sessionId"])
            self._counts[session] = self._counts.get(session, -1) + 1
            index, act = self._plans.get(session, (-1, _nothing))
            if self._counts[session] == index or (self.last(event) and self._counts[session] < index):
                del self._plans[session]
                act()
        answer = ANSWERS.get(message.get("method", ""))
        if answer and "id" in message and self._answers(message):
            self.reply(message, answer(self, message["params"]))

    def _answers(self, message: Message) -> bool:
        session = self.root_of(message["params"].get("sessionId", ""))
        return message["method"] not in self.silent and session not in self.mute

    def root_of(self, session: str) -> str:
        """The session that this one works for, itself when it works for none."""
        return self.roots.get(session, session)

    def reply(self, message: Message, result: Any) -> None:
        """Answer a request of the server."""
        self.wire.send({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def apply(self, params: Message) -> Message:
        """Apply an edit, and tell the server what changed."""
        (change,) = params["edit"]["documentChanges"]
        uri, (edit,) = change["textDocument"]["uri"], change["edits"]
        version, text = self._documents[uri]
        if change["textDocument"]["version"] != version:
            return {"applied": False, "failureReason": "version"}
        start, end = (_offset(text, edit["range"][side]) for side in ("start", "end"))
        self._documents[uri] = (version + 1, text[:start] + edit["newText"] + text[end:])
        self.wire.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": uri, "version": version + 1},
                "contentChanges": [{"range": edit["range"], "text": edit["newText"]}],
            },
        )
        return {"applied": True}


ANSWERS: dict[str, Callable[[Company, Message], Any]] = {
    "agent/requestPermission": lambda company, params: allow(params),
    "agent/askUser": lambda company, params: {"outcome": "accept", "content": {"choice": "blue"}},
    "workspace/applyEdit": Company.apply,
    "window/workDoneProgress/create": lambda company, params: None,
}


def is_idle(event: Message) -> bool:
    """Whether a session rests now."""
    return event["type"] == "sessionState" and event["data"]["state"] == "idle"


def allow(params: Message) -> Message:
    """The first answer that says yes."""
    option = next(option for option in params["options"] if option["decision"] == "allow")
    return {"outcome": "selected", "optionId": option["optionId"]}


def left_behind(folder: Path) -> list[str]:
    """The commands that still run inside this folder (Linux)."""
    found: list[str] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            inside = (process / "cwd").readlink().is_relative_to(folder)
            if inside:
                found.append((process / "cmdline").read_bytes().decode())
        except OSError:  # it has just ended, or is not ours
            continue
    return found


def plain(events: list[Message], folder: Path) -> Any:
    """Events or items with what differs from run to run taken out: ids by their order, times, the folder."""
    text = json.dumps(events).replace(folder.as_uri(), "file:///w").replace(str(folder), "/w")
    return json.loads(text, object_hook=_Numbered())


class _Numbered:
    """Numbers ids in the order of their first appearance."""

    def __init__(self) -> None:
        self._numbers: dict[str, str] = {}

    def __call__(self, value: Message) -> Message:
        return {name: self._put(name, part) for name, part in value.items() if name != "ts"}

    def _put(self, name: str, value: Any) -> Any:
        if isinstance(value, str) and name.endswith("Id"):
            return self._numbers.setdefault(value, f"{name} {len(self._numbers)}")
        return value


def _offset(text: str, place: Message) -> int:
    lines = text.splitlines(keepends=True)
    return sum(map(len, lines[: place["line"]])) + place["character"]


def _nothing() -> None:
    """Nothing is planned."""
