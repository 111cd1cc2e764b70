"""Shutdown of a headless process: by signals, or because nobody reads its output any more."""

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Protocol

from agls.doors.force_exit import force_exit_after
from agls.doors.headless import signals
from agls.doors.headless.exits import Exit

LOOSE_ENDS = 1.0  # seconds for threads after the output; one may look for a host that no name server knows


def see_through(work: Coroutine[Any, Any, int]) -> int:
    """Do the work of this process and return its exit code. A thread that hangs does not hold the process."""
    with asyncio.Runner() as runner:
        code = runner.run(work)
        end = force_exit_after(LOOSE_ENDS, code)
    end.cancel()
    return code


def nothing() -> None:
    """Do nothing before the process ends."""


class Stoppable(Protocol):
    """A run that can be stopped, at any time and more than once."""

    def cancel(self) -> None: ...
    def interrupt(self) -> None: ...


class Shutdown:
    """SIGINT cancels the run, a second one leaves at once. SIGTERM, SIGHUP and a lost reader interrupt it.

    An interrupted run can be continued. Before there is a run to end, `task` is cancelled; when all is `over`
    but for output that nobody takes, every signal leaves at once. `stopping` is called when a run is
    cancelled, `leaving` before the process ends at once, `back` when the process was suspended and goes on.
    """

    def __init__(
        self, task: asyncio.Task[int], stopping: Callable[[], None], back: Callable[[], None] = nothing
    ) -> None:
        self.leaving = nothing
        self._back = back
        self.task = task
        self._stopping = stopping
        self._run: Stoppable | None = None
        self._cancelled = self._over = False
        self.ends = False  # somebody wants the process to end, and not only its run

    @property
    def code(self) -> Exit:
        """The exit code when no run had begun."""
        return Exit.CANCELLED if self._cancelled else Exit.FAILED

    def listen(self) -> None:
        """Take the signals, also those that came before."""
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError):  # Windows: there Ctrl-C cancels the main task by itself
            loop.add_signal_handler(signal.SIGINT, self.cancel)
            loop.add_signal_handler(signal.SIGTERM, self.interrupt)
            loop.add_signal_handler(signal.SIGCONT, self._back)
            if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # started with nohup
                loop.add_signal_handler(signal.SIGHUP, self.interrupt)
        signals.take()

    def runs(self, run: Stoppable) -> None:
        """Take note that from now on there is a run to stop."""
        self._run = run

    def rests(self) -> None:
        """Take note that the run is over and the next one may come: a signal is again the first one."""
        self._run, self._cancelled = None, False

    def over(self) -> None:
        """Take note that from now on there is nothing to stop, only output to be taken."""
        self._over = True

    def lose_reader(self) -> None:
        """Interrupt the run: nobody takes the output any more."""
        if not self._over:
            self.interrupt()

    def cancel(self) -> None:
        """Cancel the run; the second time leave at once."""
        if self._cancelled or self._over:
            self.leaving()
            os._exit(Exit.CANCELLED)
        self._cancelled = True
        if self._run:
            self._stopping()
            self._run.cancel()
        else:
            self.task.cancel()

    def interrupt(self) -> None:
        """End the run so that it can be gone on with."""
        if self._over:
            self.leaving()
            os._exit(Exit.FAILED)
        self.ends = True
        if self._run:
            self._run.interrupt()
        else:
            self.task.cancel()
