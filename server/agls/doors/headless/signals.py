"""The signals that stop a run: what comes while the program is being loaded waits until it can be heard."""

import signal

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
