"""A bounded search of a folder for a wanted file."""

import os
from collections.abc import Callable
from itertools import islice
from os.path import realpath
from pathlib import Path

from agls.workspace.git_programs import tracked_names

MOST = 50_000  # folders that are looked at; a larger one may hold everything


def holds(folder: str, wanted: Callable[[str], bool]) -> bool:
    """Return whether something below the folder is wanted, judged by its path.

    Links are judged, and followed, as some programs do. A folder with too much in it counts as holding one.
    """
    waiting = [folder]
    met = set(waiting)
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                below = [(entry.path, entry.is_symlink(), entry.is_dir()) for entry in entries]
        except OSError:  # it is no folder, or nobody may look into it
            continue
        for path, is_link, is_folder in below:
            real = realpath(path) if is_link else path
            if wanted(path) or (is_link and wanted(real)):
                return True
            if is_folder and real not in met:
                met.add(real)
                waiting.append(real)
        if len(met) > MOST:
            return True
    return False


def holds_or_held(folder: str, wanted: Callable[[str], bool]) -> bool:
    """Return the same also for a file that git keeps there, though it is gone from the disk.

    Of the past it says nothing, nor of an index that is not one small file.
    """
    if holds(folder, wanted):
        return True
    try:
        return any(wanted(f"{folder}/{name}") for name in islice(tracked_names(Path(folder)), MOST))
    except (OSError, ValueError):
        return False
