"""Lines of a file that a text names, counted as editors do (LSP 3.17, TextDocument)."""

from itertools import islice

from agls.engine.ports import Workspace, WorkspaceError
from agls.engine.vocabulary import Resource
from agls.regex import regex

MOST_CHARACTERS = 60_000  # of the lines of one piece
MOST_LINES = 5_000  # of a file that is too large to be read whole
CUT = "\n[The rest of these lines is left out. Read the file from line {} on.]\n"
_LINE = regex(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


async def named_lines(workspace: Workspace, path: str, uri: str, span: tuple[int, int]) -> Resource | None:
    """**Returns** the lines from the first to the last of `span` (from 1), in whatever order they were named.

    `None` where the file ends before. What is too long is cut, and says where. **Raises** `WorkspaceError`.
    """
    first, last = max(min(span), 1), max(*span, 1)
    text = await _text(workspace, path, first, last)
    if not text:
        return None
    kept = text[:MOST_CHARACTERS]
    end = first + sum(1 for _ in _LINE.finditer(kept)) - 1
    cut = CUT.format(end) if len(kept) < len(text) else ""
    return Resource(f"{uri}#L{first}-L{end}", kept + cut)


async def _text(workspace: Workspace, path: str, first: int, last: int) -> str:
    """**Returns** these lines with their ends. **Raises** `WorkspaceError`."""
    try:
        whole = (await workspace.read(path)).text
    except WorkspaceError:  # it may be too large for that
        count = min(last - first + 1, MOST_LINES)
        part = await workspace.read_part(path, first=first, count=count, width=MOST_CHARACTERS)
        return "".join(f"{line}\n" for line in part.lines)
    return "".join(line[0] for line in islice(_LINE.finditer(whole), first - 1, last))
