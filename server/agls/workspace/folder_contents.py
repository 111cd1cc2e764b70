"""A bounded search of a folder for a wanted file."""

import os
from collections.abc import Callable
from pathlib import Path

MOST = 50_000  # entries that are looked at; a larger folder may hold everything


def holds(folder: str, wanted: Callable[[tuple[str, ...]], bool]) -> bool:
    """Return whether something below the folder is wanted, judged by its components from there.

    Links are not followed, but they are judged. A folder with too much in it counts as holding one.
    """
    seen = 0
    for path, folders, files in os.walk(folder):
        below = Path(path).relative_to(folder).parts
        seen += len(folders) + len(files)
        if seen > MOST or any(wanted((*below, name)) for name in (*folders, *files)):
            return True
    return False
