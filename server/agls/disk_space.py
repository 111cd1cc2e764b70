"""Why a disk takes no more, with what a person needs to mend that: the folder, and how much is free there."""

import os
from errno import EDQUOT, EFBIG, ENOSPC, EROFS
from pathlib import Path


def why_full(error: OSError, folder: Path) -> str:
    """Return why a folder takes no more, as a clause; "" when the error means something else."""
    if error.errno == ENOSPC:
        return f"the disk of {folder} is full{_free(folder)}"
    if error.errno == EDQUOT:
        return f"your disk quota for {folder} is used up"
    if error.errno == EFBIG:
        return f"a file in {folder} may not become larger (ulimit -f, or the file system)"
    return ""


def unsaved(error: OSError) -> str:
    """Return the sentence that something the user wanted kept is not, with why and what to do about it."""
    return f"That cannot be saved: {why_unwritten(error)}"


def why_unwritten(error: OSError) -> str:
    """Return why a file cannot be written, and what to do about it, in words that follow a colon."""
    folder = Path(error.filename).parent if isinstance(error.filename, str) else None
    there = str(folder or "the place of the file")
    if error.errno in {ENOSPC, EDQUOT, EFBIG}:
        full = why_full(error, folder) if folder else "the disk is full, or your quota of it"
        return f"{full}. Free some space, then try again."
    if error.errno == EROFS:
        return f"{there} is on a file system that is mounted read-only. Mount it for writing, then try again."
    if isinstance(error, PermissionError):
        return f"you may not write to {there}. Change its owner or its mode (chmod u+rwx), then try again."
    return f"{error.strerror or error} ({error.filename or 'no name'})."


def _free(folder: Path) -> str:
    """Return in brackets what is free on the disk of a folder, "" when it does not say."""
    try:
        disk = os.statvfs(next(each for each in (folder, *folder.parents) if each.exists()))
    except (OSError, StopIteration):
        return ""
    if not disk.f_favail and disk.f_files:
        return " (no more files fit on it)"
    return f" ({disk.f_bavail * disk.f_frsize // 1024:,} KiB free)"
