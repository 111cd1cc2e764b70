"""Lines of standard input, read without blocking and without a thread that could not be stopped."""

import asyncio
import os
import select
from collections.abc import AsyncGenerator, Iterator

LONGEST = 32 * 1024 * 1024  # bytes of one line; longer ones are read and thrown away
CHUNK = 65_536
LAST = 1024 * 1024  # bytes that are still taken after `finish`: as much as a pipe can hold


class Cutter:
    """Cuts the arriving pieces into lines, wherever they were cut on the way."""

    def __init__(self, longest: int = LONGEST) -> None:
        self._longest = longest
        self._begun = bytearray()
        self._too_long = False

    def cut(self, data: bytes) -> Iterator[bytes | None]:
        """Yield the lines that end in `data`, without their ends; `None` in place of one that is too long."""
        *ended, begun = data.split(b"\n")
        for piece in ended:
            self._add(piece)
            yield self._line()
        self._add(begun)

    def rest(self) -> Iterator[bytes | None]:
        """Yield the last line, when it has no end."""
        if self._begun or self._too_long:
            yield self._line()

    def _add(self, piece: bytes) -> None:
        if len(self._begun) + len(piece) > self._longest:
            self._too_long = True
            self._begun.clear()
        if not self._too_long:
            self._begun += piece

    def _line(self) -> bytes | None:
        line = None if self._too_long else bytes(self._begun)
        self._too_long = False
        self._begun.clear()
        return line


class StdinLines:
    """Reads the lines of a descriptor: a pipe, a socket, a terminal, or a file."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._wake = asyncio.Event()
        self._finishing = False
        self._last = LAST

    def finish(self) -> None:
        """End the lines behind what has arrived by now."""
        self._finishing = True
        self._wake.set()

    async def lines(self) -> AsyncGenerator[bytes | None, None]:
        """Yield each line without its end, `None` in place of one that is too long, up to a read error."""
        cutter = Cutter()
        while await self._anything():
            try:
                data = os.read(self._descriptor, CHUNK)
            except BlockingIOError:  # another process took it
                continue
            except OSError:
                data = b""
            for line in cutter.cut(data) if data else cutter.rest():
                yield line
            if not data:
                return

    async def _anything(self) -> bool:
        """Wait for something to read, or for the end. **Returns** False when there is nothing to wait for."""
        if not self._finishing:
            self._wake.clear()
            loop = asyncio.get_running_loop()
            try:
                loop.add_reader(self._descriptor, self._wake.set)
            except PermissionError:  # a file: it always has something to read
                await asyncio.sleep(0)
                return True
            try:
                await self._wake.wait()
            finally:
                loop.remove_reader(self._descriptor)
        if not self._finishing:
            return True
        self._last -= CHUNK
        return self._last >= 0 and bool(select.select([self._descriptor], [], [], 0)[0])
