"""Keeping the user's keys from what agls starts: which variables hold one, and who may read our memory."""

import ctypes
import re
import sys

_SECRET = re.compile(
    r"KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|AUTH|COOKIE|SESSION|PRIVATE|DSN", re.IGNORECASE
)
_PR_SET_DUMPABLE = 4  # prctl(2)


def is_secret(variable: str) -> bool:
    """Whether an environment variable of this name looks like it holds a secret."""
    return bool(_SECRET.search(variable))


def harden() -> bool:
    """Hide this process's memory and environment from the same user's other processes.

    A child could otherwise read our keys in `/proc`. Doors call it first of all. Gives whether it
    worked; it only can on Linux.
    """
    if sys.platform != "linux":
        return False
    return ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) == 0
