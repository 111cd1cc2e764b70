"""Where a name stands in a text; models count columns badly, so they give the name and perhaps the line."""

import re
from collections.abc import Sequence

from agls.code_units import index_in, units
from agls.engine.ports import WorkspaceError
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.regex import regex

LINE_END = regex(r"\r\n|\n|\r")
NEAR = 3  # lines that a model may be off
MOST_NAMED = 12  # lines that are named in a message
DEFINES = regex(
    r"\b(?:async|class|const|def|enum|export|fn|func|function|impl|interface|let|mod|module|namespace|package|"
    r"private|protected|public|record|static|struct|trait|type|typedef|union|var|void)\b"
)


@frozen
class Cursor:
    """A place in a text: the line and the index in it, from 0."""

    line: int
    index: int

    def position(self, lines: Sequence[str], encoding: str) -> JsonObject:
        """Return it as LSP has it."""
        return {"line": self.line, "character": units(lines[self.line][: self.index], encoding)}


def lines_of(text: str) -> list[str]:
    """Return the lines as editors count them, without their ends."""
    return LINE_END.split(text)


def parts_of(symbol: str) -> list[str]:
    """Return the parts of a name such as `Class.method`."""
    return re.split(r"\.|::|#", symbol.strip("()"))


def find_symbol(lines: Sequence[str], symbol: str, line: int | None, shown: str) -> Cursor:
    """Return where a name (of `Class.method` the last part) stands on a line, from 1, or near it.

    Without a line it is where the name seems to be defined, or stands first. **Raises** `WorkspaceError`.
    """
    *outer, name = parts_of(symbol)
    found = [Cursor(at, index) for at, text in enumerate(lines) for index in _indices(text, name)]
    if not found:
        raise WorkspaceError(f"{name} does not occur in {shown}. Look for it with grep or workspace_symbols.")
    if line is not None:
        nearest = min(found, key=lambda cursor: (abs(cursor.line - line + 1), cursor.index))
        if abs(nearest.line - line + 1) <= NEAR:
            return nearest
        at = ", ".join(map(str, dict.fromkeys(cursor.line + 1 for cursor in found[:MOST_NAMED])))
        raise WorkspaceError(f"{name} is not on line {line} of {shown}. It occurs on lines {at}.")
    behind = _line_of(lines, outer[-1]) if outer else 0
    inner = [cursor for cursor in found if cursor.line >= behind] or found
    return next((cursor for cursor in inner if DEFINES.search(lines[cursor.line][: cursor.index])), inner[0])


def offset_at(lines: Sequence[str], starts: Sequence[int], position: JsonObject, encoding: str) -> int:
    """Return where a position of LSP is in a text whose lines begin at `starts`."""
    line = min(max(0, int(position.get("line", 0))), len(lines))
    if line == len(lines):
        return starts[-1] + len(lines[-1])
    return starts[line] + index_in(lines[line], int(position.get("character", 0)), encoding)


def starts_of(text: str) -> list[int]:
    """Return where each line begins."""
    return [0, *(end.end() for end in LINE_END.finditer(text))]


def _indices(text: str, name: str) -> list[int]:
    return (
        [found.start() for found in re.finditer(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text)]
        if name
        else []
    )


def _line_of(lines: Sequence[str], name: str) -> int:
    at = [number for number, text in enumerate(lines) if _indices(text, name)]
    return next((line for line in at if DEFINES.search(lines[line])), at[0] if at else 0)
