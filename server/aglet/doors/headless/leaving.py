"""How a headless process is told to stop."""

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import suppress

from aglet.doors.headless.exits import Exit
from aglet.engine.session import Session


class Leaving:
    """SIGINT cancels the run, a second one leaves at once. SIGTERM, SIGHUP and a lost reader interrupt it.

    An interrupted run can be gone on with. Before there is a run, `task` is cancelled; when all is `over` but
    for output that nobody takes, every signal leaves at once. `stopping` is called when a run is cancelled.
    """

    def __init__(self, task: asyncio.Task[int], stopping: Callable[[], None]) -> None:
        self.task = task
        self._stopping = stopping
        self._session: Session | None = None
        self._cancelled = self._over = False
        self.interrupted = asyncio.Event()

    @property
    def code(self) -> Exit:
        """The exit code when no run had begun."""
        return Exit.CANCELLED if self._cancelled else Exit.FAILED

    def listen(self) -> None:
        """Take the signals."""
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError):  # Windows: there Ctrl-C cancels the main task by itself
            loop.add_signal_handler(signal.SIGINT, self.cancel)
            loop.add_signal_handler(signal.SIGTERM, self.interrupt)
            if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # started with nohup
                loop.add_signal_handler(signal.SIGHUP, self.interrupt)

    def runs(self, session: Session) -> None:
        """From now on there is a run to stop."""
        self._session = session

    def over(self) -> None:
        """From now on there is nothing to stop, only output to be taken."""
        self._over = True

    def lose_reader(self) -> None:
        """Nobody takes the output any more."""
        if not self._over:
            self.interrupt()

    def cancel(self) -> None:
        """Cancel the run; the second time leave at once."""
        if self._cancelled or self._over:
            os._exit(Exit.CANCELLED)
        self._cancelled = True
        if self._session:
            self._stopping()
            self._session.cancel(queued="drop")
        else:
            self.task.cancel()

    def interrupt(self) -> None:
        """End the run so that it can be gone on with."""
        if self._over:
            os._exit(Exit.FAILED)
        self.interrupted.set()
        if not self._session:
            self.task.cancel()
