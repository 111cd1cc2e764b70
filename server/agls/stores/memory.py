"""Sessions that are gone with the process: for tests, demos and throw-away runs."""

from collections.abc import Callable, Sequence
from uuid import uuid4

from agls.engine.facts import Entry, Fact
from agls.engine.ports import Journal, JournalBusy, JournalError, NoSuchSession, Tail
from agls.engine.vocabulary import SessionRow
from agls.stores.rows import at_rest, checked, cursor_after, place_of, summarise, terms
from agls.stores.unkept import NothingKept


class MemoryJournal(NothingKept):
    """A list of entries with a writer; `trouble` is why it is only in memory, where that needs a reason."""

    damage = ""

    def __init__(
        self, session_id: str, epoch: str, entries: list[Entry], asked: str, trouble: str = ""
    ) -> None:
        self.session_id, self.trouble = session_id, trouble
        self.epoch, self.asked = epoch, asked
        self.closed = False
        self._entries = entries

    def append(self, *entries: Entry) -> None:
        """Add the entries."""
        self._require_writer()
        for entry in entries:
            if entry.seq != len(self._entries) + 1:
                raise ValueError(f"entry {entry.seq} cannot follow entry {len(self._entries)}")
            self._entries.append(entry)

    async def sync(self, later: float = 0.0) -> None:
        """Do nothing: nothing here outlives the process."""
        self._require_writer()

    def entries(self, after: int = 0) -> Sequence[Entry]:
        """Return the entries behind number `after`."""
        return self._entries[after:]

    def of(self, kind: type[Fact], after: int = 0) -> Sequence[Entry]:
        """Return the entries behind number `after` with a fact of this kind."""
        return [entry for entry in self._entries[after:] if isinstance(entry.fact, kind)]

    def close(self) -> None:
        """Let another writer have it."""
        self.closed = True

    def _require_writer(self) -> None:
        if self.closed:
            raise JournalError(f"Session {self.session_id} is closed: open it again to write to it.")


class MemoryTail(NothingKept):
    """The port `Tail` over a session of a `MemoryStore`."""

    trouble = ""
    damage = ""

    def __init__(self, session_id: str, last: Callable[[str], MemoryJournal]) -> None:
        self.session_id, self._last = session_id, last
        self.epoch, self.asked = last(session_id).epoch, last(session_id).asked

    def more(self) -> None:
        """Do nothing: everything is here at once. **Raises** `JournalError` when the session is gone."""
        self._last(self.session_id)

    def held(self) -> bool:
        """Return whether somebody writes the session."""
        return not self._last(self.session_id).closed

    def append(self, *entries: Entry) -> None:
        """Refuse: somebody else writes this session. **Raises** `JournalBusy`."""
        raise _busy(self.session_id)

    async def sync(self, later: float = 0.0) -> None:
        """Refuse, as `append` does. **Raises** `JournalBusy`."""
        raise _busy(self.session_id)

    def entries(self, after: int = 0) -> Sequence[Entry]:
        """Return the entries behind number `after`."""
        return self._last(self.session_id).entries(after)

    def of(self, kind: type[Fact], after: int = 0) -> Sequence[Entry]:
        """Return the entries behind number `after` with a fact of this kind."""
        return self._last(self.session_id).of(kind, after)

    def close(self) -> None:
        """Do nothing: there is nothing to let go of."""


class MemoryStore:
    """The port `Store` without a disk."""

    def __init__(self) -> None:
        self._journals: dict[str, MemoryJournal] = {}

    @property
    def is_used(self) -> bool:
        """Whether there is any session."""
        return bool(self._journals)

    def has(self, session_id: str) -> bool:
        """Return whether it has this session."""
        return session_id in self._journals

    def create(self, session_id: str, asked: str = "", *, trouble: str = "") -> Journal:
        """Make a session. **Raises** `JournalError` when there is one with this id."""
        if checked(session_id) in self._journals:
            raise JournalError(f"There is already a session {session_id}.")
        return self._held(MemoryJournal(session_id, uuid4().hex, [], asked, trouble))

    def open(self, session_id: str) -> Journal:
        """Return the session, for writing. **Raises** `JournalError`, `JournalBusy`."""
        last = self._last(session_id)
        if not last.closed:
            raise _busy(session_id)
        entries = list(last.entries())
        return self._held(MemoryJournal(session_id, last.epoch, entries, last.asked, last.trouble))

    def peek(self, session_id: str) -> Sequence[Entry]:
        """Return the entries as they are now. **Raises** `JournalError`."""
        return self._last(session_id).entries()

    def follow(self, session_id: str) -> Tail:
        """Return the entries as they are made. **Raises** `JournalError`."""
        return MemoryTail(session_id, self._last)

    def delete(self, session_id: str) -> None:
        """Remove the session. **Raises** `JournalError`, `JournalBusy`."""
        self.open(session_id)
        del self._journals[session_id]

    def share(self, session_id: str, fork_id: str) -> None:
        """Do nothing: there is nothing beside the entries."""

    def list(
        self, *, cwd: str = "", search: str = "", cursor: str = "", limit: int = 50
    ) -> tuple[Sequence[SessionRow], str]:
        """Return the sessions that have entries, newest first, and the next cursor.

        **Raises** `JournalError`.
        """
        wanted, limit = terms(search), max(limit, 1)
        rows: list[SessionRow] = []
        for session_id, journal in self._journals.items():
            if entries := journal.entries():
                row, text = summarise(session_id, entries)
                if cwd in {"", row.cwd} and all(term in text for term in wanted):
                    rows.append(at_rest(row) if journal.closed else row)
        rows.sort(key=_age, reverse=True)
        if cursor:
            rows = [row for row in rows if _age(row) < place_of(cursor)]
        return rows[:limit], cursor_after(rows[limit - 1]) if len(rows) > limit else ""

    def _held(self, journal: MemoryJournal) -> Journal:
        self._journals[journal.session_id] = journal
        return journal

    def _last(self, session_id: str) -> MemoryJournal:
        try:
            return self._journals[checked(session_id)]
        except KeyError:
            raise NoSuchSession(f"There is no session {session_id}.") from None


def _busy(session_id: str) -> JournalBusy:
    return JournalBusy(f"Session {session_id} is already open: close it there first.")


def _age(row: SessionRow) -> tuple[float, str]:
    return row.updated_at, row.session_id
