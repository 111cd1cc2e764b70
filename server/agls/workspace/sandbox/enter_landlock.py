"""Enters the sandbox of Landlock and becomes another program: `enter_landlock.py RULES FILTER PROGRAM ...`.

The first two are descriptors: of the rules for files, and of the filter of calls. It is a program of its own,
which imports nothing of agls: both hold for what it becomes and can never be taken off again.
"""

import ctypes
import errno
import os
import sys

_NO_NEW_PRIVILEGES, _SECCOMP = 38, 22  # prctl(2)
_FILTER = 2  # SECCOMP_MODE_FILTER
_RESTRICT = 446  # landlock_restrict_self(2)
_CAPABILITIES = 0x20080522  # _LINUX_CAPABILITY_VERSION_3
_LINE = 8  # bytes of one line of a filter


class FilterProgram(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("lines", ctypes.c_char_p))


class NoCapabilities(ctypes.Structure):
    """What capset(2) takes: the version of the rest, the process, and three empty sets in two halves."""

    _fields_ = (("version", ctypes.c_uint32), ("process", ctypes.c_int32), ("sets", ctypes.c_uint32 * 6))


def main() -> None:
    """Enter it, and run the program; without the sandbox nothing runs."""
    rules, filter_ = int(sys.argv[1]), int(sys.argv[2])
    program = sys.argv[3]
    lines = os.pread(filter_, 1 << 16, 0)
    os.close(filter_)
    libc = ctypes.CDLL(None, use_errno=True)
    _check(libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    none = NoCapabilities(_CAPABILITIES)  # those of root reach past the rules: into the memory of others
    _check(libc.capset(ctypes.byref(none), ctypes.byref(none, NoCapabilities.sets.offset)))
    _check(libc.syscall(_RESTRICT, rules, 0))
    os.close(rules)
    _check(libc.prctl(_SECCOMP, _FILTER, ctypes.byref(FilterProgram(len(lines) // _LINE, lines)), 0, 0))
    try:
        os.execvp(program, sys.argv[3:])
    except OSError as error:
        os.write(2, f"{program}: {error.strerror}\n".encode(errors="replace"))
        os._exit(127 if error.errno == errno.ENOENT else 126)


def _check(result: int) -> None:
    if result < 0:
        reason = os.strerror(ctypes.get_errno())
        os.write(2, f"The sandbox could not be entered, so nothing was run: {reason}\n".encode())
        os._exit(126)


if __name__ == "__main__":
    main()
