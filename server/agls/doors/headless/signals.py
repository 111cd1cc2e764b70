"""The signals that stop a run: what comes while the program is being loaded waits until it can be heard."""

import signal
from collections.abc import Generator
from contextlib import contextmanager
from typing import NoReturn

STOPPING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
MASKED = hasattr(signal, "pthread_sigmask")  # not on Windows


def hold() -> None:
    """Let them wait."""
    if MASKED:
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)


def take() -> None:
    """Let them come, those that waited first."""
    if MASKED:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)


class Stopped(Exception):
    """One of them came while something was waited for."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


@contextmanager
def heard() -> Generator[None]:
    """Hear them while something is waited for; before and afterwards they wait. Raises `Stopped`."""
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
