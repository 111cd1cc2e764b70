"""Notices that nobody is there any more: the client's process died, or its end of our output was closed."""

import os
import select
import threading
from collections.abc import Callable

PATIENCE = 1.8  # seconds from the end of the connection to the end of the process, whatever still works
INIT = 1  # the process that takes over the children of those that died: nobody's client
LOOK = 1_000  # milliseconds between two looks where the system cannot notify us


def watch(process_id: int | None, parent: int, output: int, gone: Callable[[], None]) -> None:
    """Call `gone` once, from a thread of its own, when the client's process or its reading end is gone.

    A `process_id` that names no process here (the client lives in another container) cannot be watched; then,
    and without one, the client is the `parent`, who started this process.
    """
    threading.Thread(
        target=_watch, args=(process_id, parent, output, gone), name="agls-watchdog", daemon=True
    ).start()


def _watch(process_id: int | None, parent: int, output: int, gone: Callable[[], None]) -> None:
    if process_id is None or not _alive(process_id):
        process_id = parent if parent > INIT else None
    if process_id == parent and os.getppid() != parent:  # it died before we could look
        gone()
        return
    poll = select.poll()
    poll.register(output, 0)  # errors and hang-ups are always reported
    pidfd = _open(process_id)
    if pidfd is not None:
        poll.register(pidfd, select.POLLIN)
    blind = process_id is not None and pidfd is None and _alive(process_id)
    while not poll.poll(LOOK if blind else None):
        if blind and process_id is not None and not _alive(process_id):
            break
    gone()


def _open(process_id: int | None) -> int | None:
    if process_id is None or not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(process_id)
    except OSError:
        return None


def _alive(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
