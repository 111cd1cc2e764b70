"""The end of a process that something still holds."""

import os
import threading


def die_after(seconds: float, code: int) -> threading.Timer:
    """End the process then, whatever it still does, unless the result is cancelled: nobody waits for it."""
    timer = threading.Timer(seconds, os._exit, (code,))
    timer.daemon = True
    timer.start()
    return timer
