"""The one supervisor of processes: every command runs under a keeper and never outlives us.

Processes that a command leaves running are ended with it. No other module of agls starts processes.
"""

import asyncio
import os
import signal
import socket
import subprocess  # noqa: TID251 - this is the one place
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from agls.engine.ports import Command, Finished, WorkspaceError
from agls.workspace.environment import PLAIN, allowed
from agls.workspace.orphans import end_orphans, ours
from agls.workspace.output import Live, OutputBuffer

PATIENCE = 3.0  # seconds that are waited for a keeper to end everything; then it goes on unattended
_IMPORTED = (
    "import sys; sys.path.append(sys.argv.pop(1)); import keeper; keeper.main()"  # so it is compiled once
)
_KEEPER = (sys.executable, "-I", "-S", "-c", _IMPORTED, str(Path(__file__).parent))
QUICK = 65_536  # bytes of output that are made text sooner than handed to a thread
_DRAIN = 0.3  # seconds for the rest of the output, when a process out of reach still holds it open
_CHUNK = 1 << 16
_ROUNDS, _ROUND = 200, 0.01  # how often, and after how many seconds, orphans are looked for again


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
    ) -> Finished:
        """Run a command to its end in the open `folder`, whose path is `cwd`; `text` decodes its output.

        Cancelling ends the whole tree before it returns.

        **Raises** `WorkspaceError` when nothing could be started.
        """
        started = time.monotonic()
        environment = {**self.environment, "PWD": cwd, **command.env}
        running = _Running(OutputBuffer(command.keep), output)
        running.start(command, folder, environment)
        self._running.add(running)
        running.over.add_done_callback(lambda _: self._running.discard(running))
        try:
            await running.feed(command.stdin)
            await asyncio.wait({running.over}, timeout=command.timeout)
            timed_out = not running.over.done()
        finally:
            await self._end(running)
        long = running.kept.total > QUICK
        return Finished(
            exit_code=running.status if running.status >= 0 and not timed_out else None,
            signal=_name_of(-running.status) if running.status < 0 else "",
            timed_out=timed_out,
            output=await asyncio.to_thread(text, running.kept) if long else text(running.kept),
            total=running.kept.total,
            seconds=time.monotonic() - started,
            left_over=running.left,
        )

    async def aclose(self) -> None:
        """End everything that still runs."""
        everything = tuple(self._running)
        for running in everything:
            running.end()
        for running in everything:
            await self._end(running)

    async def _end(self, running: "_Running") -> None:
        running.end()
        await asyncio.wait({running.over}, timeout=PATIENCE)


class _Running:
    """One command on its way: its output, and the lifeline that keeps it alive."""

    def __init__(self, kept: OutputBuffer, output: Callable[[str], None]) -> None:
        self.kept, self._show = kept, output
        self._live = Live()
        self._loop = asyncio.get_running_loop()
        self.over: asyncio.Future[None] = self._loop.create_future()
        self.status = -signal.SIGKILL
        self.left = 0

    def start(self, command: Command, folder: int, environment: Mapping[str, str]) -> None:
        """Start the keeper; it starts the command. **Raises** `WorkspaceError`."""
        self._output, theirs = os.pipe()
        self._lifeline, other_end = socket.socketpair()
        handles = (other_end.fileno(), folder)
        try:
            self._keeper = subprocess.Popen(
                (*_KEEPER, *map(str, handles), *command.argv),
                stdin=subprocess.PIPE if command.stdin else subprocess.DEVNULL,
                stdout=theirs,
                stderr=theirs,
                bufsize=0,
                env=environment,
                pass_fds=handles,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            os.close(self._output)
            self._lifeline.close()
            raise WorkspaceError(f"{command.argv[0]} could not be started: {error}.") from error
        finally:
            os.close(theirs)
            other_end.close()
        ours.add(self._keeper.pid)
        self._loop.add_reader(self._output, self._read)
        self._loop.add_reader(self._lifeline, self._ended)

    async def feed(self, text: str) -> None:
        """Write to the command's standard input, at its pace; bytes that it does not read are dropped."""
        if self._keeper.stdin:
            data = await asyncio.to_thread(text.encode, "utf-8", "surrogatepass")
            pipe, _ = await self._loop.connect_write_pipe(asyncio.BaseProtocol, self._keeper.stdin)
            pipe.write(data)
            pipe.write_eof()

    def end(self) -> None:
        """Cut the lifeline: the keeper ends everything. Harmless when it has ended."""
        with suppress(OSError):
            self._lifeline.shutdown(socket.SHUT_WR)
            self._keeper.send_signal(signal.SIGCONT)  # in case the command had stopped it

    def _read(self) -> None:
        if data := os.read(self._output, _CHUNK):
            self.kept.feed(data)
            self._tell(self._live.feed(data))
            return
        self._close_output()
        if self._lifeline.fileno() < 0:
            self._finish()

    def _ended(self) -> None:
        """Read our end of the lifeline: the number of processes left running, or the keeper is gone."""
        with suppress(OSError):
            if told := self._lifeline.recv(16):
                self.left = int(told)
                return
        self._loop.remove_reader(self._lifeline)
        self._lifeline.close()
        self.status = self._keeper.wait()
        ours.discard(self._keeper.pid)
        self._bury(_ROUNDS if self.status < 0 else 0)

    def _bury(self, rounds: int) -> None:
        """End what a killed keeper left: its children are adopted one generation after the other."""
        if rounds and end_orphans():
            self._loop.call_later(_ROUND, self._bury, rounds - 1)
        elif self._output < 0:
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
        self._tell(self._live.finish())
        self.over.set_result(None)

    def _tell(self, text: str) -> None:
        if text:
            self._show(text)


def _name_of(number: int) -> str:
    return signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
