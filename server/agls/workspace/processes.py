"""Commands: each runs under a keeper, to its end, and never outlives this process.

Processes that a command leaves running are ended with it.
"""

import asyncio
import os
import signal
import subprocess  # noqa: TID251 - for the name of a stream
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Protocol

from agls.engine.ports import Command, Finished, WorkspaceError
from agls.workspace.environment import PLAIN, allowed
from agls.workspace.full_screen import ScreenWatch
from agls.workspace.kept_process import PATIENCE, KeptProcess, Streams
from agls.workspace.output import Live, OutputBuffer

QUICK = 65_536  # bytes of output that are made text, and text bytes, sooner than handed to a thread
_DRAIN = 0.3  # seconds for the rest of the output, when a process out of reach still holds it open
_CHUNK = 1 << 16
_PULSE = 0.5  # seconds after which it is looked whether a command waits on a screen
REPORT = 1_000_000  # bytes of a command's report that are read


class Runner(Protocol):
    """Runs commands in open folders, with these variables."""

    @property
    def environment(self) -> Mapping[str, str]: ...

    async def run(
        self, command: Command, folder: int, cwd: str, output: Callable[[str], None]
    ) -> Finished: ...


class Processes:
    """Starts commands, and ends them all with `aclose`. Commands get a part of `environment`."""

    def __init__(self, environment: Mapping[str, str] = PLAIN) -> None:
        self.environment = allowed(environment)
        self._running: set[_Running] = set()

    async def run(
        self,
        command: Command,
        folder: int,
        cwd: str,
        output: Callable[[str], None],
        text: Callable[[OutputBuffer], str] = OutputBuffer.text,
        others: tuple[int, ...] = (),
    ) -> Finished:
        """Run a command to its end in the open `folder`, whose path is `cwd`; `text` decodes its output.

        It gets the descriptors `others`, too.

        Cancelling ends the whole tree before it returns.

        **Raises** `WorkspaceError` when nothing could be started.
        """
        started = time.monotonic()
        environment = {**self.environment, "PWD": cwd, **command.env}
        environment = {name: value for name, value in environment.items() if name not in command.unset}
        running = _Running(OutputBuffer(command.keep), output)
        running.start(command, folder, environment, others)
        self._running.add(running)
        running.over.add_done_callback(lambda _: self._running.discard(running))
        try:
            await running.feed(command.stdin)
            timed_out = not await _in_time(running, command)
        finally:
            try:
                await self._end(running)
            finally:
                report = running.take_report()
        long, status = running.kept.total > QUICK, running.process.status
        return Finished(
            exit_code=status if status >= 0 and not timed_out else None,
            signal=_name_of(-status) if status < 0 else "",
            timed_out=timed_out and not running.on_screen,
            output=await asyncio.to_thread(text, running.kept) if long else text(running.kept),
            coloured=await asyncio.to_thread(running.kept.coloured) if long else running.kept.coloured(),
            total=running.kept.total,
            seconds=time.monotonic() - started,
            left_over=running.process.left,
            report=report,
            on_screen=running.on_screen,
        )

    async def aclose(self) -> None:
        """End everything that still runs."""
        everything = tuple(self._running)
        for running in everything:
            running.process.end()
        for running in everything:
            await self._end(running)

    async def _end(self, running: "_Running") -> None:
        """End a command, and wait for that; whoever cancels once more waits, too."""
        running.process.end()
        until, again = time.monotonic() + PATIENCE, False
        while not running.over.done() and (left := until - time.monotonic()) > 0:
            try:
                await asyncio.wait({running.over}, timeout=left)
            except asyncio.CancelledError:
                again = True
        if again:
            raise asyncio.CancelledError


async def _in_time(running: "_Running", command: Command) -> bool:
    """Wait for the end. **Returns** whether it came before the time, with all that was added, was over.

    A command that waits on a whole screen has no more time.
    """
    seconds = command.timeout
    while seconds > 0:
        until = time.monotonic() + seconds
        while not running.over.done() and (left := until - time.monotonic()) > 0:
            await asyncio.wait({running.over}, timeout=min(left, _PULSE) if command.no_screen else left)
            if command.no_screen and not running.over.done() and running.screen.is_stuck:
                running.on_screen = True
                return False
        if running.over.done():
            return True
        seconds = command.more_time()
    return False


class _Running:
    """One command that runs, with its output and its report."""

    def __init__(self, kept: OutputBuffer, output: Callable[[str], None]) -> None:
        self.kept, self._show = kept, output
        self._live = Live()
        self.screen, self.on_screen = ScreenWatch(), False
        self._loop = asyncio.get_running_loop()
        self.over: asyncio.Future[None] = self._loop.create_future()
        self.process = KeptProcess(self._ended)
        self._report = -1

    def start(
        self, command: Command, folder: int, environment: Mapping[str, str], others: tuple[int, ...]
    ) -> None:
        """Start the command under a keeper. **Raises** `WorkspaceError`."""
        self._output, theirs = os.pipe()
        argv = tuple(command.argv)
        if command.reports:
            self._report = (
                os.memfd_create("report") if sys.platform == "linux" else os.open(os.devnull, os.O_RDWR)
            )
            argv, others = (*argv, f"/dev/fd/{self._report}"), (*others, self._report)
        given = subprocess.PIPE if command.stdin else subprocess.DEVNULL
        try:
            self._input = self.process.start(
                argv, folder, environment, Streams(given, theirs, theirs, others)
            ).stdin
        except WorkspaceError:
            os.close(self._output)
            self.take_report()
            raise
        finally:
            os.close(theirs)
        self._loop.add_reader(self._output, self._read)

    async def feed(self, text: str) -> None:
        """Write to the command's standard input, at its pace; bytes that it does not read are dropped."""
        if self._input:
            try:
                encode = partial(text.encode, "utf-8", "surrogatepass")
                data = await asyncio.to_thread(encode) if len(text) > QUICK else encode()
                pipe, _ = await self._loop.connect_write_pipe(asyncio.BaseProtocol, self._input)
            except BaseException:  # cancelled before the pipe has another owner
                self._input.close()
                raise
            pipe.write(data)
            pipe.write_eof()

    def take_report(self) -> str:
        """Return the report, and close its file."""
        if self._report < 0:
            return ""
        report, self._report = self._report, -1
        try:
            return os.fsdecode(os.pread(report, REPORT, 0))
        finally:
            os.close(report)

    def _read(self) -> None:
        if data := os.read(self._output, _CHUNK):
            self.kept.feed(data)
            self.screen.feed(data)
            self._pass_on(self._live.feed(data))
            return
        self._close_output()
        if self.process.is_gone:
            self._finish()

    def _ended(self) -> None:
        if self._output < 0:
            self._finish()
        else:
            self._loop.call_later(_DRAIN, self._finish)

    def _close_output(self) -> None:
        self._loop.remove_reader(self._output)
        os.close(self._output)
        self._output = -1

    def _finish(self) -> None:
        if self.over.done():
            return
        if self._output >= 0:
            self._close_output()
        self._pass_on(self._live.finish())
        self.over.set_result(None)

    def _pass_on(self, text: str) -> None:
        if text:
            self._show(text)


def _name_of(number: int) -> str:
    return signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
