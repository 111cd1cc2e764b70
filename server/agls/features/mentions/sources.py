"""What a word may point at besides paths: what is not committed, and errors and warnings in the editor."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from agls.engine.ports import PathInfo
from agls.engine.vocabulary import JsonObject, Resource
from agls.json_values import object_in
from agls.room.folder_ports import Diagnostics, Uncommitted

DIFF, DIAGNOSTICS = "diff", "diagnostics"
ABOUT = {DIFF: "what is not committed", DIAGNOSTICS: "errors and warnings in the editor"}
DIFF_URI = "agls:diff"
MOST_CHARACTERS = 60_000  # of each piece
MOST_PROBLEMS = 100  # of a file
SEVERITIES = {1: "error", 2: "warning", 3: "information", 4: "hint"}

Source = Callable[[], Awaitable[Sequence[Resource]]]


def sources(uncommitted: Uncommitted, diagnostics: Diagnostics) -> Mapping[str, Source]:
    """**Returns** what each word stands for; nothing where that is not to be had."""

    async def diff() -> Sequence[Resource]:
        text = await uncommitted()
        return [Resource(DIFF_URI, text[:MOST_CHARACTERS])] if text else []

    async def problems() -> Sequence[Resource]:
        return [_problems(place, rows) for place, rows in await diagnostics() if rows]

    return {DIFF: diff, DIAGNOSTICS: problems}


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
