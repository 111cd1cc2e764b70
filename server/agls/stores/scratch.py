"""A folder for each session, for files that nobody wants to keep: it goes with the session."""

import asyncio
import os
import shutil
from contextlib import suppress
from pathlib import Path

from agls.stores.disk import make_private
from agls.stores.rows import checked


class Scratch:
    """The folders `<state_dir>/scratch/<session id>`, made when they are needed."""

    def __init__(self, state_dir: Path) -> None:
        self._state_dir, self._folder = state_dir, Path(os.path.realpath(state_dir), "scratch")

    def path(self, session_id: str) -> Path:
        """Return where the session's folder is or would be; no link but itself is on the way to it."""
        return self._folder / checked(session_id)

    async def make(self, session_id: str) -> None:
        """Make the session's folder, for its user alone, when it is not there. **Raises** `OSError`."""
        await asyncio.to_thread(self._make, self.path(session_id))

    def remove(self, session_id: str) -> None:
        """Remove the session's folder and all that is in it; links in it are not followed.

        To be called off the event loop.

        **Raises** `OSError`.
        """
        folder = self.path(session_id)
        if folder.is_symlink() or folder.is_file():
            folder.unlink()
        elif folder.is_dir():
            _open_up(folder)
            shutil.rmtree(folder)

    def _make(self, folder: Path) -> None:
        make_private(self._state_dir)
        make_private(folder.parent)
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)


def _open_up(folder: Path) -> None:
    """Let everything below be removed: programs leave folders in which nothing may be changed."""
    folder.chmod(0o700)
    for here, names, _ in os.walk(folder):
        for below in (Path(here, name) for name in names):
            if not below.is_symlink():
                below.chmod(0o700)
