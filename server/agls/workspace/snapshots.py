"""Files as bytes, to be kept and put back: their present contents, and the same bytes again later.

An open document counts as it would be saved: in the encoding that the file has on the disk.
"""

import asyncio
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import PurePath

from agls.diff import Patch, compare
from agls.engine.ports import PathInfo, PathOutside, Stale, StoredState, Workspace, WorkspaceError
from agls.engine.vocabulary import FileChange, FileVersion
from agls.workspace.buffer_sync import Buffer, SyncState, digest_of
from agls.workspace.decoding import UTF8, Binary, decode
from agls.workspace.documents import WorkspaceDocuments
from agls.workspace.files import (
    DiskFile,
    find_stamp,
    find_stored,
    remove_stored,
    replace_stored,
)
from agls.workspace.handles import remove_empty_folders
from agls.workspace.paths import Ground, ResolvedPath
from agls.workspace.texts import encode, hash_of
from agls.workspace.trash import Trash

LARGEST = 50_000_000  # bytes of a file that can be put back


class Snapshots:
    """The bytes of files in the workspace, and of outside files that were allowed."""

    def __init__(
        self,
        workspace: Workspace,
        ground: Ground,
        documents: WorkspaceDocuments,
        hides: Callable[[ResolvedPath], bool],
        trash: Trash,
    ) -> None:
        self._workspace, self._ground = workspace, ground
        self._trash = trash
        self._documents, self._hides = documents, hides

    def open_documents(self) -> list[str]:
        """Return the paths of the open documents of the workspace, without the hidden ones."""
        return [target.place.path for _, target in self._documents.each() if not self._hides(target)]

    def changed_at(self, paths: Sequence[str]) -> Sequence[float]:
        """When each of these was changed last on the disk; 0 for what is not there."""
        return [self._changed_at(path) for path in paths]

    def _changed_at(self, path: str) -> float:
        try:
            return os.lstat(self._ground.enter(path).place.path).st_mtime
        except (OSError, WorkspaceError):
            return 0.0

    async def look(self, path: str, max_bytes: int) -> StoredState:
        """Return the state of this path.

        **Raises** `WorkspaceError` for no regular file, or one that may not be opened.
        """
        target = self._ground.enter(path)
        buffer = self._documents.find(target)
        try:
            stored = await asyncio.to_thread(find_stored, target, max_bytes)
        except WorkspaceError as problem:
            if isinstance(problem.__cause__, OSError) and not isinstance(problem.__cause__, PermissionError):
                raise  # no file, but a folder, a device or a loop of links
            return _unread(target, str(problem), str(find_stamp(target)), buffer)
        if buffer is None:
            return _on_disk(target, stored, None)
        if (await self._documents.see(buffer, target)).standing in {SyncState.CLEAN, SyncState.BEHIND}:
            return _on_disk(target, stored, buffer)
        found = _in_editor(target, buffer, stored)
        if len(found.data or b"") <= max_bytes:
            return found
        return _unread(target, f"{target.place.shown} is too large.", found.hash, buffer)

    async def diff(self, path: str, before: bytes | None, after: bytes | None) -> Patch:
        """Return the change from these bytes to those (`None`: no file), named as people read the path."""
        return await asyncio.to_thread(diff, self._ground.place(path).shown, before, after)

    async def put(
        self, path: str, data: bytes | None, expected: FileVersion, *, mode: int = 0o644, label: str = ""
    ) -> FileChange:
        """Make the file hold exactly this, `None` for no file, when it still is at `expected` ("": absent).

        An open document is changed by one edit and is not saved.

        **Raises** `Stale` when the file is another than expected, `WorkspaceError` when it cannot be done;
        nothing is changed then.
        """
        target = self._same(path)
        buffer = self._documents.find(target)
        left_over = (
            buffer and data is not None and not expected.hash and _digest(data) == digest_of(buffer.text)
        )
        if buffer is None or left_over:  # the document of a file that was removed does not hold it back
            return await asyncio.to_thread(_put, target, data, expected, mode)
        if data is not None:
            text = _as_text(target, data)
            return await self._workspace.write(path, text, expected=expected, label=label)
        await self._check_saved(buffer, target)
        return await asyncio.to_thread(_put, target, None, expected, mode)

    async def tidy(self, path: str, folder: str) -> None:
        """Remove the folders on the way to this path, from `folder` down, that are empty.

        **Raises** `WorkspaceError`.
        """
        target, file = self._same(path), PurePath(path)
        if target.place.inside and file.is_relative_to(folder):
            fewest = len(target.parts) - len(file.relative_to(folder).parts)
            await asyncio.to_thread(remove_empty_folders, target.root.real, target.parts[:-1], fewest)

    async def discard(self, path: str, expected: FileVersion) -> FileChange:
        """Remove the file when it still is at `expected`; into the user's trash, where there is one.

        **Raises** `Stale` and `WorkspaceError` like `put`.
        """
        target = self._same(path)
        if buffer := self._documents.find(target):
            await self._check_saved(buffer, target)
        return await asyncio.to_thread(_discard, target, expected, self._trash)

    def _same(self, path: str) -> ResolvedPath:
        target = self._ground.enter(path)
        if target.place.path != path or target.disguised:
            raise PathOutside(f"{target.place.shown} leads to another file than before.")
        return target

    async def _check_saved(self, buffer: Buffer, target: ResolvedPath) -> None:
        if (await self._documents.see(buffer, target)).standing is not SyncState.CLEAN:
            raise Stale(f"{target.place.shown} has unsaved changes in the editor. Save or close it first.")


