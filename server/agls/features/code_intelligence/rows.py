"""Answers as text: places grouped by file, each with its line."""

from collections.abc import Sequence

from agls.engine.ports import FileText, PathInfo, Workspace, WorkspaceError
from agls.frozen import frozen
from agls.names import spelled
from agls.room.code_ports import CodeServers

from .places import CodeAnswer, Place
from .positions import lines_of

MOST_READ = 40  # files whose lines are shown


@frozen
class Rows:
    """Turns answers into text, with the lines of files that may be shown."""

    workspace: Workspace
    servers: CodeServers
    width: int

    async def text(self, answer: CodeAnswer, limit: int) -> str:
        """Return an answer as the model reads it, with so many places at most."""
        left, rows = limit, [answer.text] if answer.text else list[str]()
        for heading, found in answer.groups:
            places = [place for place in found if self._may_be_shown(place)]
            shown = places[:left]
            left -= len(shown)
            rows += [heading] if heading else []
            rows += await self._rows(shown) if places else ["none"]
            if len(places) > len(shown):
                rows.append(f"[{len(places) - len(shown)} more. Set a higher limit, or ask for less.]")
        return "\n".join(rows)

    async def _rows(self, places: Sequence[Place]) -> Sequence[str]:
        files: dict[str, list[Place]] = {}
        for place in places:
            files.setdefault(place.uri, []).append(place)
        rows: list[str] = []
        for number, (uri, group) in enumerate(files.items()):
            where = self._place(uri)
            lines = await self._lines(where) if number < MOST_READ else ()
            rows.append(spelled(where.shown if where else uri))
            rows += [self._row(place, lines) for place in group]
        return rows

    def _row(self, place: Place, lines: Sequence[str]) -> str:
        line = lines[place.line].rstrip() if place.line < len(lines) else ""
        if place.label:
            span = f"{place.line + 1}-{place.end + 1}" if place.end > place.line else f"{place.line + 1}"
            return f"{span}: {spelled(place.label[: self.width])}"
        inside = f"  (in {place.name})" if place.name else ""
        return f"{place.line + 1}:{line[: self.width]}{inside}"

    async def _lines(self, where: PathInfo | None) -> Sequence[str]:
        if where is None or not where.inside:
            return ()
        try:
            file: FileText = await self.workspace.read(where.path)
        except WorkspaceError:
            return ()
        return lines_of(file.text)

    def _may_be_shown(self, place: Place) -> bool:
        where = self._place(place.uri)
        return where is None or not where.inside or self.servers.shows(where.path)

    def _place(self, uri: str) -> PathInfo | None:
        try:
            return self.workspace.place(uri)
        except WorkspaceError:
            return None
