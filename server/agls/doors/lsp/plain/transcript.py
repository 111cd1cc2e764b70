"""A session's transcript as a file that is kept up to date, and as a virtual document."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

from agls.doors.agent.peer import Peer
from agls.doors.lsp.initialize import SCHEME
from agls.doors.messages import JsonObject
from agls.regex import regex
from agls.stores.disk import APPEND, make_private, replace_whole
from agls.views.render.markdown import markdown

_VIRTUAL = regex(rf"{SCHEME}:(?://)?/transcript/(\w+)\.md")


class TranscriptPage:
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

    def take(self, events: Sequence[JsonObject]) -> str:
        """Append what these events say. **Returns** why that is no longer possible, "" when it is."""
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
            return f"{problem.strerror}. The command agls.transcript writes it anew."
        return ""


def virtual_uri(session_id: str) -> str:
    """The URI of the virtual document that holds a session's transcript."""
    return f"{SCHEME}:/transcript/{session_id}.md"


def session_of(uri: str) -> str:
    """The session whose transcript this URI names, "" when it names none. Some write an empty authority."""
    named = _VIRTUAL.fullmatch(uri)
    return named[1] if named else ""


class VirtualPage:
    """The transcript of one session as a document that the client reads from the server (LSP 3.18).

    Each reading is followed by at most one word that there is more: then the client reads again, or not.
    """

    def __init__(self, peer: Peer, uri: str) -> None:
        self._peer, self._uri = peer, uri
        self._fresh = False  # whether the client has read what there is

    def was_read(self) -> None:
        """The client reads it now."""
        self._fresh = True

    def take(self, events: Sequence[JsonObject]) -> None:
        """Take in that these events were sent: a client that shows the page may want it anew."""
        if self._fresh and markdown(events):
            self._fresh = False
            self._peer.request_and_forget("workspace/textDocumentContent/refresh", {"uri": self._uri})


def write_page(file: Path, page: str) -> None:
    """Make the file anew, wholly or not at all, for the user only. Blocks. **Raises** `OSError`."""
    make_private(file.parent)
    replace_whole(file, page.encode("utf-8", "replace"))
