"""What a word may point at besides paths: what is not committed, what is wrong, and where the user looks."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress

from agls.engine.ports import PathInfo, Workspace, WorkspaceError
from agls.engine.vocabulary import JsonObject, Resource, ResourceLink
from agls.features.mentions.grammar import EDITOR, SELECTION, WORKSPACE
from agls.features.mentions.named_lines import named_lines
from agls.json_values import object_in
from agls.room import Piece
from agls.room.folder_ports import Diagnostics, Uncommitted

DIFF, DIAGNOSTICS = "diff", "diagnostics"
ABOUT = {
    DIFF: "what is not committed",
    DIAGNOSTICS: "errors and warnings in the editor",
    SELECTION: "what is selected in the editor",
    WORKSPACE: "all that is in this folder",
}
AT_WORDS = {"codebase": WORKSPACE, "problems": DIAGNOSTICS}  # besides those, as other products have them
DIFF_URI = "agls:diff"
MOST_CHARACTERS = 60_000  # of each piece
MOST_PROBLEMS = 100  # of a file
SEVERITIES = {1: "error", 2: "warning", 3: "information", 4: "hint"}

Source = Callable[[], Awaitable[Sequence[Piece]]]


def sources(workspace: Workspace, uncommitted: Uncommitted, diagnostics: Diagnostics) -> Mapping[str, Source]:
    """**Returns** what each word stands for; nothing where that is not to be had."""

    async def diff() -> Sequence[Resource]:
        text = await uncommitted()
        return [Resource(DIFF_URI, text[:MOST_CHARACTERS])] if text else []

    async def problems() -> Sequence[Resource]:
        return [_problems(place, rows) for place, rows in await diagnostics() if rows]

    async def editor() -> Sequence[Piece]:
        focus = workspace.focus()
        place = workspace.place(focus.path) if focus else None
        return [ResourceLink(place.uri, place.shown)] if place else []

    async def selection() -> Sequence[Piece]:
        focus = workspace.focus()
        if focus is None or focus.lines is None:
            return await editor()
        place, first = workspace.place(focus.path), focus.lines[0]
        if not focus.selected:
            return [ResourceLink(f"{place.uri}#L{first}", f"{place.shown}:{first}, where the cursor is")]
        with suppress(WorkspaceError):  # it is gone, or no text
            if lines := await named_lines(workspace, focus.path, place.uri, focus.lines):
                return [lines]
        return await editor()

    async def whole() -> Sequence[Piece]:
        return [ResourceLink(f"{workspace.place('.').uri}/", "the whole workspace")]

    known = {DIFF: diff, DIAGNOSTICS: problems, EDITOR: editor, SELECTION: selection, WORKSPACE: whole}
    return known | {word: known[name] for word, name in AT_WORDS.items()}


def _problems(place: PathInfo, rows: Sequence[JsonObject]) -> Resource:
    text = "".join(map(_problem, rows[:MOST_PROBLEMS]))
    return Resource(f"{place.uri}#diagnostics", text[:MOST_CHARACTERS])


def _problem(row: JsonObject) -> str:
    """**Returns** a diagnostic in a line, as far as it can be read (LSP 3.17, Diagnostic)."""
    line = object_in(row, "range", "start").get("line")
    where = f"line {line + 1}: " if isinstance(line, int) else ""
    severity = row.get("severity")
    what = f"{SEVERITIES[severity]}: " if isinstance(severity, int) and severity in SEVERITIES else ""
    source = f" ({row['source']})" if isinstance(row.get("source"), str) else ""
    message = " ".join(str(row.get("message", "")).split())
    return f"{where}{what}{message}{source}\n"
