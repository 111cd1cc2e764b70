"""The ways into the sandbox: what a command line begins with, and the descriptors that it needs."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from agls.frozen import frozen
from agls.workspace.sandbox import landlock, seccomp
from agls.workspace.sandbox.bubblewrap import arguments
from agls.workspace.sandbox.mounts import View

Views = Sequence[tuple[str, View]]
_INTERNET = (seccomp.AF_INET, seccomp.AF_INET6)  # in bubblewrap's namespace there is nobody to reach
NOTHING = "/dev/null"


@frozen
class Entrance:
    """The `words` in front of a command line, and its open `descriptors`, which somebody must `close`."""

    words: tuple[str, ...] = ()
    descriptors: tuple[int, ...] = ()

    def close(self) -> None:
        """Close the descriptors."""
        for descriptor in self.descriptors:
            os.close(descriptor)


Enter = Callable[[Views, str, str, bool], Entrance]
"""Opens an entrance for these views of the files, with this folder as `/tmp` ("": none), in this folder.

The last word is whether programs may use Unix sockets of their own, where the way allows that at all.

**Raises** `OSError` and `WorkspaceError`.
"""


def bubblewrap(program: str, folder: str) -> Enter:
    """Return the way by this program; `folder` ("": none) is for a file that nobody may open."""

    def enter(views: Views, temporary: str, cwd: str, sockets: bool) -> Entrance:
        cover = _cover(folder) if any(view == "closed" for _, view in views) else NOTHING
        families = (seccomp.AF_NETLINK, *_INTERNET, *((seccomp.AF_UNIX,) if sockets else ()))
        filter_ = _file("filter", seccomp.program(families))
        given = arguments(views, temporary, cwd, filter_, cover)
        words = _file("arguments", b"".join(os.fsencode(word) + b"\0" for word in given))
        return Entrance((program, "--args", str(words), "--"), (filter_, words))

    return enter


def by_landlock(views: Views, temporary: str, cwd: str, sockets: bool) -> Entrance:
    """Open the way by the kernel's own rules: no sockets to anybody, and the `/tmp` that all see."""
    rules = landlock.ruleset(views)
    filter_ = _file("filter", seccomp.program((seccomp.AF_NETLINK,)))
    return Entrance(landlock.words(rules, filter_), (rules, filter_))


def _cover(folder: str) -> str:
    """Return a file that nobody may open, an empty one where none can be made."""
    if not folder:
        return NOTHING
    with suppress(OSError):
        Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            os.close(os.open(f"{folder}/closed", os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0))
        return f"{folder}/closed"
    return NOTHING


def _file(name: str, content: bytes) -> int:
    """Return the descriptor of a file in memory with this content, to be read from its begin."""
    handle = os.memfd_create(name)
    os.write(handle, content)
    os.lseek(handle, 0, os.SEEK_SET)
    return handle
