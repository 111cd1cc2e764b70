"""The session's record as rooms may use it: the port `SessionRecord` over the session's log."""

from collections.abc import Callable, Sequence

from agls.engine.facts import Compacted, Entry, Expanded, Noted, SessionChanged, Used
from agls.engine.log import Log
from agls.engine.note_items import NoteItem
from agls.engine.vocabulary import Message
from agls.order import NOTES
from agls.room.session_ports import Observer


class SessionLog:
    """Implements `SessionRecord`."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def entries(self) -> Sequence[Entry]:
        """Return everything that happened so far."""
        return self._log.journal.entries()

    def watch(self, observer: Observer) -> Callable[[], None]:
        """Show the observer everything from now on. **Returns** a function that ends that."""
        return self._log.subscribe(observer)

    def shown(self, note: Noted) -> Sequence[NoteItem]:
        """**Returns** what the note of a room shows."""
        row = NOTES.rows.get((note.feature, note.kind))
        return row(note.data) if row else ()

    def spend(self, used: Used) -> None:
        """Record the spending of a room. **Raises** `JournalError`."""
        self._log.record(used)

    def retitle(self, title: str) -> None:
        """Give the session a title. **Raises** `JournalError`."""
        self._log.record(SessionChanged(title=title))

    async def compact(self, fact: Compacted | Expanded, messages: Sequence[Message]) -> bool:
        """Put a summary in the place of the beginning of these messages, or undo one, durably.

        **Returns** whether that was done. **Raises** `JournalError`.
        """
        if self._log.state.running or self._log.state.context.messages is not messages:
            return False
        self._log.record(fact)
        await self._log.sync()
        return True
