"""The storage of one process: on the disk, or nowhere but in memory."""

from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Protocol

from agls.engine.ledger import Ledger, NoLedger
from agls.engine.ports import Store
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.stores.blobs import Blobs
from agls.stores.fallback import BlobsWithFallback, MemoryBlobs, WithFallback
from agls.stores.files import FileStore
from agls.stores.ledger import DayLedger
from agls.stores.memory import MemoryStore
from agls.stores.record_file import RecordFile


class Contents(Protocol):
    """Bytes by the SHA-256 of them (hex). All methods raise `OSError` with a message for the user."""

    async def keep(self, data: bytes) -> str: ...
    async def read(self, name: str) -> bytes: ...
    async def collect(self, max_age: float, max_bytes: int) -> int: ...


@frozen(kw_only=True)
class Storage:
    """Sessions, contents, the ledger and the audit of one process.

    `write` adds a record to the audit, `tidy` removes what killed processes left; both raise `OSError`.
    """

    sessions: Store
    blobs: Contents
    ledger: Ledger
    write: Callable[[JsonObject, int, int], None]
    tidy: Callable[[], Awaitable[None]]


def on_disk(state_folder: Path, secrets: Callable[[], Iterable[str]]) -> Storage:
    """Return the storage of the state folder.

    Where that cannot be made, sessions and contents are in memory.
    """
    files = FileStore(state_folder)
    return Storage(
        sessions=WithFallback(files),
        blobs=BlobsWithFallback(Blobs(state_folder), (state_folder / "blobs").is_dir),
        ledger=DayLedger(state_folder, files.follow),
        write=RecordFile(files.records, secrets).add,
        tidy=files.tidy,
    )


def in_memory() -> Storage:
    """Return a storage with nothing on the disk and without a ledger of days."""
    return Storage(
        sessions=MemoryStore(), blobs=MemoryBlobs(), ledger=NoLedger(), write=_forget, tidy=_nothing
    )


def _forget(record: JsonObject, largest: int, keep: int) -> None:
    return None


async def _nothing() -> None:
    return None
