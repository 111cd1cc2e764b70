"""A client without a line of our code: it does what its capability block says, and nothing else."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agls.doors.positions import TextPosition, offset_at, place_at
from support.patience import wait_until
from support.wire import Message, Wire

FIXTURES = Path(__file__).with_name("fixtures")
CLIENTS = ("neovim", "helix", "eglot", "vscode", "kate", "sublime")


def block(name: str) -> Message:
    """What this client says in `initialize`."""
    return json.loads((FIXTURES / f"{name}.json").read_text())


class PlainClient:
    """The user of an editor with one open document. It can do what its block says, or what is `given`."""

    def __init__(self, wire: Wire, name: str, text: str, given: Message | None = None) -> None:
        given = given or block(name)
        self.wire, self.capabilities = wire, given["capabilities"]
        said = {name: given[name] for name in ("clientInfo", "initializationOptions") if name in given}
        hello = wire.initialize({}, capabilities=self.capabilities, **said)
        self.encoding = hello["capabilities"]["positionEncoding"]
        self.commands = hello["capabilities"]["executeCommandProvider"]["commands"]
        self.text, self.version, self.refusal = text, 1, ""
        self.path = wire.workspace / "code.py"
        self.path.write_text(text)
        self.uri = self.path.as_uri()
        self.choice: Any = None  # what the user answers a message with actions
        self.shown: list[str] = []
        document = {"uri": self.uri, "languageId": "python", "version": 1, "text": text}
        wire.notify("textDocument/didOpen", {"textDocument": document})
        wire.answers |= {
            "workspace/applyEdit": self._apply,
            "window/showMessageRequest": lambda params: self.choice,
            "window/showDocument": self._show,
            "window/workDoneProgress/create": lambda params: None,
        }

    @property
    def asks_by_message(self) -> bool:
        """Whether this client has messages with actions."""
        return "showMessage" in self.capabilities.get("window", {})

    def command(self, name: str, *arguments: object) -> Any:
        """Follow a command that was advertised."""
        assert name in self.commands
        return self._call("workspace/executeCommand", {"command": name, "arguments": list(arguments)})

    def actions(
        self, line: int, last: int | None = None, character: int = 0, **context: Any
    ) -> list[Message]:
        """The code actions of some lines, as the client gets them."""
        end = {"line": line if last is None else last, "character": character}
        span = {"start": {"line": line, "character": 0}, "end": end}
        given = {"textDocument": {"uri": self.uri}, "range": span, "context": {"diagnostics": [], **context}}
        return self._call("textDocument/codeAction", given)

    def choose(self, title: str, line: int = 0, last: int | None = None, **context: Any) -> Any:
        """Take the code action whose title begins so."""
        actions = self.actions(line, last, **context)
        action = next((a for a in actions if a["title"].startswith(title)), None)
        assert action, [a["title"] for a in actions]
        assert "disabled" not in action
        return self.command(action["command"]["command"], *action["command"]["arguments"])

    def replace(self, old: str, new: str) -> None:
        """The user types."""
        start = self.text.index(old)
        places = (place_at(self.text, at, self.encoding) for at in (start, start + len(old)))
        self._change(*places, new)

    def eventually(self, done: Callable[[], object]) -> None:
        """Wait until this is so."""
        wait_until(done)

    def message(self, text: str) -> Message:
        """Wait for a message that has this in it."""
        shown = self.wire.until(
            lambda m: m.get("method", "").startswith("window/showMessage") and text in m["params"]["message"],
        )
        return shown["params"]

    def _call(self, method: str, params: Message) -> Any:
        number = self.wire.post(method, params)
        response = self.wire.until(lambda m: "method" not in m and m.get("id") == number)
        assert "result" in response, response
        return response["result"]

    def _apply(self, params: Message) -> Message:
        change = params["edit"]["documentChanges"][0]
        if self.refusal or change["textDocument"]["version"] != self.version:
            return {"applied": False, "failureReason": self.refusal or "the buffer is newer than the edit"}
        edit = change["edits"][0]
        self._change(
            TextPosition(**edit["range"]["start"]), TextPosition(**edit["range"]["end"]), edit["newText"]
        )
        return {"applied": True}

    def _show(self, params: Message) -> Message:
        self.shown.append(params["uri"])
        return {"success": True}

    def _change(self, start: TextPosition, end: TextPosition, text: str) -> None:
        a, b = (offset_at(self.text, place, self.encoding) for place in (start, end))
        self.text = self.text[:a] + text + self.text[b:]
        self.version += 1
        span = {"start": start._asdict(), "end": end._asdict()}
        changes = [{"range": span, "text": text}]
        document = {"uri": self.uri, "version": self.version}
        self.wire.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})
