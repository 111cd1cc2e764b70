"""The moments at which each open document and the disk last held the same, so a difference shows who changed.

LSP has no "modified" flag. A document is looked at when it is opened and when it is saved; these are the
moments at which editor and disk agree. This knowledge belongs to the editor and outlives every run. Line ends
and a byte order mark do not count as differences, because editors normalise them.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from enum import Enum

from agls.engine.ports import WorkspaceError
from agls.frozen import frozen
from agls.workspace.decoding import Binary, decode
from agls.workspace.files import find_stamp, find_stored, is_settled
from agls.workspace.paths import Ground, ResolvedPath
from agls.workspace.texts import hash_of, with_plain_ends
from agls.workspace.uris import is_file_uri

COMPARED = 50_000_000  # bytes of a file that is compared with its document
_ANYTHING = Ground("/")  # documents may lie anywhere; they are hashed, never shown


@frozen
class Buffer:
    """An open document as the editor last sent it; `version` is the editor's own count."""

    uri: str
    version: int
    text: str


class SyncState(Enum):
    """The relation of a document to the disk."""

    CLEAN = "the same text"
    DIRTY = "the document has unsaved changes"
    BEHIND = "the disk changed, the document did not"
    CONFLICT = "both changed"


UNSAVED = frozenset({SyncState.DIRTY, SyncState.CONFLICT})


@frozen
class DiskState:
    """The state of a file on the disk: the hash of its bytes ("" for no file), digest of its text, mode.

    `digest` is what editors compare, "" for what is no text. It is `guessed` when the encoding is, so that
    the editor may rightly show another text.
    """

    hash: str
    digest: str = ""
    mode: int = 0o644
    guessed: bool = False


ABSENT = DiskState("")
INCOMPARABLE = DiskState("incomparable")
OTHER = "other"  # stands for the hash of bytes that are not there any more


class BufferSync:
    """The last common state of the open documents of one editor and the disk, by URI."""

    def __init__(self) -> None:
        self._agreed: dict[str, DiskState] = {}
        self._seen: dict[str, tuple[tuple[int, ...], DiskState]] = {}  # by path
        self._looking: dict[str, asyncio.Future[DiskState]] = {}  # by URI: comparisons under way
        self._written: dict[str, str] = {}  # by URI: the text as agents left it, of which nothing was typed

    def opened(self, buffer: Buffer) -> None:
        """Compare a document with the disk: it was opened just now."""
        self.closed(buffer.uri)
        self._compare(buffer, self.judge)

    def saved(self, buffer: Buffer) -> None:
        """Compare a document with the disk: the editor wrote this text just now."""
        self._compare(buffer, self._save)

    def closed(self, uri: str) -> None:
        """Forget a document."""
        self._looking.pop(uri, None)
        self._agreed.pop(uri, None)
        self._written.pop(uri, None)

    async def settle(self) -> None:
        """Wait for the comparisons that are under way."""
        if looking := set(self._looking.values()):
            await asyncio.wait(looking)
            await asyncio.sleep(0)  # their callbacks run first

    def look(self, target: ResolvedPath) -> DiskState:
        """Return the state of this file on the disk. Blocks; reads a file again only after a change."""
        return self.known(target) or self._look_again(target)

    def known(self, target: ResolvedPath) -> DiskState | None:
        """Return the state of this file on the disk when no byte has to be read for it."""
        stamp = find_stamp(target)
        if stamp is None:
            return ABSENT
        known = self._seen.get(target.place.path)
        return known[1] if known and known[0] == stamp else None

    def _look_again(self, target: ResolvedPath) -> DiskState:
        stamp = find_stamp(target)
        if stamp is None:
            return ABSENT
        held = _read(target)
        if is_settled(stamp):
            self._seen[target.place.path] = stamp, held
        return held

    def judge(self, buffer: Buffer, held: DiskState) -> SyncState:
        """Return the relation of this document to this state of the disk."""
        digest, agreed = digest_of(buffer.text), self._agreed.get(buffer.uri)
        if digest == held.digest:
            self._agreed[buffer.uri] = held
            return SyncState.CLEAN
        if agreed and held.digest and (agreed.hash, agreed.digest) == (held.hash, digest):
            return SyncState.CLEAN  # what the editor made of this text when it saved
        if agreed is None:  # a difference at the first look was typed: only a later change is the disk's
            self._agreed[buffer.uri] = replace(held, digest="")
            return SyncState.DIRTY
        if agreed.hash == held.hash or (held.hash and not held.digest):
            return SyncState.DIRTY
        return SyncState.BEHIND if agreed.digest == digest and not held.guessed else SyncState.CONFLICT

    def agree(self, buffer: Buffer, held: DiskState) -> None:
        """Take the disk as known to this document, whose next text is made from it."""
        self._agreed[buffer.uri] = held

    def wrote(self, before: Buffer, standing: SyncState, after: Buffer) -> None:
        """Record that an agent made `after` of a document in this relation to the disk."""
        if standing not in UNSAVED or self.is_written(before):
            self._written[after.uri] = hash_of(after.text)
        else:
            self._written.pop(after.uri, None)

    def is_written(self, buffer: Buffer) -> bool:
        """Return whether nobody typed into this document since an agent wrote it."""
        return self._written.get(buffer.uri) == hash_of(buffer.text)

    def _save(self, buffer: Buffer, held: DiskState) -> None:
        digest = digest_of(buffer.text)
        ended = digest_of(f"{buffer.text}\n")  # an editor may end the last line in the file alone
        same = held.digest in (digest, ended) or (held.hash and (held.guessed or not held.digest))
        self._agreed[buffer.uri] = replace(held, hash=held.hash if same else OTHER, digest=digest)

    def _compare(self, buffer: Buffer, settle: Callable[[Buffer, DiskState], object]) -> None:
        if not is_file_uri(buffer.uri):
            return
        looking = asyncio.get_running_loop().run_in_executor(None, self._locate_and_look, buffer.uri)
        self._looking[buffer.uri] = looking

        def looked(future: asyncio.Future[DiskState]) -> None:
            if self._looking.get(buffer.uri) is future:  # no newer look began
                del self._looking[buffer.uri]
                if not future.cancelled():
                    settle(buffer, future.result())

        looking.add_done_callback(looked)

    def _locate_and_look(self, uri: str) -> DiskState:
        try:
            return self.look(_ANYTHING.locate(uri))
        except WorkspaceError:  # a URI that names no file of this machine
            return ABSENT


def _read(target: ResolvedPath) -> DiskState:
    try:
        stored = find_stored(target, COMPARED)
        if stored is None:
            return ABSENT
        text, encoding = decode(stored.data)
        return DiskState(stored.hash, digest_of(text), stored.mode, encoding.guessed)
    except (WorkspaceError, Binary):
        return INCOMPARABLE


def digest_of(text: str) -> str:
    """Return a digest that is equal for texts that an editor holds to be the same."""
    return hash_of(with_plain_ends(text))
