"""The forced end of a process that a thread still holds."""

import os
import threading


def force_exit_after(seconds: float, code: int) -> threading.Timer:
    """End the process with this exit code after some seconds, whatever it still does.

    **Returns** the timer; cancel it to let the process go on.
    """
    timer = threading.Timer(seconds, os._exit, (code,))
    timer.daemon = True
    timer.start()
    return timer
