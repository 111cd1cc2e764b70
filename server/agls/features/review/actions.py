"""What the user may do with single changes: list them, keep them, undo them, and undo the undoing."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import groupby

from agls.diff import lines_of
from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome
from agls.engine.ports import Workspace, WorkspaceError
from agls.engine.vocabulary import JsonObject
from agls.features.review.arguments import Keep, ListChanges, Redo, Undo
from agls.features.review.edits import Edits, as_json, text_of
from agls.features.review.notebooks import Notebooks, row_by_cell
from agls.frozen import frozen
from agls.room.agent_changes import JUDGED, AgentChange, changes_of, verdict
from agls.room.folder_ports import FileSnapshots
from agls.room.notebook_ports import is_notebook
from agls.room.session_ports import SessionFacts
from agls.toolkit import TypedAction, change_json, fenced, shorten

LONGEST = 50_000  # characters of changes that are shown to a person at once
WHICH = "Say which: `change` is one change (FILE:NUMBER or its id) or a file; or set `all`. See changes.list."
SIGNS = (("-", "old"), ("+", "new"))
NOTHING = "No change waits to be kept or undone."
NO_CHANGE = (
    "There is no change that this applies to. Those that are neither kept nor undone: /changes.list, "
    "or in a shell agls changes list"
)
MOVED = "changed since: it can be kept, not undone"


def actions(facts: SessionFacts, files: FileSnapshots, notebooks: Notebooks) -> tuple[Action, ...]:
    """Return the actions of the room, over the session with these facts."""
    review = ReviewActions(facts, files, notebooks)
    return (
        TypedAction("changes.list", "Show changes to review", ListChanges, review.list, group="Changes"),
        TypedAction("changes.keep", "Keep changes", Keep, review.keep, group="Changes"),
        TypedAction("changes.undo", "Undo changes", Undo, review.undo, group="Changes"),
        TypedAction("changes.redo", "Make undone changes again", Redo, review.redo, group="Changes"),
    )


@frozen
class ReviewActions:
    """Follows the room's actions."""

    facts: SessionFacts
    files: FileSnapshots
    notebooks: Notebooks

    async def list(self, arguments: ListChanges, context: ActionContext) -> ActionOutcome:
        """List the changes that wait, in the files as they stand now."""
        waiting = (await changes_of(self.facts)).waiting()
        rows: list[JsonObject] = []
        for (uri, by_cell), found in groupby(sorted(waiting, key=text_of), key=text_of):
            rows += await self._rows([*found], context.workspace, uri, by_cell=by_cell)
        text = "\n\n".join(_shown(each, context.workspace) for each in rows) or NOTHING
        cut, _ = shorten(text, LONGEST, "Keep or undo some to see the rest.")
        return ActionOutcome(cut, {"changes": rows})

    async def keep(self, arguments: Keep, context: ActionContext) -> ActionOutcome:
        """Keep the changes that are named."""
        waiting = (await changes_of(self.facts)).waiting()
        chosen = _chosen(arguments.change, waiting, context.workspace, every=arguments.all)
        for change in chosen:
            context.note(JUDGED, verdict(change.hunk_id, "kept"))
        text = f"Kept: {_names(chosen, context.workspace)}."
        return ActionOutcome(text, {"kept": [change.hunk_id for change in chosen]})

    async def undo(self, arguments: Undo, context: ActionContext) -> ActionOutcome:
        """Undo the changes that are named, where they stand."""
        waiting = (await changes_of(self.facts)).waiting()
        chosen = _chosen(arguments.change, waiting, context.workspace, every=arguments.all)
        edits = Edits(self.files, self.notebooks, context)
        return _outcome("undone", "Undone", await _made(edits, edits.undo, chosen), context.workspace)

    async def redo(self, arguments: Redo, context: ActionContext) -> ActionOutcome:
        """Make the undone changes that are named again."""
        undone = (await changes_of(self.facts)).undone()
        chosen = _chosen(arguments.change, undone, context.workspace, every=arguments.all)
        edits = Edits(self.files, self.notebooks, context)
        return _outcome("redone", "Made again", await _made(edits, edits.redo, chosen), context.workspace)

    async def _rows(
        self, changes: Sequence[AgentChange], workspace: Workspace, uri: str, *, by_cell: bool
    ) -> Sequence[JsonObject]:
        try:
            if by_cell:
                cells = await self.notebooks.read(uri, workspace)
                return [change.row(cells.lines) for change in changes]
            file = await workspace.read(uri)
        except WorkspaceError:
            return [change.row(None) for change in changes]
        lines = lines_of(file.text)
        if file.source == "disk" and is_notebook(file.place.shown):  # open as a text it has lines
            return await asyncio.to_thread(lambda: [row_by_cell(change, lines) for change in changes])
        return [change.row(lines) for change in changes]


