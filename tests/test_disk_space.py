"""Why a file cannot be written is said with the folder and a remedy, never with the number of the error."""

import errno
import os
import re

import pytest

from agls.disk_space import unsaved, why_unwritten


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.ENOSPC, "the disk of /there is full. Free some space"),
        (errno.EROFS, "/there is on a file system that is mounted read-only. Mount it for writing"),
        (errno.EACCES, "you may not write to /there. Change its owner or its mode (chmod u+rwx)"),
        (errno.ENOTDIR, "Not a directory (/there/new-1)."),
    ],
)
def test_error_of_the_file_system_becomes_a_remedy(number: int, said: str) -> None:
    error = OSError(number, os.strerror(number), "/there/new-1")
    shown = re.sub(r" \([\d,]+ KiB free\)", "", why_unwritten(error))
    assert shown.startswith(said)


def test_full_disk_without_a_name_still_has_its_remedy() -> None:
    assert why_unwritten(OSError(errno.ENOSPC, "No space left on device")) == (
        "the disk is full, or your quota of it. Free some space, then try again."
    )


def test_what_is_not_saved_is_said_with_why_and_what_to_do() -> None:
    error = PermissionError(13, "Permission denied", "/there/kept.toml")
    assert unsaved(error) == f"That cannot be saved: {why_unwritten(error)}"
    assert unsaved(error).endswith("Change its owner or its mode (chmod u+rwx), then try again.")
