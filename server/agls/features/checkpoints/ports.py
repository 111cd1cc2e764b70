"""What the room needs besides the engine's ports: files as bytes, and a place to keep bytes."""

from typing import Protocol

from agls.diff import Patch
from agls.engine.ports import Place
from agls.engine.vocabulary import FileChange, FileVersion


class Found(Protocol):
    """What stands at a path: `data` is `None` where there is no file, or for a `problem` in reading it.

    `hash` is the SHA-256 of the bytes, `digest` the same for texts that an editor holds to be the same (""
    for what is no text); `known_as` are all hashes that others use for this content. `stamp` stands for the
    content where it was not read. `edits` is the editor's count of changes, 0 when the file is not open;
    `on_disk` is the hash of what the disk has ("": no file), `version` what `Files.put` expects.
    """

    @property
    def place(self) -> Place: ...
    @property
    def data(self) -> bytes | None: ...
    @property
    def problem(self) -> str: ...
    @property
    def stamp(self) -> str: ...
    @property
    def hash(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def known_as(self) -> tuple[str, ...]: ...
    @property
    def edits(self) -> int: ...
    @property
    def on_disk(self) -> str: ...
    @property
    def version(self) -> FileVersion: ...
    @property
    def mode(self) -> int: ...


class Files(Protocol):
    """Files as bytes; an open document counts as it would be saved. All methods raise `WorkspaceError`.

    `put` changes an open document by one edit, a file that is not open atomically, and raises `Stale` when
    it is no longer at `expected` (hash "": absent). `None` is no file.
    """

    def open_documents(self) -> list[str]: ...
    async def look(self, path: str, max_bytes: int) -> Found: ...
    async def diff(self, path: str, before: bytes | None, after: bytes | None) -> Patch: ...
    async def put(
        self, path: str, data: bytes | None, expected: FileVersion, *, mode: int = ..., label: str = ...
    ) -> FileChange: ...


class Blobs(Protocol):
    """Bytes by the SHA-256 of them (hex). All methods raise `OSError` with a message for the user.

    `collect` removes what no session names any more, at most once a day.
    """

    async def keep(self, data: bytes) -> str: ...
    async def read(self, name: str) -> bytes: ...
    async def collect(self, max_age: float, max_bytes: int) -> int: ...
