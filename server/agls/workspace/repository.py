"""The repository around a workspace: which folders lie above it, and the small files they hold for it."""

import os
import stat
from collections.abc import Sequence
from pathlib import Path

LARGEST = 1_000_000  # bytes of such a file


def folders_above(folder: str) -> Sequence[Path]:
    """Return the folders above this one up to the root of its repository, the root first.

    There are none when this folder is the root, when nothing above is one, and when somebody else owns a
    folder on the way: they could put files there.
    """
    found: list[Path] = []
    here = Path(folder)
    if _is_root(here):
        return ()
    for above in here.parents:
        if not _is_ours(above):
            return ()
        found.append(above)
        if _is_root(above):
            return found[::-1]
    return ()


def read_above(folder: Path, names: Sequence[str]) -> tuple[str, str] | None:
    """Return the first of these files that there is in a folder, and its text; `None` when none can be read.

    Links, files of somebody else and files that are no text are left out.
    """
    for name in names:
        file = folder / name
        try:
            with os.fdopen(os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as stream:
                status = os.fstat(stream.fileno())
                if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid():
                    return str(file), stream.read(LARGEST).decode("utf-8-sig")
        except (OSError, UnicodeDecodeError):
            continue
    return None


def _is_root(folder: Path) -> bool:
    return (folder / ".git").exists()


def _is_ours(folder: Path) -> bool:
    try:
        return folder.stat().st_uid == os.geteuid()
    except OSError:
        return False
