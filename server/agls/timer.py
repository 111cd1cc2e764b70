"""A timer that can be held, moved and read: for limits on the time of a run."""

import asyncio
from collections.abc import Callable


class Timer:
    """Counts seconds (of the event loop's clock), except while it is held, and calls `ring` at those set."""

    def __init__(self, ring: Callable[[], object]) -> None:
        self._ring, self._loop = ring, asyncio.get_running_loop()
        self._before, self._since = 0.0, self._loop.time()
        self._held = False
        self._due: float | None = None
        self._alarm: asyncio.TimerHandle | None = None

    @property
    def elapsed(self) -> float:
        """The seconds so far, without those in which it was held."""
        return self._before if self._held else self._before + self._loop.time() - self._since

    def set(self, due: float | None) -> None:
        """Ring once, when so many seconds have passed in all; `None` is never. An earlier setting is void."""
        self._due = due
        if self._alarm:
            self._alarm.cancel()
        self._alarm = None
        if due is not None and not self._held:
            self._alarm = self._loop.call_later(max(0.0, due - self.elapsed), self._ring)

    def hold(self) -> None:
        """Let time stand still."""
        self._before, self._held = self.elapsed, True
        self.set(self._due)

    def go_on(self) -> None:
        """Let time pass again."""
        if self._held:
            self._since, self._held = self._loop.time(), False
            self.set(self._due)
