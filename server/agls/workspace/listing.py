"""What is in folders: one level with sizes, or every file that is not ignored."""

import os
import stat
import threading
from collections.abc import Callable

from agls.engine.ports import DirEntry
from agls.workspace.files import TEMPORARY, explained
from agls.workspace.handles import O_PATH, folder_beneath, open_beneath, opened
from agls.workspace.ignores import Rules
from agls.workspace.paths import LONGEST, Target

Parts = tuple[str, ...]
_READABLE = os.O_RDONLY | os.O_DIRECTORY


def list_folder(target: Target) -> list[DirEntry]:
    """The entries of a folder by name, nothing left out. Raises `WorkspaceError`."""
    with (
        explained(target.place.shown),
        folder_beneath(target.root.real, ()) as root,
        opened(open_beneath(root, target.parts, _READABLE)) as folder,
        os.scandir(folder) as entries,
    ):
        return sorted((_entry(entry) for entry in entries), key=lambda entry: entry.name)


def walk(
    target: Target, stop: threading.Event, hidden: Callable[[Parts], bool], *, leftovers: bool = False
) -> list[Parts]:
    """The files below a folder (or the file itself), as components under `target.root.real`.

    Links are not followed and not listed; `.git`, ignored and `hidden` files, folders that may not be
    read, names that are not UTF-8 and paths too long to be opened are left out. A folder asked for by
    name is walked even when it is ignored. With `leftovers` only what killed writes left behind is
    listed, else all but that. Ends early when `stop` is set. Raises `WorkspaceError` when the folder
    cannot be opened.
    """
    found: list[Parts] = []
    with explained(target.place.shown), folder_beneath(target.root.real, ()) as root:
        if _is_file(root, target.parts):
            return [target.parts]
        waiting = [(target.parts, _inherited(root, target.parts))]
        while waiting and not stop.is_set():
            parts, rules = waiting.pop()
            try:
                files, folders = _scan(root, parts, rules, hidden)
            except OSError:
                if parts == target.parts:
                    raise
                continue
            found += [file for file in files if file[-1].startswith(TEMPORARY) == leftovers]
            waiting += folders
    return found


def _is_file(root: int, parts: Parts) -> bool:
    with opened(open_beneath(root, parts, O_PATH)) as handle:
        return stat.S_ISREG(os.fstat(handle).st_mode)


def _inherited(root: int, parts: Parts) -> Rules:
    """The rules from above a folder; none when they would ignore the folder itself."""
    rules = Rules()
    for depth in range(len(parts)):
        with opened(open_beneath(root, parts[:depth], O_PATH)) as folder:
            rules = rules.within(folder, parts[:depth])
        if rules.ignore(parts[: depth + 1], folder=True):
            return Rules()
    return rules


def _scan(
    root: int, parts: Parts, rules: Rules, hidden: Callable[[Parts], bool]
) -> tuple[list[Parts], list[tuple[Parts, Rules]]]:
    files: list[Parts] = []
    folders: list[tuple[Parts, Rules]] = []
    with opened(open_beneath(root, parts, _READABLE)) as folder, os.scandir(folder) as entries:
        rules = rules.within(folder, parts)
        for entry in entries:
            here = (*parts, entry.name)
            if entry.name == ".git" or not _is_nameable(here) or hidden(here):
                continue
            if entry.is_dir(follow_symlinks=False) and not rules.ignore(here, folder=True):
                folders.append((here, rules))
            elif entry.is_file(follow_symlinks=False) and not rules.ignore(here, folder=False):
                files.append(here)
    return files, folders


def _is_nameable(parts: Parts) -> bool:
    is_utf8 = parts[-1].isascii() or not any("\udc80" <= char <= "\udcff" for char in parts[-1])
    return is_utf8 and sum(map(len, parts)) + len(parts) <= LONGEST


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
