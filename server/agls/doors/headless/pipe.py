"""Standard output and error, written in order by a thread: a slow reader never blocks the event loop."""

import asyncio
import os
import stat
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from itertools import groupby
from typing import TextIO

from agls.doors.headless.streams import complain, silence

Aside = Callable[[], AbstractAsyncContextManager[None]]
MOST = 16 * 1024 * 1024  # characters that may wait for a reader; one that is as far behind counts as lost


class Pipe:
    """Takes text at any time; `pump` carries it out. When the reader is gone the rest is dropped.

    Whoever has drawn below the output steps `aside` while some of it is written. `backlog` is how many
    characters wait. `moved` is called when some of them were taken. `if_lost` is written to standard error
    at the end when something for standard output could not be written. It is `unread` when nobody can
    read standard output any more.
    """

    def __init__(self, out: TextIO, err: TextIO) -> None:
        self._out, self._err = out, err
        self.backlog = 0
        self.if_lost = ""
        self.unread = False
        self.moved = self._give_up = _ignore
        self.aside: Aside = nullcontext
        self._waiting: list[tuple[TextIO, str]] = []
        self._arrived = asyncio.Event()
        self._carried = asyncio.Event()
        self._closed = False
        self._broken: set[TextIO] = set()

    @property
    def lost(self) -> bool:
        """Whether something for standard output could not be written."""
        return self._out in self._broken

    def write(self, text: str) -> None:
        """Write this to standard output, after everything before it."""
        self._add(self._out, text)

    def mention(self, text: str) -> None:
        """Write this to standard error, after everything before it."""
        self._add(self._err, text)

    def close(self) -> None:
        """End `pump` when everything is written: nothing more comes."""
        self._closed = True
        self._arrived.set()

    async def drained(self) -> None:
        """Wait until everything so far is written, or was dropped."""
        while self.backlog:
            self._carried.clear()
            await self._carried.wait()

    async def pump(self, on_broken: Callable[[], None]) -> None:
        """Write until `close`; call `on_broken` once when standard output breaks or nobody reads it."""
        self._give_up = on_broken
        with _watched(self._out, self._lose_reader):
            while self._waiting or not self._closed:
                await self._arrived.wait()
                self._arrived.clear()
                taken, self._waiting = self._waiting, []
                async with self.aside():
                    await asyncio.to_thread(self._carry, taken)
                self.backlog -= sum(len(text) for _, text in taken)
                self._carried.set()
                self.moved()
                if self.lost:
                    self._lose()
        if self.lost and self.if_lost:
            await asyncio.to_thread(self._carry, [(self._err, self.if_lost)])

    def _add(self, file: TextIO, text: str) -> None:
        self._waiting.append((file, text))
        self.backlog += len(text)
        self._arrived.set()
        if self.backlog > MOST:
            self._lose()

    def _lose(self) -> None:
        give_up, self._give_up = self._give_up, _ignore
        give_up()

    def _lose_reader(self) -> None:
        self.unread = True
        self._lose()

    def _carry(self, taken: Sequence[tuple[TextIO, str]]) -> None:
        for file, texts in groupby(taken, lambda one: one[0]):
            text = "".join(text for _, text in texts)
            if text and file not in self._broken:
                self._write(file, text)

    def _write(self, file: TextIO, text: str) -> None:
        try:
            file.write(text)
            file.flush()
        except OSError as error:
            self._broken.add(file)
            silence(file.fileno())
            if file is self._out:
                self.unread = self.unread or isinstance(error, BrokenPipeError)
                complain(error)


@contextmanager
def _watched(file: TextIO, gone: Callable[[], None]) -> Generator[None]:
    """Notice when nobody can read the pipe any more, also while there is nothing to write."""
    loop = asyncio.get_running_loop()
    try:
        descriptor = file.fileno() if stat.S_ISFIFO(os.fstat(file.fileno()).st_mode) else -1
    except (OSError, ValueError):  # it is closed, or no file
        descriptor = -1
    if descriptor < 0:
        yield
        return

    def notice() -> None:
        loop.remove_reader(descriptor)
        gone()

    loop.add_reader(descriptor, notice)  # a write-only pipe becomes readable with its reader's end
    try:
        yield
    finally:
        loop.remove_reader(descriptor)


def _ignore() -> None:
    return None
