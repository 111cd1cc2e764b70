"""The index of a repository as a file: kept, and put back as git itself would write it.

`git read-tree` would lose what no tree has: skip-worktree, assume-unchanged, and files that are only meant
to be added. Source: gitformat-index(5); `index.lock` is how git excludes another writer.
"""

import os
from contextlib import suppress
from pathlib import Path

from agls.engine.ports import WorkspaceError

LOCKED = "What is staged could not be put back as it was: another git works here ({} is there)."
FAILED = "What is staged could not be put back as it was: {}"


def read_index(file: Path) -> bytes | None:
    """**Returns** what is in the index, `None` where nothing was ever staged. **Raises** `WorkspaceError`."""
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise WorkspaceError(f"What is staged cannot be read: {problem}") from None


def put_back(file: Path, before: bytes | None) -> None:
    """Make the index what it was, unless it is. **Raises** `WorkspaceError`."""
    if read_index(file) == before:
        return
    lock = file.with_name(f"{file.name}.lock")
    try:
        handle = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o666)
    except FileExistsError:
        raise WorkspaceError(LOCKED.format(lock)) from None
    except OSError as problem:
        raise WorkspaceError(FAILED.format(problem)) from None
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(before or b"")
        if before is None:
            file.unlink(missing_ok=True)
        else:
            lock.replace(file)
    except OSError as problem:
        raise WorkspaceError(FAILED.format(problem)) from None
    finally:
        with suppress(OSError):
            lock.unlink(missing_ok=True)
