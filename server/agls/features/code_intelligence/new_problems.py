"""After an edit: the errors and warnings that it caused, behind the outcome for the model."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from agls.engine.feature import CallTool, Invocation, RunView
from agls.engine.ports import Effect, FileText, WorkspaceError
from agls.engine.vocabulary import FileChange, JsonObject, ToolOutcome
from agls.frozen import frozen
from agls.room.code_ports import CodeDocument, CodeServer

from .places import CodeAnswer, Place, number, problem
from .rows import Rows
from .sources import CodeSources

WARNING = 2  # DiagnosticSeverity; what is greater is no problem
MOST_FILES = 10  # of one edit that are looked at


@frozen
class Baseline:
    """What was wrong in a file before a call."""

    server: CodeServer
    known: Counter[object]


@frozen
class EditDiagnostics:
    """The room's `around_tool`: it asks only servers that can say it at once, and never fails a call."""

    sources: CodeSources
    rows: Rows

    async def around(self, invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        """Let an edit run. **Returns** its outcome with what is wrong since."""
        targets = invocation.preview.targets if invocation.preview else ()
        paths = dict.fromkeys(target.value for target in targets if target.effect is Effect.WRITES)
        before = await self._before(list(paths)[:MOST_FILES])
        outcome = await inner(invocation)
        now = [file for change in outcome.changes if (file := await self._after(change, before))]
        found = [place for file in now for place in await self._new(file, now, before[file.place.path])]
        if not found:
            return outcome
        text = await self.rows.text(CodeAnswer([("", found)]), self.sources.settings.most_diagnostics)
        return replace(outcome, text=f"{outcome.text}\nNew problems since this edit:\n{text}")

    async def _before(self, paths: Sequence[str]) -> dict[str, Baseline]:
        """Return what is known to be wrong in these files, by their absolute paths."""
        found: dict[str, Baseline] = {}
        for path in paths:
            try:
                place = self.sources.workspace.place(path)
                server = self.sources.warm(place.path)
                if server is None:
                    continue
                (file,) = await self.sources.workspace.read_each(place.path)
                rows = await self._problems(server, file) if isinstance(file, FileText) else ()
            except WorkspaceError:
                continue
            if rows is not None:
                found[place.path] = Baseline(server, Counter(map(_same, rows)))
        return found

    async def _after(self, change: FileChange, before: dict[str, Baseline]) -> FileText | None:
        """Return a file after the call, `None` for one about which nothing was known before."""
        try:
            place = self.sources.workspace.place(change.uri)
            if place.path not in before or change.change == "deleted":
                return None
            return await self.sources.workspace.read(place.path)
        except WorkspaceError:
            return None

    async def _new(self, file: FileText, every: Sequence[FileText], baseline: Baseline) -> Sequence[Place]:
        """Return what is wrong in a file since the call; `every` file of the call is known by then."""
        beside = [self.sources.document(each) for each in every if each is not file]
        try:
            rows = await self._problems(baseline.server, file, changed=True, beside=beside)
        except WorkspaceError:
            return ()
        known, new = Counter(baseline.known), list[JsonObject]()
        for row in rows or ():
            if known[_same(row)]:
                known[_same(row)] -= 1
            else:
                new.append(row)
        return [problem(file.place.uri, row) for row in new]

    async def _problems(
        self,
        server: CodeServer,
        file: FileText,
        *,
        changed: bool = False,
        beside: Sequence[CodeDocument] = (),
    ) -> Sequence[JsonObject] | None:
        seconds = self.sources.settings.diagnostics_wait_s
        rows = await server.diagnostics(self.sources.document(file), seconds, changed=changed, beside=beside)
        if rows is None:
            return None
        return [row for row in rows if number(row.get("severity")) <= WARNING]


def _same(row: JsonObject) -> object:
    """Return what makes a diagnostic the same one when lines have moved."""
    return row.get("severity"), row.get("message"), row.get("source"), str(row.get("code"))
