"""The editor's own undo, which LSP shows as any other edit: found by looking at what was undone here."""

import asyncio
from contextlib import suppress

from agls.diff import lines_of
from agls.doors.agent.attached import Attached
from agls.doors.lsp.connection import LspConnection
from agls.doors.lsp.plain.changes import of_file
from agls.engine.ports import JournalError
from agls.room.agent_changes import changes_of, changes_read
from agls.room.editor_undo import verdicts


class EditorUndo:
    """Looks, after each edit of the user, whether a change that was undone stands again, or is gone again."""

    def __init__(self, connection: LspConnection) -> None:
        self._connection = connection
        self._edited = dict[str, None]()
        self._woken = asyncio.Event()

    def edited(self, uri: str) -> None:
        """Take in that the user edited this document."""
        journals = [attached.session.log.journal for attached in self._connection.attached.values()]
        if any(of_file(changes_read(journal).once_undone(), uri) for journal in journals):
            self._edited[uri] = None
            self._woken.set()

    async def follow(self) -> None:
        """Record what was undone or done again, until cancelled. What a later edit passed by is left out."""
        while True:
            await self._woken.wait()
            self._woken.clear()
            while self._edited:
                uri = next(iter(self._edited))
                del self._edited[uri]
                for session_id, attached in list(self._connection.attached.items()):
                    with suppress(JournalError):  # whoever asks what waits hears why that cannot be read
                        await self._look(session_id, attached, uri)

    async def _look(self, session_id: str, attached: Attached, uri: str) -> None:
        known = await changes_of(attached.session.log.journal)
        buffer = self._connection.buffer(uri)
        if buffer and self._connection.attached.get(session_id) is attached:
            for noted in list(verdicts(of_file(known.once_undone(), uri), lines_of(buffer.text))):
                attached.session.log.record(noted)
            await changes_of(attached.session.log.journal)
