"""The repository around a workspace: which folders lie above it, and the small files they hold for it."""

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from agls.workspace.path_stamps import PathStamps

LARGEST = 1_000_000  # bytes of such a file


def folders_above(folder: str) -> Sequence[Path]:
    """Return the folders above this absolute one up to the root of its repository, the root first.

    There are none when this folder is the root, when nothing above is one, and when somebody else owns a
    folder on the way: they could put files there.
    """
    found: list[Path] = []
    here = folder.rstrip("/")
    if is_repository(here):
        return ()
    while here:
        here = here.rpartition("/")[0]
        if not _is_ours(here or "/"):
            return ()
        found.append(Path(here or "/"))
        if is_repository(here):
            return found[::-1]
    return ()


def look_above(folder: str, looked_at: PathStamps) -> None:
    """Look at everything that decides which folders above this one there are."""
    here = folder.rstrip("/")
    while here and not looked_at.exists(f"{here}/.git"):
        here = here.rpartition("/")[0]
        looked_at.add(here or "/")


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


def is_repository(folder: str) -> bool:
    """Return whether this folder is the root of a repository, or of a worktree of one."""
    return os.path.exists(f"{folder}/.git")  # noqa: PTH110 - every run asks several times


def _is_ours(folder: str) -> bool:
    try:
        return os.stat(folder).st_uid == os.geteuid()  # noqa: PTH116 - the same
    except OSError:
        return False