def diff(shown: str, before: bytes | None, after: bytes | None) -> Patch:
    """Return the change as a patch; of bytes that are no text only that they changed."""
    try:
        old, new = None if before is None else decode(before)[0], decode(after or b"")[0]
    except Binary:
        return Patch(f"Binary file {shown} differs.\n" if before != after else "", 0, 0)
    patch = compare(shown, old, new)
    if after is None:
        return patch._replace(text=patch.text.replace(f"\n+++ b/{shown}\n", "\n+++ /dev/null\n", 1))
    return patch


def _new_folder(path: str) -> str:
    """Return the outermost folder on the way to this path that is not there, "" for none."""
    missing = [folder for folder in PurePath(path).parents if not os.path.lexists(folder)]
    return str(missing[-1]) if missing else ""


def _unread(target: ResolvedPath, problem: str, stamp: str, buffer: Buffer | None) -> StoredState:
    return StoredState(target.place, None, problem, stamp, edits=_edits(buffer))


def _on_disk(target: ResolvedPath, stored: DiskFile | None, buffer: Buffer | None) -> StoredState:
    if stored is None:
        return StoredState(target.place, None, new_folder=_new_folder(target.place.path))
    return StoredState(
        place=target.place,
        data=stored.data,
        hash=stored.hash,
        digest=_digest(stored.data),
        known_as=(stored.hash, hash_of(buffer.text)) if buffer else (stored.hash,),
        edits=_edits(buffer),
        on_disk=stored.hash,
        version=FileVersion(stored.hash),
        mode=stored.mode,
    )


def _in_editor(target: ResolvedPath, buffer: Buffer, stored: DiskFile | None) -> StoredState:
    data, text_hash = _as_saved(buffer.text, stored), hash_of(buffer.text)
    return StoredState(
        place=target.place,
        data=data,
        hash=hash_of(data),
        digest=digest_of(buffer.text),
        known_as=(hash_of(data), text_hash),
        edits=_edits(buffer),
        on_disk=stored.hash if stored else "",
        version=FileVersion(text_hash, buffer.version),
        mode=stored.mode if stored else 0o644,
    )


def _edits(buffer: Buffer | None) -> int:
    return buffer.version + 1 if buffer else 0  # an editor may begin to count at 0


def _as_saved(text: str, stored: DiskFile | None) -> bytes:
    """Return the bytes that a save would most likely write."""
    try:
        return encode(text, decode(stored.data)[1] if stored else UTF8)
    except (Binary, WorkspaceError):
        return text.encode("utf-8", "surrogatepass")


def _digest(data: bytes) -> str:
    try:
        return digest_of(decode(data)[0])
    except Binary:
        return ""


def _as_text(target: ResolvedPath, data: bytes) -> str:
    try:
        return decode(data)[0]
    except Binary:
        shown = target.place.shown
        raise WorkspaceError(
            f"{shown} was no text file, and now it is open as one. Close it first."
        ) from None


def _put(target: ResolvedPath, data: bytes | None, expected: FileVersion, mode: int) -> FileChange:
    place, before = target.place, find_stored(target, LARGEST)
    if (before.hash if before else "") != expected.hash:
        raise Stale(f"{place.shown} was changed in the meantime.")
    if data is not None and (before is None or before.data != data):
        replace_stored(target, data, before, mode)
    elif data is None and before:
        remove_stored(target, before)
    return _change(place, before.data if before else None, data)


def _discard(target: ResolvedPath, expected: FileVersion, trash: Trash) -> FileChange:
    before = find_stored(target, LARGEST)
    if before is None or before.hash != expected.hash:
        raise Stale(f"{target.place.shown} was changed in the meantime.")
    trashed = remove_stored(target, before, trash)
    return replace(_change(target.place, before.data, None), trashed=trashed)


def _change(place: PathInfo, before: bytes | None, after: bytes | None) -> FileChange:
    kind = "added" if before is None else "deleted" if after is None else "modified"
    base = FileVersion("" if before is None else hash_of(before))
    result = FileVersion("" if after is None else hash_of(after))
    return FileChange.of(place.uri, kind, base, result, diff(place.shown, before, after))
