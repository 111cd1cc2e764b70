"""The editor's truth: which open document stands for a path, and whether it or the disk is right.

LSP has no "modified" flag. A document is clean while its text is what the disk holds; the last such
moment is remembered, so that later a difference tells who changed: the document (its text wins), the
disk (the disk wins), or both (a conflict, for the user to solve). Line ends and a byte order mark do
not count as differences, because editors normalise them.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum

from aglet.engine.ports import Stale, WorkspaceError
from aglet.engine.vocabulary import FileVersion
from aglet.workspace.editor import Buffer, Editor
from aglet.workspace.files import find_stamp, find_stored, is_settled
from aglet.workspace.paths import Ground, Target
from aglet.workspace.texts import Binary, decode, hash_of, with_plain_ends
from aglet.workspace.uris import is_file_uri

COMPARED = 50_000_000  # bytes of a file that is compared with its document


class Standing(Enum):
    """How a document and the disk stand to each other."""

    CLEAN = "the same text"
    DIRTY = "the document has unsaved changes"
    BEHIND = "the disk changed, the document did not"
    CONFLICT = "both changed"


@dataclass(frozen=True, slots=True)
class Held:
    """What the disk held: the hash of the bytes, a digest of the text as editors compare it, the mode."""

    hash: str
    digest: str
    mode: int


class Documents:
    """The open documents of the workspace."""

    def __init__(self, editor: Editor, ground: Ground) -> None:
        self._editor, self._ground = editor, ground
        self._targets: dict[str, Target] = {}  # by URI
        self._agreed: dict[str, Held] = {}  # by URI: the last time document and disk were the same
        self._seen: dict[str, tuple[tuple[int, ...], Held | None]] = {}  # by path

    def find(self, target: Target) -> Buffer | None:
        """The open document of this file, under whatever spelling of its path the editor opened it."""
        if buffer := self._editor.buffer(target.place.uri):
            return buffer
        return next((buffer for buffer, other in self.each() if other.place.path == target.place.path), None)

    def each(self) -> Iterator[tuple[Buffer, Target]]:
        """The open documents that are files and may be read."""
        for buffer in self._editor.buffers():
            target = self._target(buffer.uri)
            if target and self._ground.permits(target):
                yield buffer, target

    def look(self, target: Target) -> Held | None:
        """What the disk holds for this file; `None` when there is nothing that can be compared."""
        stamp = find_stamp(target)
        known = self._seen.get(target.place.path)
        if stamp is None or (known and known[0] == stamp):
            return known[1] if stamp and known else None
        held = _held(target)
        if is_settled(stamp):
            self._seen[target.place.path] = stamp, held
        return held

    def judge(self, buffer: Buffer, held: Held | None) -> Standing:
        """How this document stands to what the disk holds."""
        if held is None:
            return Standing.DIRTY  # it exists only in the editor
        digest, agreed = digest_of(buffer.text), self._agreed.get(buffer.uri)
        if digest == held.digest:
            self._agreed[buffer.uri] = held
            return Standing.CLEAN
        if agreed is None or agreed.hash == held.hash:
            return Standing.DIRTY
        return Standing.BEHIND if agreed.digest == digest else Standing.CONFLICT

    def agree(self, buffer: Buffer, held: Held) -> None:
        """Take the disk as known to this document, whose next text is made from it."""
        self._agreed[buffer.uri] = held

    def check(self, buffer: Buffer, held: Held | None, expected: FileVersion | None, shown: str) -> Standing:
        """Whether a write that expects this version may go into the document. Raises `Stale`."""
        standing = self.judge(buffer, held)
        if expected is None or not expected.hash:
            raise Stale(f"{shown} exists already: it is open in the editor. Read it, then change it.")
        if standing is Standing.CONFLICT:
            raise Stale(
                f"{shown} has unsaved changes in the editor, and it was changed on disk as well. "
                "Ask the user to save or to reload it, then read it again."
            )
        known = {hash_of(buffer.text)} if standing is not Standing.BEHIND else set[str]()
        if held and standing in {Standing.CLEAN, Standing.BEHIND}:
            known.add(held.hash)
        if expected.hash not in known:
            raise Stale(f"{shown} was changed in the meantime. Read it again.")
        return standing

    def unsaved(self) -> Iterator[tuple[Buffer, Target, Held | None]]:
        """The documents with unsaved changes."""
        for buffer, target in self.each():
            held = self.look(target)
            if self.judge(buffer, held) in {Standing.DIRTY, Standing.CONFLICT}:
                yield buffer, target, held

    def new_below(self, target: Target) -> list[tuple[str, ...]]:
        """The files below a folder that exist only as a document, as components under its root."""
        head = target.parts
        return [
            other.parts
            for _, other in self.each()
            if other.root == target.root
            and other.parts[: len(head)] == head != other.parts
            and find_stamp(other) is None
        ]

    def refresh(self) -> list[tuple[Buffer, Target]]:
        """All documents, with their paths looked up anew; what belonged to closed ones is forgotten."""
        uris = {buffer.uri for buffer in self._editor.buffers()}
        self._targets.clear()
        self._agreed = {uri: held for uri, held in self._agreed.items() if uri in uris}
        found = list(self.each())
        paths = {target.place.path for _, target in found}
        self._seen = {path: seen for path, seen in self._seen.items() if path in paths}
        return found

    def _target(self, uri: str) -> Target | None:
        if uri not in self._targets and is_file_uri(uri):
            with suppress(WorkspaceError):  # a URI that names no file of this machine
                self._targets[uri] = self._ground.locate(uri)
        return self._targets.get(uri)


def _held(target: Target) -> Held | None:
    try:
        stored = find_stored(target, COMPARED)
        return Held(stored.hash, digest_of(decode(stored.data)[0]), stored.mode) if stored else None
    except (WorkspaceError, Binary):
        return None


def digest_of(text: str) -> str:
    """What is equal for texts that an editor holds to be the same."""
    return hash_of(with_plain_ends(text))
