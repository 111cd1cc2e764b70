"""The filter of system calls in the sandbox, as the kernel reads it (seccomp(2)): a classic BPF program.

It closes what a command has no need of and what breaks out of sandboxes: tracing other processes, keys of the
kernel, mounts and namespaces, loading code into the kernel, io_uring (which works beside filters), kinds of
sockets other than those for programs, the internet and the network's state, and typing into a terminal.
"""

import errno
import platform
from collections.abc import Iterator, Mapping
from struct import pack

from agls.frozen import frozen

_LOAD, _RETURN = 0x20, 0x06  # bpf_common.h
_JUMP_IF_EQUAL, _JUMP_IF_ANY_BIT = 0x15, 0x45
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000  # SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO
_NUMBER, _ARCHITECTURE = 0, 4  # where struct seccomp_data has them
_FIRST, _SECOND = 16, 24  # the same for the first two arguments
_X32 = 0x40000000  # a second table of calls on x86-64
_NEW_NAMESPACES = 0x7E020080  # CLONE_NEW*: time, mount, cgroup, UTS, IPC, user, PID, network
_TYPING = (0x5412, 0x541C)  # ioctl: TIOCSTI, TIOCLINUX
AF_UNIX, AF_NETLINK = 1, 16
AF_INET, AF_INET6 = 2, 10

# Numbers on x86-64 and on aarch64.
_CLOSED = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    "unshare": (272, 97),
    "setns": (308, 268),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "syslog": (103, 116),
    "vhangup": (153, 58),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
}


@frozen
class CallNumbers:
    """One kind of processor: its mark in the kernel, its column above, and the calls that are looked into."""

    mark: int
    column: int
    socket: int
    ioctl: int
    clone: int
    clone3: int = 435


_MACHINES: Mapping[str, CallNumbers] = {
    "x86_64": CallNumbers(0xC000003E, 0, socket=41, ioctl=16, clone=56),
    "aarch64": CallNumbers(0xC00000B7, 1, socket=198, ioctl=29, clone=220),
}


def is_known(machine: str = "") -> bool:
    """Return whether there is a filter for this kind of processor ("": the one at hand)."""
    return (machine or platform.machine()) in _MACHINES


def program(families: tuple[int, ...], machine: str = "") -> bytes:
    """Return the filter that lets only these families of sockets through; pairs of sockets always work.

    **Raises** `KeyError` for an unknown kind of processor.
    """
    here = _MACHINES[machine or platform.machine()]
    return b"".join(_lines(here, families))


def _lines(here: CallNumbers, families: tuple[int, ...]) -> Iterator[bytes]:
    yield _line(_LOAD, _ARCHITECTURE)
    yield _line(_JUMP_IF_EQUAL, here.mark, skip_if=1)
    yield _refuse(errno.ENOSYS)  # programs for another processor would have other numbers
    yield _line(_LOAD, _NUMBER)
    yield _line(_JUMP_IF_ANY_BIT, _X32, skip_unless=1)
    yield _refuse(errno.ENOSYS)
    yield from _when(here.clone3, _refuse(errno.ENOSYS))  # its flags are out of reach: programs take clone
    for numbers in _CLOSED.values():
        yield from _when(numbers[here.column], _refuse(errno.EPERM))
    yield from _when(
        here.clone,
        _line(_LOAD, _FIRST),
        _line(_JUMP_IF_ANY_BIT, _NEW_NAMESPACES, skip_unless=1),
        _refuse(errno.EPERM),
        _line(_RETURN, _ALLOW),
    )
    typing = (line for call in _TYPING for line in _when(call, _refuse(errno.EPERM)))
    yield from _when(here.ioctl, _line(_LOAD, _SECOND), *typing, _line(_RETURN, _ALLOW))
    let_through = (line for family in families for line in _when(family, _line(_RETURN, _ALLOW)))
    yield from _when(here.socket, _line(_LOAD, _FIRST), *let_through, _refuse(errno.EAFNOSUPPORT))
    yield _line(_RETURN, _ALLOW)


def _when(value: int, *lines: bytes) -> Iterator[bytes]:
    """Yield the lines behind a look at whether what was loaded is this value."""
    yield _line(_JUMP_IF_EQUAL, value, skip_unless=len(lines))
    yield from lines


def _refuse(code: int) -> bytes:
    return _line(_RETURN, _REFUSE | code)


def _line(code: int, value: int, *, skip_if: int = 0, skip_unless: int = 0) -> bytes:
    return pack("HBBI", code, skip_if, skip_unless, value)
