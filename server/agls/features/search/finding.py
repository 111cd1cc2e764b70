"""The search itself: a program says which files may match, the workspace says what is in them."""

from asyncio import to_thread
from collections.abc import Sequence

from agls.engine.ports import FileText, Workspace, WorkspaceError
from agls.frozen import frozen

from .apart import Hits, Matcher
from .excerpts import excerpt
from .settings import Settings

FILES = 4_000  # that one process looks at
BATCH = 1_000_000  # characters that are matched at once


@frozen
class Wanted:
    """What is looked for: a regular expression.

    `limit` counts matching lines when `by_line`, else files; with `first_only` one line per file will do.
    """

    expression: str
    ignore_case: bool
    limit: int
    by_line: bool
    first_only: bool
    context: int


@frozen
class Found:
    """A file with matches: how many lines match, and what to show of them."""

    name: str
    count: int
    rows: Sequence[str]


class Search:
    """Looks through files in order. What the program sees on disk only spares reading: it never decides.

    `found` grows while it runs; `more` says that there was more than the limit allows.
    """

    def __init__(self, settings: Settings, workspace: Workspace, wanted: Wanted) -> None:
        self.found: list[Found] = []
        self.more = False
        self._settings, self._workspace, self._wanted = settings, workspace, wanted
        self._matcher = Matcher(workspace, wanted.expression, wanted.ignore_case, settings.timeout_s)
        self._left = wanted.limit

    async def look(self, names: Sequence[str]) -> None:
        """Look through these files until there is enough. Raises `WorkspaceError`."""
        unsaved = set(self._workspace.unsaved())
        for start in range(0, len(names), FILES):
            some = names[start : start + FILES]
            matching = unsaved.union(await self._matcher.files(some, self._settings.max_file_bytes))
            await self._look_into([name for name in some if name in matching])
            if self.more:
                return

    async def _look_into(self, names: Sequence[str]) -> None:
        batch: list[FileText] = []
        size = 0
        for name in names:
            if file := await self._read(name):
                batch.append(file)
                size += len(file.text)
            if size > BATCH:
                await self._settle(batch)
                batch, size = [], 0
            if self.more:
                return
        if batch:
            await self._settle(batch)

    async def _read(self, name: str) -> FileText | None:
        try:
            return await self._workspace.read(name, max_bytes=self._settings.max_file_bytes)
        except WorkspaceError:  # binary, too large, or gone since it was listed
            return None

    async def _settle(self, batch: Sequence[FileText]) -> None:
        texts = [file.text for file in batch]
        hits = await self._matcher.lines(texts, self._left, first_only=self._wanted.first_only)
        for file, hit in zip(batch, hits, strict=True):
            if hit.count:
                await to_thread(self._take, file, hit)

    def _take(self, file: FileText, hit: Hits) -> None:
        by_line, context = self._wanted.by_line, self._wanted.context
        lines = hit.lines[: self._left] if by_line else ()
        needed = hit.count if by_line else 1
        self.more = self.more or needed > self._left
        if self._left > 0:
            rows = excerpt(file, lines, context, self._settings.line_characters)
            self.found.append(Found(file.place.shown, hit.count, rows))
        self._left = max(0, self._left - needed)
