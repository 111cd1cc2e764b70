"""A timer that can be held and go on."""

import asyncio
from collections.abc import Callable


class Timer:
    """Counts down `seconds`, except while it is held, and calls `ring` when none is left."""

    def __init__(self, seconds: float, ring: Callable[[], object]) -> None:
        self._left, self._ring = seconds, ring
        self._loop = asyncio.get_running_loop()
        self._alarm = self._set()

    def hold(self) -> None:
        """Stop counting for now."""
        if not self._alarm.cancelled():
            self._left = max(0.0, self._alarm.when() - self._loop.time())
            self._alarm.cancel()

    def go_on(self) -> None:
        """Count on, when it was held."""
        if self._alarm.cancelled():
            self._alarm = self._set()

    def _set(self) -> asyncio.TimerHandle:
        return self._loop.call_later(self._left, self._ring)
