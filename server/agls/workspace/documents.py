"""The open documents of one workspace: which of them stands for a path, and whether it or the disk counts."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from agls.engine.ports import PathInfo, Stale, WorkspaceError
from agls.engine.vocabulary import FileVersion
from agls.workspace.buffer_sync import UNSAVED, Buffer, DiskState, SyncState
from agls.workspace.editor import Editor
from agls.workspace.paths import Ground, ResolvedPath, Root
from agls.workspace.texts import hash_of
from agls.workspace.uris import is_file_uri, to_path

UNTITLED = "untitled:"  # the scheme of documents that were never saved; some know where they will be
_NOWHERE = Root(UNTITLED, UNTITLED)


class OpenDocument(NamedTuple):
    """An open document of the workspace, what the disk holds for it, and how the two stand to each other."""

    buffer: Buffer
    target: ResolvedPath
    held: DiskState
    standing: SyncState


class WorkspaceDocuments:
    """The open documents that belong to a workspace."""

    def __init__(self, editor: Editor, ground: Ground) -> None:
        self._ground = ground
        self._editor, self._sync = editor, editor.sync
        self._targets: dict[str, ResolvedPath] = {}  # by URI

    def enter(self, path: str) -> ResolvedPath:
        """Return the target of a path that may be opened, or of an open document that has no path yet.

        **Raises** `PathOutside` and `WorkspaceError`.
        """
        return self._nameless(path) or self._ground.enter(path)

    def place(self, path: str) -> PathInfo:
        """Look at a path without opening it. **Raises** `WorkspaceError`."""
        target = self._nameless(path)
        return target.place if target else self._ground.place(path)

    def find(self, target: ResolvedPath) -> Buffer | None:
        """Return the open document of this file, under whatever spelling of its path the editor opened it.

        Of several (a file and a link to it) the one with unsaved changes.

        **Raises** `WorkspaceError` when nobody knows its text, or when two of them hold unsaved changes of
        their own.
        """
        named = self._editor.buffer(target.place.uri)
        for uri in self._editor.lost:
            if (other := self._target(uri)) and other.place.path == target.place.path:
                return self._editor.buffer(uri)
        found = [buffer for buffer, other in self.each() if other.place.path == target.place.path]
        return self._changed(target, found) if len(found) > 1 else (named or next(iter(found), None))

    def _changed(self, target: ResolvedPath, buffers: list[Buffer]) -> Buffer:
        held = self._sync.look(target)
        unsaved = [each for each in buffers if self._sync.judge(each, held) in UNSAVED]
        if len({each.text for each in unsaved}) > 1:
            names = " and as ".join(each.uri for each in unsaved)
            raise WorkspaceError(
                f"{target.place.shown} is open in the editor as {names}, each with unsaved changes of its "
                "own. Ask the user to save or to close one of them."
            )
        return (unsaved or buffers)[0]

    def each(self) -> Iterator[tuple[Buffer, ResolvedPath]]:
        """Return the open documents that are files, or may become files, and may be read."""
        for buffer in self._editor.buffers():
            if target := self.permitted(buffer.uri):
                yield buffer, target

    def permitted(self, uri: str) -> ResolvedPath | None:
        """Return the file of a document with this URI, when it is one that may be read."""
        target = self._target(uri)
        return target if target and self._ground.permits(target) else None

    async def see(self, buffer: Buffer, target: ResolvedPath) -> OpenDocument:
        """Look how this document stands to the disk now."""
        await self._sync.settle()
        held = self._sync.known(target) or await asyncio.to_thread(self._sync.look, target)
        return OpenDocument(buffer, target, held, self._sync.judge(buffer, held))

    async def survey(self) -> list[OpenDocument]:
        """Look at all documents, with their paths looked up anew."""
        self._targets.clear()
        return [await self.see(buffer, target) for buffer, target in list(self.each())]

    def agree(self, seen: OpenDocument) -> None:
        """Take the disk as known to this document, whose next text is made from it."""
        self._sync.agree(seen.buffer, seen.held)

    def wrote(self, seen: OpenDocument, after: Buffer) -> None:
        """Record that an agent turned the document into this text."""
        self._sync.wrote(seen.buffer, seen.standing, after)

    def is_written(self, seen: OpenDocument) -> bool:
        """Return whether only agents made the document differ from the disk."""
        return self._sync.is_written(seen.buffer)

    def unsaved(self) -> Iterator[OpenDocument]:
        """Return the documents with unsaved changes."""
        for buffer, target in self.each():
            held = self._sync.look(target)
            if (standing := self._sync.judge(buffer, held)) in UNSAVED:
                yield OpenDocument(buffer, target, held, standing)

    def new_below(self, target: ResolvedPath) -> list[tuple[str, ...]]:
        """Return the files below a folder that exist only as a document, as components under its root."""
        head = target.parts
        return [
            seen.target.parts
            for seen in self.unsaved()
            if not seen.held.hash
            and seen.target.root == target.root
            and seen.target.parts[: len(head)] == head != seen.target.parts
        ]

    def _target(self, uri: str) -> ResolvedPath | None:
        if uri not in self._targets:
            with suppress(WorkspaceError):  # a URI that names no file of this machine
                if is_file_uri(uri):
                    self._targets[uri] = self._ground.locate(uri)
                elif uri.startswith(UNTITLED):
                    self._targets[uri] = self._untitled(uri)
        return self._targets.get(uri)

    def _untitled(self, uri: str) -> ResolvedPath:
        name = uri.removeprefix(UNTITLED)
        if name.startswith("/"):
            return self._ground.locate(to_path(f"file://{name}"))
        place = PathInfo(shown=uri, path=uri, uri=uri, inside=True)
        return ResolvedPath(place, _NOWHERE, (), disguised=False)

    def _nameless(self, path: str) -> ResolvedPath | None:
        if not path.startswith(UNTITLED):
            return None
        return self._target(buffer.uri) if (buffer := self._editor.buffer(path)) else None


def check(seen: OpenDocument, expected: FileVersion | None) -> None:
    """Check that a write that expects this version may go into the document. **Raises** `Stale`."""
    shown, wanted = seen.target.place.shown, expected.hash if expected else ""
    if seen.standing is SyncState.CONFLICT:
        raise Stale(
            f"{shown} has unsaved changes in the editor, and it was changed on disk as well. "
            "Ask the user to save or to reload it, then read it again."
        )
    known = {hash_of(seen.buffer.text)} if seen.standing is not SyncState.BEHIND else set[str]()
    if seen.standing in {SyncState.CLEAN, SyncState.BEHIND}:
        known.add(seen.held.hash)
    if wanted in known:
        return
    if not wanted:
        raise Stale(f"{shown} exists already: it is open in the editor. Read it, then change it.")
    raise Stale(f"{shown} was changed in the meantime. Read it again.")
