"""The first session of the protocol page works: who sends its lines gets what it shows, in that order."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from support.patience import wait_until
from support.wire import Message, Wire

PAGE = (Path(__file__).parents[2] / "protocol" / "README.md").read_text()
SECTION = PAGE.partition("\n## A first session\n")[2].partition("\n## ")[0]
FOLDER = "file:///home/user/project"
NAME = re.compile(r"^(?:ses|epoch|run|item|ask)_\d+$")  # what the page calls an id that the server makes


def lines() -> Iterator[tuple[str, Message]]:
    """The messages of the page, and who sends each: "->" is the client."""
    block = SECTION.split("```")[1].strip("\n")
    for part in re.split(r"\n(?=->|<-)", block):
        yield part[:2], json.loads(part[2:])


def file(name: str) -> str:
    """The file of this name that the page shows."""
    shown = re.search(rf"```toml\n# {re.escape(name)}\n(.*?)```", SECTION, re.DOTALL)
    assert shown, f"the page shows no {name}"
    return str(shown[1])


class Reader:
    """Compares messages with those of the page. The ids of the page stand for those of the server."""

    def __init__(self, folder: Path) -> None:
        self._ids: dict[str, str] = {FOLDER: folder.as_uri()}

    def sent(self, shown: Any) -> Any:
        """What a client sends for this."""
        match shown:
            case dict():
                return {name: self.sent(value) for name, value in cast("Message", shown).items()}
            case str():
                return self._ids.get(shown, shown)
            case _:
                return shown

    def fits(self, shown: Any, got: Any) -> bool:
        """Whether the server sent this; members that are not shown may be anything."""
        before = dict(self._ids)
        if self._fits(shown, got):
            return True
        self._ids = before
        return False

    def _fits(self, shown: Any, got: Any) -> bool:
        match shown, got:
            case dict(), dict():
                members = cast("Message", shown).items()
                return all(name in got and self._fits(value, got[name]) for name, value in members)
            case list(), list():
                listed = cast("list[Any]", shown), cast("list[Any]", got)
                return len(listed[0]) == len(listed[1]) and all(map(self._fits, *listed))
            case str(), str() if NAME.match(shown):
                return self._ids.setdefault(shown, got) == got
            case _:
                return shown == got


def singly(message: Message) -> list[Message]:
    """A notification for each event: the page shows only some of those that travel together."""
    if message.get("method") != "agent/event":
        return [message]
    return [{**message, "params": {"events": [event]}} for event in message["params"]["events"]]


def test_the_first_session_of_the_page_works_as_it_is_shown(tmp_path: Path) -> None:
    for name in ("config.toml", "script.toml"):
        (tmp_path / name).write_text(file(name))
    with Wire(tmp_path, tmp_path / "config.toml") as wire:
        reader, seen = Reader(wire.workspace), 0

        def received(shown: Message) -> bool:
            nonlocal seen
            arrived = [one for message in list(wire.messages) for one in singly(message)]
            place = next((n for n, one in enumerate(arrived[seen:], seen) if reader.fits(shown, one)), None)
            if place is not None:
                seen = place + 1
            return place is not None

        for who, shown in lines():
            if who == "->":
                message: Message = {"jsonrpc": "2.0", **reader.sent(shown)}
                if "method" in message and "id" in message:
                    wire.asked[message["id"]] = (message["method"], message.get("params", {}))
                wire.send(message)
            else:
                wait_until(lambda shown=shown: received(shown))
        assert wire.process.wait() == 0
    assert (wire.workspace / "note.txt").read_text() == "Hello.\n"
