"""How long a test waits for a fact, and how it judges what is promised within a time.

No limit here is a measurement: only a fault makes a test wait so long. What has to be quick is tried again
when it took longer, for a busy machine only ever adds to what the product needs.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Self

PATIENCE = 60.0  # seconds for anything that must happen
LOOK = 0.01  # seconds between two looks
TRIES = 5


class Watch(AbstractContextManager[Any]):
    """Measures the block it is entered for, in `seconds`."""

    seconds = float("inf")

    def __enter__(self) -> Self:
        self._begun = time.monotonic()
        return self

    def __exit__(self, *error: object) -> None:
        self.seconds = time.monotonic() - self._begun


def within(limit: float) -> Iterator[Watch]:
    """Watches, until what one of them measured took less than `limit` seconds; fails when none did.

    for watch in within(2.0):
        make_ready()
        with watch:
            do_it()
    """
    took: list[float] = []
    while not took or took[-1] >= limit:
        assert len(took) < TRIES, f"never within {limit} s, but in {took}"
        watch = Watch()
        yield watch
        took.append(watch.seconds)


def wait_until(true: Callable[[], object], patience: float = PATIENCE) -> None:
    """Wait for a fact; fails when it does not become true."""
    until = time.monotonic() + patience
    while not true():
        assert time.monotonic() < until, "it never became true"
        time.sleep(LOOK)


async def become(true: Callable[[], object], patience: float = PATIENCE) -> None:
    """Wait for a fact, while the event loop goes on; fails when it does not become true."""
    until = time.monotonic() + patience
    while not true():
        assert time.monotonic() < until, "it never became true"
        await asyncio.sleep(0.001)
