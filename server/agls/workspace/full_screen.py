"""Whether a command draws on a whole screen, as editors, pagers and menus do: they wait for keys.

There is no terminal, so nobody will ever press one. What a program writes tells: it changes to the second
screen, moves to places of the screen, or asks the terminal what it is.
"""

import time

from agls.regex import regex

GRACE = 3.0  # seconds on the second screen, or in silence after other signs
FEWEST = 8  # places of the screen to which it moves
_LOOKED_AT = 4_096  # bytes at the beginning, in which an editor complains
_REST = 16  # bytes at the end of a piece in which a code may have begun
_SECOND = regex(rb"\x1b\[\?(?:1049|1047|47)([hl])")
_MOVES = regex(rb"\x1b\[\d+;\d+[Hf]")
_UNFINISHED = regex(rb"\x1b(?:[\[\]][0-?]*)?\Z")
_ASKS = regex(rb"\x1b\[(?:6n|>?0?c)|\x1b\]1[01];\?")
_COMPLAINS = regex(rb"Vim: Warning: (?:Output|Input) is not ")


class ScreenWatch:
    """Looks at an output while it comes."""

    def __init__(self) -> None:
        self._rest, self._head = b"", b""
        self._places = set[bytes]()
        self._second_since = 0.0  # when it changed to the second screen; 0 when it is not there
        self._waits, self._last = False, time.monotonic()

    def feed(self, data: bytes) -> None:
        """Take in more output."""
        now = self._last = time.monotonic()
        if len(self._head) < _LOOKED_AT:
            self._head += data[:_LOOKED_AT]
            self._waits = self._waits or _COMPLAINS.search(self._head) is not None
        if b"\x1b" in data or self._rest:
            self._look(self._rest + data, now)

    def _look(self, data: bytes, now: float) -> None:
        if second := _SECOND.findall(data):
            self._second_since = now if second[-1] == b"h" else 0.0
        if len(self._places) < FEWEST:
            self._places.update(_MOVES.findall(data))
        self._waits = self._waits or len(self._places) >= FEWEST or _ASKS.search(data) is not None
        unfinished = _UNFINISHED.search(data[-_REST:])
        self._rest = unfinished[0] if unfinished else b""

    @property
    def is_stuck(self) -> bool:
        """Whether it has been waiting for keys long enough to be sure."""
        now = time.monotonic()
        on_second = bool(self._second_since) and now - self._second_since >= GRACE
        return on_second or (self._waits and now - self._last >= GRACE)
