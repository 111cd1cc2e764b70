"""What a language server says is wrong in its documents, and when it has said it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from agls.engine.vocabulary import JsonObject
from agls.json_values import objects_in

SETTLE = 0.4  # seconds of silence after which a server that names no version has said all


@dataclass
class _Known:
    """What is known of one document: `current` is whether it was said of its newest version."""

    rows: Sequence[JsonObject] = ()
    version: int = 0
    current: bool = False
    final: bool = False
    news: asyncio.Event = field(default_factory=asyncio.Event)


class PublishedDiagnostics:
    """The diagnostics that a server sent, by URI."""

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}

    def expect(self, uri: str, version: int) -> None:
        """The server was sent this version: what it said before is old."""
        known = self._known.setdefault(uri, _Known())
        known.version = version
        known.current = known.final = False

    def forget(self, uri: str) -> None:
        """The document was closed."""
        self._known.pop(uri, None)

    def publish(self, params: Any) -> None:
        """Take in `textDocument/publishDiagnostics`."""
        if not isinstance(params, dict):
            return
        given = cast("JsonObject", params)
        known = self._known.get(str(given.get("uri")))
        version = given.get("version")
        if known is None or (isinstance(version, int) and version < known.version):
            return
        known.rows = objects_in(given.get("diagnostics"))
        known.current, known.final = True, isinstance(version, int)
        known.news.set()

    async def wait(self, uri: str, seconds: float) -> Sequence[JsonObject] | None:
        """Return what is wrong in the newest version, `None` when that is not known in time."""
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while (known := self._known.get(uri)) and not known.final:
            known.news.clear()
            left = until - loop.time()
            quiet = min(SETTLE, left) if known.current else left
            try:
                await asyncio.wait_for(known.news.wait(), max(0.0, quiet))
            except TimeoutError:
                if not known.current:
                    return None
                known.final = True
        return known.rows if known else None
