"""The user's keys, kept from the programs that agls starts: in variables, and in our memory."""

import ctypes
import sys
from collections.abc import Callable
from pathlib import Path

from agls.redaction import is_secret
from agls.workspace.orphans import adopt

_PR_SET_DUMPABLE = 4  # prctl(2)
_ENV_START, _ENV_END = 47, 48  # places in /proc/self/stat behind the name: proc(5)
_NEEDED = ("DBUS_", "XDG_", "SSH_AUTH_SOCK")  # addresses, which C libraries look up themselves


def harden() -> bool:
    """Hide this process's memory and environment from the same user's other processes, and adopt orphans.

    A child could otherwise read our keys in `/proc`. Doors call it first of all.

    **Returns** whether it worked; it only can on Linux.
    """
    if sys.platform != "linux":
        return False
    adopt()
    forget(lambda name: is_secret(name) and not name.startswith(_NEEDED))
    return ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) == 0


def forget(wanted: Callable[[str], bool]) -> None:
    """Wipe the values of these variables from the block that this process was started with.

    A user who may look into all processes, such as root, reads that block in `/proc`, whatever became of the
    variables since. Python's own copy, `os.environ`, stays as it is.
    """
    if sys.platform != "linux":
        return
    fields = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
    at, end = int(fields[_ENV_START]), int(fields[_ENV_END])
    for entry in ctypes.string_at(at, max(0, end - at)).split(b"\0"):
        name, _, value = entry.partition(b"=")
        if value and wanted(name.decode(errors="replace")):
            ctypes.memset(at + len(name) + 1, 0, len(value))
        at += len(entry) + 1
