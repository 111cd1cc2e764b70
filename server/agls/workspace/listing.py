"""The entries of a folder: one level, with sizes."""

import os

from agls.engine.ports import DirEntry
from agls.workspace.files import explained
from agls.workspace.handles import folder_beneath, open_beneath, opened
from agls.workspace.paths import ResolvedPath

_READABLE = os.O_RDONLY | os.O_DIRECTORY


def list_folder(target: ResolvedPath) -> list[DirEntry]:
    """Return the entries of a folder by name, nothing left out. **Raises** `WorkspaceError`."""
    with (
        explained(target.place.shown),
        folder_beneath(target.root.real, ()) as root,
        opened(open_beneath(root, target.parts, _READABLE)) as folder,
        os.scandir(folder) as entries,
    ):
        return sorted((_entry(entry) for entry in entries), key=lambda entry: entry.name)


def _entry(entry: os.DirEntry[str]) -> DirEntry:
    shown = os.fsencode(entry.name).decode("utf-8", "backslashreplace")
    if entry.is_symlink():
        return DirEntry(shown, "link")
    if entry.is_dir(follow_symlinks=False):
        return DirEntry(shown, "dir")
    if not entry.is_file(follow_symlinks=False):
        return DirEntry(shown, "other")
    return DirEntry(shown, "file", _size(entry))


def _size(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_size
    except OSError:  # removed just now
        return 0
