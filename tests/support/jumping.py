"""The event loop's time, for what takes hours."""

import asyncio

import pytest

ROUNDS = 20  # of the event loop, in which what became due happens


class Time:
    """The event loop's time, which jumps when it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._loop = asyncio.get_running_loop()
        self._real, self._ahead = self._loop.time, 0.0
        monkeypatch.setattr(self._loop, "time", lambda: self._real() + self._ahead)

    async def jump(self, seconds: float) -> None:
        """Let so much time pass; what is due then has happened when this returns."""
        self._ahead += seconds
        for _ in range(ROUNDS):
            await asyncio.sleep(0)
