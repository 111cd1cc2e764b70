"""The signals that stop a run: those that come while the program is loaded wait until they can be handled."""

import signal
from collections.abc import Generator
from contextlib import contextmanager
from typing import NoReturn

STOPPING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
MASKED = hasattr(signal, "pthread_sigmask")  # not on Windows


def hold() -> None:
    """Block the signals: they wait."""
    if MASKED:
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)


def take() -> None:
    """Unblock the signals, those that waited first."""
    if MASKED:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)


class Stopped(Exception):
    """One of the signals came during a wait."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


@contextmanager
def heard() -> Generator[None]:
    """Handle the signals during a wait; before and afterwards they are blocked. **Raises** `Stopped`."""
    before = {number: signal.getsignal(number) for number in STOPPING}
    listening = [number for number, handler in before.items() if handler is not signal.SIG_IGN]
    for number in listening:
        signal.signal(number, _stop)
    try:
        take()
        yield
    finally:
        hold()
        for number in listening:
            signal.signal(number, before[number])


def _stop(number: int, _: object) -> NoReturn:
    raise Stopped(number)
