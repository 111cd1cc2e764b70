"""A session's transcript as a file that any editor can open: written once, then kept up to date."""

import asyncio
import os
from pathlib import Path

from aglet.doors.lsp.messages import JsonObject
from aglet.doors.markdown import markdown
from aglet.stores.disk import APPEND, make_private, replace_whole


class Transcript:
    """The page of one session. Until it follows a file, what happens is not kept here."""

    def __init__(self) -> None:
        self.opening = asyncio.Lock()
        self._file: Path | None = None

    @property
    def kept(self) -> bool:
        """Whether there is a file that follows the session."""
        return self._file is not None and self._file.is_file()

    def follow(self, file: Path, missed: list[JsonObject]) -> None:
        """From here on this file is kept up to date; it lacks only these events."""
        self._file = file
        self.take(missed)

    def take(self, events: list[JsonObject]) -> str:
        """Append what these events tell. Gives why that is not possible any more, "" when it is."""
        if self._file is None or not (text := markdown(events)):
            return ""
        try:
            descriptor = os.open(self._file, APPEND)
            try:
                os.write(descriptor, text.encode("utf-8", "replace"))
            finally:
                os.close(descriptor)
        except OSError as problem:
            self._file = None
            return f"{problem.strerror}. The command aglet.transcript writes it anew."
        return ""


def write_page(file: Path, page: str) -> None:
    """Make the file anew, wholly or not at all, for the user only. Blocks. Raises `OSError`."""
    make_private(file.parent)
    replace_whole(file, page.encode("utf-8", "replace"))
