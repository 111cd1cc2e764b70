"""Sessions and contents that end with the process, for where the state folder cannot be made."""

import hashlib
from collections.abc import Callable, Sequence

from agls.engine.facts import Entry
from agls.engine.ports import Journal, Store, Tail
from agls.engine.vocabulary import SessionRow
from agls.stores.blobs import BlobError, Blobs
from agls.stores.files import CannotKeep
from agls.stores.memory import MemoryStore

NOT_KEPT = "{} Until then this session is only in memory: it is gone when this process ends."


class WithFallback:
    """The port `Store` over another one; a session that has no place there lives in memory."""

    def __init__(self, files: Store) -> None:
        self._files, self._memory = files, MemoryStore()

    def create(self, session_id: str, asked: str = "") -> Journal:
        """Make a session. Its journal says in `trouble` why it is not kept. **Raises** `JournalError`."""
        try:
            return self._files.create(session_id, asked)
        except CannotKeep as problem:
            return self._memory.create(session_id, asked, trouble=NOT_KEPT.format(problem))

    def open(self, session_id: str) -> Journal:
        """Open the session for writing. **Raises** `JournalError`, `JournalBusy`."""
        return self._of(session_id).open(session_id)

    def peek(self, session_id: str) -> Sequence[Entry]:
        """Return the entries as they are now. **Raises** `JournalError`."""
        return self._of(session_id).peek(session_id)

    def follow(self, session_id: str) -> Tail:
        """Return the entries as they are made. **Raises** `JournalError`."""
        return self._of(session_id).follow(session_id)

    def delete(self, session_id: str) -> None:
        """Remove the session. **Raises** `JournalError`, `JournalBusy`."""
        self._of(session_id).delete(session_id)

    def share(self, session_id: str, fork_id: str) -> None:
        """Give a fork what is kept beside the entries of the session."""
        self._of(session_id).share(session_id, fork_id)

    def list(
        self, *, cwd: str = "", search: str = "", cursor: str = "", limit: int = 50
    ) -> tuple[Sequence[SessionRow], str]:
        """Return the sessions of the other store; those in memory where there is none.

        **Raises** `JournalError`.
        """
        if not self._memory.is_used:
            return self._files.list(cwd=cwd, search=search, cursor=cursor, limit=limit)
        return self._memory.list(cwd=cwd, search=search, cursor=cursor, limit=limit)

    def _of(self, session_id: str) -> Store:
        return self._memory if self._memory.has(session_id) else self._files


class MemoryBlobs:
    """Contents that end with the process."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    async def keep(self, data: bytes) -> str:
        """Keep these bytes. **Returns** their name (64 hex digits)."""
        name = hashlib.sha256(data).hexdigest()
        self._kept[name] = data
        return name

    async def read(self, name: str) -> bytes:
        """Return the bytes kept under this name. **Raises** `BlobError`."""
        if name not in self._kept:
            raise BlobError(f"The content {name[:80]} is not kept here (any more).")
        return self._kept[name]

    async def collect(self, max_age: float, max_bytes: int) -> int:
        """Remove nothing: the contents go with the process."""
        return 0


class BlobsWithFallback:
    """Contents on the disk; those of a process that has no place there are in memory."""

    def __init__(self, files: Blobs, has_place: Callable[[], bool]) -> None:
        self._files = files
        self._memory = MemoryBlobs()
        self._has_place = has_place

    async def keep(self, data: bytes) -> str:
        """Keep these bytes. **Returns** their name. **Raises** `BlobError`."""
        try:
            return await self._files.keep(data)
        except BlobError:
            if self._has_place():
                raise
            return await self._memory.keep(data)

    async def read(self, name: str) -> bytes:
        """Return the bytes kept under this name. **Raises** `BlobError`."""
        try:
            return await self._memory.read(name)
        except BlobError:
            return await self._files.read(name)

    async def collect(self, max_age: float, max_bytes: int) -> int:
        """Remove from the disk the contents that no session names (`Blobs.collect`). **Raises** `OSError`."""
        return await self._files.collect(max_age, max_bytes)
