"""Standard output and error, written in order by a thread: a slow reader never blocks the event loop."""

import asyncio
from collections.abc import Callable
from typing import TextIO

from aglet.doors.headless.streams import complain, silence


class Pipe:
    """Takes text at any time; `pump` carries it out. When the reader is gone the rest is dropped."""

    def __init__(self, out: TextIO, err: TextIO) -> None:
        self._out, self._err = out, err
        self._queue: asyncio.Queue[tuple[TextIO, str]] = asyncio.Queue()
        self._broken: set[TextIO] = set()

    @property
    def lost(self) -> bool:
        """Whether something for standard output could not be written."""
        return self._out in self._broken

    def write(self, text: str) -> None:
        """Write this to standard output, after everything before it."""
        if text:
            self._queue.put_nowait((self._out, text))

    def mention(self, text: str) -> None:
        """Write this to standard error, after everything before it."""
        if text:
            self._queue.put_nowait((self._err, text))

    def close(self) -> None:
        """Nothing more comes: `pump` ends when all is written."""
        self._queue.put_nowait((self._out, ""))

    async def pump(self, on_broken: Callable[[], None]) -> None:
        """Write until `close`; tell once when standard output cannot be written any more."""
        while (item := await self._queue.get())[1]:
            await asyncio.to_thread(self._carry, *item)
            if self.lost:
                on_broken()
                on_broken = _ignore

    def _carry(self, file: TextIO, text: str) -> None:
        if file in self._broken:
            return
        try:
            file.write(text)
            file.flush()
        except OSError as error:
            self._broken.add(file)
            silence(file.fileno())
            if file is self._out:
                complain(error)


def _ignore() -> None:
    return None