async def _made(
    edits: Edits, work: Callable[[Iterable[AgentChange]], Awaitable[None]], chosen: Sequence[AgentChange]
) -> Edits:
    """Work on the changes. **Raises** `ActionError` when nothing of it could be done."""
    await work(chosen)
    if not edits.done:
        raise ActionError("\n".join(dict.fromkeys(left.reason for left in edits.left)))
    return edits


def _outcome(member: str, title: str, edits: Edits, workspace: Workspace) -> ActionOutcome:
    lines = [f"{title}: {_names(edits.done, workspace)}."]
    lines += [f"Left as it is: {_name(left.change, workspace)}. {left.reason}" for left in edits.left]
    if any(change.via == "editor" for change in edits.files):
        lines.append("Files that are open in the editor are changed there and not saved.")
    data: JsonObject = {
        member: [change.hunk_id for change in edits.done],
        "left": [as_json(left) for left in edits.left],
        "changes": [change_json(change) for change in edits.files],
    }
    return ActionOutcome("\n".join(lines), data)


def _chosen(
    words: str, changes: Sequence[AgentChange], workspace: Workspace, *, every: bool
) -> Sequence[AgentChange]:
    """Return the changes that are meant. **Raises** `ActionError` when none is, or when that is not said."""
    if every is bool(words):
        raise ActionError(WHICH)
    if every:
        found = list(changes)
    else:
        name, _, number = words.rpartition(":")
        found = (
            [change for change in changes if change.hunk_id == words]
            or _of_file(words, changes, workspace)
            or [change for change in _of_file(name, changes, workspace) if str(change.number) == number]
        )
    if not changes:
        raise ActionError(NO_CHANGE)
    if not found:
        raise ActionError(f"No change is called {words[:200]!r}. There are: {_names(changes, workspace)}.")
    return found


def _of_file(path: str, changes: Sequence[AgentChange], workspace: Workspace) -> Sequence[AgentChange]:
    """Return the changes of this file, under whatever spelling of its path."""
    wanted = _path(path, workspace) if path else ""
    return [change for change in changes if wanted and _path(change.uri, workspace) == wanted]


def _path(path: str, workspace: Workspace) -> str:
    try:
        return workspace.place(path).path
    except WorkspaceError:
        return ""


def _names(changes: Iterable[AgentChange], workspace: Workspace) -> str:
    return ", ".join(_name(change, workspace) for change in changes)


def _name(change: AgentChange, workspace: Workspace) -> str:
    return f"`{_named(change.uri, change.number, workspace)}`"


def _named(uri: str, number: int, workspace: Workspace) -> str:
    try:
        return f"{workspace.place(uri).shown}:{number}"
    except WorkspaceError:
        return f"{uri}:{number}"


def _shown(row: JsonObject, workspace: Workspace) -> str:
    """Show a change to a person: its name, where it stands, and its lines."""
    problem = "" if row.get("stands") else f" ({MOVED})"
    cell = f" cell {row['cell']}" if "cell" in row else ""
    head = f"`{_named(row['uri'], row['number'], workspace)}`{cell} line {row['line'] + 1}{problem}"
    lines = [f"{sign}{line}" for sign, name in SIGNS for line in lines_of(row[name])]
    diff = "\n".join(line.removesuffix("\n") for line in lines)
    return f"{head}\n{fenced(diff, 'diff')}"
