"""Shows the user of the client where the agent works (`followAlong`, protocol#initialize)."""

import asyncio
from typing import Any

from agls.doors.agent.peer import Peer
from agls.doors.messages import JsonObject


class FollowAlongView:
    """One place after the other: while the client has not shown the last one, only the newest waits."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._last: JsonObject = {}
        self._waiting: JsonObject = {}
        self._busy = False

    def reveal(self, uri: str, line: int) -> None:
        """Show this line (from 0) without taking the focus, unless it is the place that was shown last."""
        at = {"line": line, "character": 0}
        place: JsonObject = {"uri": uri, "takeFocus": False, "selection": {"start": at, "end": at}}
        if place != self._last:
            self._last = self._waiting = place
            self._show()

    def _show(self) -> None:
        if self._waiting and not self._busy:
            shown = self._waiting
            self._waiting = {}
            self._busy = True
            self._peer.request("window/showDocument", shown).future.add_done_callback(self._shown)

    def _shown(self, future: asyncio.Future[Any]) -> None:
        if not future.cancelled():
            future.exception()  # whether it could is its own affair
            self._busy = False
            self._show()
