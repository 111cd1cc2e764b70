"""Programs that are talked to through their standard streams, each under a keeper, as commands are."""

import asyncio
import os
import subprocess  # noqa: TID251 - for the name of a stream
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal, Protocol

from agls.engine.ports import WorkspaceError
from agls.workspace.environment import PLAIN, allowed
from agls.workspace.kept_process import PATIENCE, KeptProcess, Streams

NO_VARIABLES: Mapping[str, str] = {}
CUT_OFF = 1.0  # seconds in which a program may end that closed a stream through which it is talked to
MOST_COMPLAINTS = 4_000  # bytes of the standard error that are kept


class StreamListener(Protocol):
    """Takes in what a program writes, and that it ended."""

    def received(self, data: bytes) -> None: ...
    def ended(self) -> None: ...


class StreamPrograms:
    """Starts programs that are talked to, and ends them all with `aclose`."""

    def __init__(self, environment: Mapping[str, str] = PLAIN) -> None:
        self.environment = allowed(environment)
        self._running: set[StreamProgram] = set()

    async def start(
        self,
        argv: Sequence[str],
        folder: str,
        listener: StreamListener,
        variables: Mapping[str, str] = NO_VARIABLES,
        others: Sequence[int] = (),
    ) -> "StreamProgram":
        """Start a program in a folder, with these variables and open descriptors, too.

        **Raises** `WorkspaceError`.
        """
        program = StreamProgram(listener)
        program.launch(argv, folder, {**self.environment, "PWD": folder, **variables}, others)
        self._running.add(program)
        program.over.add_done_callback(lambda _: self._running.discard(program))
        await program.connect()
        return program

    async def aclose(self) -> None:
        """End everything that still runs."""
        everything = tuple(self._running)
        for program in everything:
            program.end()
        for program in everything:
            await asyncio.wait({program.over}, timeout=PATIENCE)


class StreamProgram:
    """One program that is talked to. `over` is done when it and all that it started have ended.

    One that lives on after it closed its standard input or output is ended: `closed` says which one it was.
    """

    def __init__(self, listener: StreamListener) -> None:
        self._listener = listener
        self._loop = asyncio.get_running_loop()
        self._complaints = bytearray()
        self._pipes: list[asyncio.ReadTransport] = []
        self._input: asyncio.WriteTransport | None = None
        self.over: asyncio.Future[None] = self._loop.create_future()
        self.status: int | None = None
        self._process = KeptProcess(self._ended)
        self._connecting, self._is_gone = True, False
        self.is_ending = False  # somebody ends it
        self._is_left = False  # it may close its streams
        self.closed: Literal["", "input", "output"] = ""
        self._cut_off: asyncio.TimerHandle | None = None

    @property
    def complaints(self) -> str:
        """The end of what it wrote to its standard error."""
        return self._complaints.decode(errors="replace").strip()

    def launch(
        self, argv: Sequence[str], folder: str, environment: Mapping[str, str], others: Sequence[int] = ()
    ) -> None:
        """Start the program under a keeper. **Raises** `WorkspaceError`."""
        try:
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            raise WorkspaceError(f"{argv[0]} could not be started: {error}.") from error
        streams = Streams(input=subprocess.PIPE, others=tuple(others))
        try:
            self._streams = self._process.start(argv, handle, environment, streams)
        finally:
            os.close(handle)

    async def connect(self) -> None:
        """Listen to the program from now on; cancelled, this ends it without a word to its listener."""
        streams = self._streams
        waiting = [streams.stdin, streams.stderr, streams.stdout]
        try:
            out, _ = await self._loop.connect_read_pipe(
                lambda: _PipeReader(self._listener.received, partial(self._lost, "output")), waiting.pop()
            )
            self._pipes.append(out)
            err, _ = await self._loop.connect_read_pipe(lambda: _PipeReader(self._complain), waiting.pop())
            self._pipes.append(err)
            pipe, _ = await self._loop.connect_write_pipe(
                lambda: _PipeWriter(partial(self._lost, "input")), waiting.pop()
            )
            self._input = pipe
        except asyncio.CancelledError:
            self._listener = _Nobody()
            for stream in waiting:
                if stream:
                    stream.close()
            self.end()
            raise
        finally:
            self._connecting = False
            if self._is_gone:
                self._loop.call_soon(self._finish)  # whoever started it knows it by then

    def write(self, data: bytes) -> None:
        """Send bytes to its standard input, at its pace; what it does not read any more is dropped."""
        if self._input and not self._input.is_closing():
            self._input.write(data)

    def pause(self) -> None:
        """Read nothing of its output any more: it waits when the pipe is full."""
        for pipe in self._pipes[:1]:
            pipe.pause_reading()

    def resume(self) -> None:
        """Read its output again."""
        for pipe in self._pipes[:1]:
            pipe.resume_reading()

    def close_input(self) -> None:
        """Close its standard input, when what was sent is written. Harmless when it has ended."""
        self._is_left = True
        if self._input and not self._input.is_closing():
            self._input.close()

    def end(self) -> None:
        """End the program and all that it started. Harmless when it has ended."""
        self._is_left = True
        self.is_ending = True
        self._process.end()

    def _lost(self, stream: Literal["input", "output"]) -> None:
        """Note that a stream was closed: by a program that ends, or by one that cannot be talked to."""
        if not (self._cut_off or self._is_left or self._is_gone):
            self._cut_off = self._loop.call_later(CUT_OFF, self._end_cut_off, stream)

    def _end_cut_off(self, stream: Literal["input", "output"]) -> None:
        self.closed = stream
        self.end()

    def _complain(self, data: bytes) -> None:
        self._complaints += data
        del self._complaints[:-MOST_COMPLAINTS]

    def _ended(self) -> None:
        self.status, self._is_gone = self._process.status, True
        if not self._connecting:
            self._finish()

    def _finish(self) -> None:
        if self._cut_off:
            self._cut_off.cancel()
        if self._input and not self._input.is_closing():
            self._input.abort()
        for pipe in self._pipes:
            pipe.close()
        self.over.set_result(None)
        self._listener.ended()


class _Nobody:
    """Listens in place of whoever gave up starting a program."""

    def received(self, data: bytes) -> None:
        pass

    def ended(self) -> None:
        pass


class _PipeReader(asyncio.Protocol):
    def __init__(self, take: Callable[[bytes], None], end: Callable[[], None] | None = None) -> None:
        self._take, self._end = take, end

    def data_received(self, data: bytes) -> None:
        self._take(data)

    def eof_received(self) -> None:
        if self._end:
            self._end()


class _PipeWriter(asyncio.BaseProtocol):
    def __init__(self, end: Callable[[], None]) -> None:
        self._end = end

    def connection_lost(self, exc: Exception | None) -> None:
        self._end()
