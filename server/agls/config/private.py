"""Small files of our own: private, and replaced as a whole."""

import json
from pathlib import Path

from agls.engine.vocabulary import JsonObject
from agls.stores.disk import replace_whole


def identity(folder: Path) -> tuple[str, list[int]]:
    """What a folder really is: its path with links resolved, its device and inode. Raises `OSError`."""
    real = folder.resolve(strict=True)
    status = real.stat()
    return str(real), [status.st_dev, status.st_ino]


def replace_file(file: Path, content: JsonObject) -> None:
    """Make this the content of the file, wholly or not at all, for the user only. Raises `OSError`."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    replace_whole(file, json.dumps(content).encode())
