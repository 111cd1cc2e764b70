"""The arguments of bubblewrap (bwrap(1)), which starts a program in namespaces of its own.

In them there is no network but one of its own, no process outside of the sandbox, no other user's rights, and
of the files what `mounts` says. All of it ends with the program: its first process is that of the namespace.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from agls.workspace.sandbox.mounts import View

ALONE = (
    "--unshare-user",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--disable-userns",
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
)
# In /proc are switches of the whole system, which are open to root even in namespaces.
_BASE = ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc")
_VIEWS = {"writable": "--bind", "readable": "--ro-bind"}


def arguments(
    views: Sequence[tuple[str, View]], temporary: str, cwd: str, filter_: int, cover: str
) -> tuple[str, ...]:
    """Return the arguments for these views of the files, in the folder `cwd`.

    `temporary` is what programs see as `/tmp` ("": an empty folder), `filter_` the descriptor with the filter
    of system calls, `cover` a file that nobody may open.
    """
    return (
        *ALONE,
        *_BASE,
        *(("--bind", temporary, "/tmp") if temporary else ("--tmpfs", "/tmp")),
        *_mounts(views, cover),
        "--chdir",
        cwd,
        "--seccomp",
        str(filter_),
    )


def _mounts(views: Sequence[tuple[str, View]], cover: str) -> Iterator[str]:
    covered: list[str] = []
    for path, view in views:
        if view in _VIEWS:
            yield from (_VIEWS[view], path, path)
        elif Path(path).is_dir():
            covered.append(path)
            yield from (*(("--perms", "0000") if view == "closed" else ()), "--tmpfs", path)
        else:
            yield from ("--ro-bind", cover if view == "closed" else "/dev/null", path)
    for path in covered:
        yield from ("--remount-ro", path)
