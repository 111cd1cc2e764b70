"""Several files changed at once: all of them, or none."""

import asyncio
from collections.abc import AsyncIterator, Sequence

from agls.engine.ports import Stale, StoredState, WantedFile, Workspace, WorkspaceError
from agls.engine.vocabulary import Effects, FileChange
from agls.workspace.decoding import UTF8, Binary, decode
from agls.workspace.snapshots import LARGEST, Snapshots
from agls.workspace.texts import encode


class Transaction:
    """Files that change together; what they were before is kept in memory until all are done."""

    def __init__(self, workspace: Workspace, snapshots: Snapshots, label: str) -> None:
        self._workspace = workspace
        self._snapshots = snapshots
        self._label = label
        self._done: list[tuple[StoredState, FileChange]] = []

    async def make(self, files: Sequence[WantedFile]) -> Sequence[FileChange]:
        """Make all files so, one after the other, or none of them.

        **Raises** `Stale` and `WorkspaceError`; nothing is changed then, unless the `effects` say so.
        """
        found = [await self._look(wanted) for wanted in files]
        sources = {
            wanted.source: await self._snapshots.look(wanted.source, LARGEST)
            for wanted in files
            if wanted.source
        }
        try:
            for wanted, state in zip(files, found, strict=True):
                change = await self._make_one(wanted, state, sources.get(wanted.source))
                self._done.append((state, change))
        except WorkspaceError as problem:
            left = await self._take_back()
            own: Effects = problem.effects if isinstance(problem, Stale) else "none"
            if left:
                raise Stale(f"{problem} {left}", "partial") from problem
            raise Stale(str(problem), own) from problem
        except BaseException:
            await self._take_back()
            raise
        return [change for _, change in self._done]

    async def _look(self, wanted: WantedFile) -> StoredState:
        """Return what is there now. **Raises** `Stale` when it is not what was expected."""
        found = await self._snapshots.look(wanted.path, LARGEST)
        shown = found.place.shown
        if found.problem:
            raise WorkspaceError(found.problem)
        if wanted.expected is None and found.data is not None:
            raise Stale(f"{shown} exists already. Read it, then change it.")
        if wanted.expected is not None and found.data is None:
            raise Stale(f"{shown} does not exist any more. Look what became of it.")
        if wanted.expected is not None and wanted.expected.hash not in found.known_as:
            raise Stale(f"{shown} was changed in the meantime. Read it again.")
        return found

    async def _make_one(
        self, wanted: WantedFile, found: StoredState, source: StoredState | None
    ) -> FileChange:
        if wanted.text is not None and source is None:
            return await self._workspace.write(
                wanted.path, wanted.text, expected=wanted.expected, label=self._label
            )
        if wanted.trash:
            return await self._snapshots.discard(found.place.path, found.version)
        data = _data(wanted.text, source) if source else None
        mode = source.mode if source else found.mode
        return await self._snapshots.put(found.place.path, data, found.version, mode=mode, label=self._label)

    async def _take_back(self) -> str:
        """Put back what was done, cancelled or not. **Returns** what could not be, "" for nothing."""
        left: list[str] = []
        over = asyncio.Event()

        async def put_back() -> None:
            try:
                left.extend([problem async for problem in self._put_back()])
            finally:
                over.set()

        try:
            await asyncio.shield(put_back())
        except asyncio.CancelledError:
            await over.wait()
            raise
        return f"It was changed already and could not be taken back: {', '.join(left)}" if left else ""

    async def _put_back(self) -> AsyncIterator[str]:
        """Put back what was done, the last first. **Yields** what could not be."""
        for before, change in reversed(self._done):
            try:
                await self._snapshots.put(
                    before.place.path, before.data, change.result, mode=before.mode, label=self._label
                )
            except WorkspaceError as problem:
                yield f"{before.place.shown} ({problem})"


def _data(text: str | None, source: StoredState) -> bytes | None:
    """Return the bytes of a file that is made from another one."""
    if text is None or source.data is None:
        return source.data
    try:
        encoding = decode(source.data)[1]
    except Binary:
        encoding = UTF8
    return encode(text, encoding)
