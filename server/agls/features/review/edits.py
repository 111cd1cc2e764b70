"""Undoing and redoing changes in files: one edit for all changes of a file, and only where they stand."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from agls.diff import Hunk, find, lines_of, put_back, stood
from agls.engine.actions import ActionContext
from agls.engine.ports import WorkspaceError
from agls.engine.vocabulary import FileChange, FileVersion, JsonObject
from agls.features.review.notebooks import CellLines, Notebooks
from agls.features.review.notes import edit, place
from agls.room.agent_changes import JUDGED, MOVED_ON, AgentChange, Verdict, verdict
from agls.room.folder_ports import FileSnapshots
from agls.terminal_codes import KEY_MARK

UNDO, REDO = "agls: undo this change", "agls: make this change again"  # the steps of the editor's own undo
NOT_AS_UNDONE = (
    "What stood here after the undo was changed since, or could be in several places. Nothing was done."
)

WITH_KEY = (
    "One of your keys stood here, which the record of the session does not keep. "
    "/changes.revert brings back the whole file."
)


class Left(NamedTuple):
    """A change that was left as it is, and why."""

    change: AgentChange
    reason: str


class CurrentText(NamedTuple):
    """The lines of a file and the version they were read at; without one there is no file."""

    lines: list[str]
    version: FileVersion | None
    is_open: bool = False
    cells: CellLines | None = None  # whose lines they are, of a notebook


class Edits:
    """Edits the files of one session; what was `done`, what was `left`, and how the `files` changed."""

    def __init__(self, files: FileSnapshots, notebooks: Notebooks, context: ActionContext) -> None:
        self._files = files
        self._notebooks = notebooks
        self._context = context
        self.done: list[AgentChange] = []
        self.left: list[Left] = []
        self.files: list[FileChange] = []

    async def undo(self, changes: Iterable[AgentChange]) -> None:
        """Put back what stood before these changes, the last that was made first: it may stand on others."""
        for uri, found in _by_file(changes):
            await self._edit(uri, [(change, change.hunk) for change in reversed(found)], "reverted")

    async def redo(self, changes: Iterable[AgentChange]) -> None:
        """Make these changes, which were undone, again: the last that was undone first."""
        for uri, found in _by_file(changes):
            latest_first = sorted(found, key=lambda change: -change.seq)
            steps = [(change, _inverse(change.undone or change.hunk)) for change in latest_first]
            await self._edit(uri, steps, "restored")

    async def _edit(self, uri: str, steps: Sequence[tuple[AgentChange, Hunk]], said: Verdict) -> None:
        """Where the new lines of a hunk stand, put its old ones; note what became of each change."""
        self.left += [Left(change, WITH_KEY) for change, hunk in steps if _lacks_key(hunk)]
        steps = [(change, hunk) for change, hunk in steps if not _lacks_key(hunk)]
        if not (changes := [change for change, _ in steps]):
            return
        try:
            text = await self._read(uri, changes)
            fitted = replace_hunks(text.lines, steps)
            made = [change for change in changes if change.hunk_id in fitted]
            file = await self._write(uri, text, made, said) if made else None
        except WorkspaceError as problem:
            self.left += [Left(change, str(problem)) for change in changes]
            return
        reason = MOVED_ON if said == "reverted" else NOT_AS_UNDONE
        self.left += [Left(change, reason) for change in changes if change not in made]
        if file:
            self.files.append(file)
            self._note(made, fitted, file, said)

    def _note(
        self, made: Sequence[AgentChange], fitted: Mapping[str, Hunk], file: FileChange, said: Verdict
    ) -> None:
        item = edit(file)  # one for all changes of the file
        for change in made:
            stood_there = place(fitted[change.hunk_id]) if said == "reverted" else {}
            self._context.note(JUDGED, {**verdict(change.hunk_id, said), **item, **stood_there})
            item = {}
        self.done += made

    async def _read(self, uri: str, changes: Sequence[AgentChange]) -> CurrentText:
        workspace = self._context.workspace
        workspace.allow(uri)  # whoever takes a change back says yes to that
        if changes[0].by_cell:
            cells = await self._notebooks.read(uri, workspace)
            return CurrentText(cells.lines, None, cells=cells)
        try:
            file = await workspace.read(uri)
        except WorkspaceError as problem:
            if isinstance(problem.__cause__, FileNotFoundError) and any(change.added for change in changes):
                return CurrentText([], None)
            raise
        return CurrentText(lines_of(file.text), file.version, file.source == "buffer")

    async def _write(
        self, uri: str, text: CurrentText, made: Sequence[AgentChange], said: Verdict
    ) -> FileChange:
        """Write the lines; a file that the agent made and that is empty again goes, unless it is open."""
        workspace, label = self._context.workspace, UNDO if said == "reverted" else REDO
        if text.cells:
            return await self._notebooks.write(uri, text.cells, workspace, label)
        empty = said == "reverted" and not (text.lines or text.is_open)
        if empty and text.version and any(change.added for change in made):
            return await self._files.put(workspace.place(uri).path, None, text.version, label=label)
        return await workspace.write(uri, "".join(text.lines), expected=text.version, label=label)


def replace_hunks(lines: list[str], steps: Sequence[tuple[AgentChange, Hunk]]) -> dict[str, Hunk]:
    """Make each step that fits. **Returns** by change the hunks that did, with the lines around them."""
    expected = [change.line for change, _ in steps]
    fitted: dict[str, Hunk] = {}
    for number, (change, hunk) in enumerate(steps):
        at = find(hunk, lines, expected[number])
        if at is None:
            continue
        fitted[change.hunk_id] = stood(hunk, lines, at)
        put_back(hunk, lines, at)
        behind, by = expected[number] + len(hunk.new), len(hunk.old) - len(hunk.new)
        expected = [line + by if line >= behind else line for line in expected]
    return fitted


def _lacks_key(hunk: Hunk) -> bool:
    """Return whether the old lines have a mark in the place of a key: then nobody knows them any more."""
    return any(KEY_MARK in line for line in hunk.old) and not any(KEY_MARK in line for line in hunk.new)


def _by_file(changes: Iterable[AgentChange]) -> Iterable[tuple[str, list[AgentChange]]]:
    in_order = sorted(changes, key=text_of)  # stable: in each file as they came
    return [(uri, list(found)) for (uri, _), found in groupby(in_order, key=text_of)]


def text_of(change: AgentChange) -> tuple[str, bool]:
    """Return which text a change is of: a file as it stands, or a notebook's cells as lines."""
    return change.uri, change.by_cell


def _inverse(hunk: Hunk) -> Hunk:
    return hunk._replace(old=hunk.new, new=hunk.old)


def as_json(left: Left) -> JsonObject:
    """Return a change that was left as it is, for programs."""
    return {"hunk": left.change.hunk_id, "uri": left.change.uri, "reason": left.reason}
