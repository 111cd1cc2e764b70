"""What a search found as text: rows grouped by file."""

from collections.abc import Iterator, Sequence
from typing import Literal

from agls.engine.line_search import MatchingFile
from agls.names import spelled

Output = Literal["content", "files", "count"]


def rows(files: Sequence[MatchingFile], output: Output, *, in_groups: bool) -> Iterator[str]:
    """Yield the rows. Lines are set apart `in_groups` where some between them are left out."""
    for number, file in enumerate(files):
        name = spelled(file.name)
        if output == "content":
            yield f"\n{name}" if number else name
            yield from _excerpt(file, in_groups)
        else:
            yield f"{name}:{file.count}" if output == "count" else name


def counted(files: Sequence[MatchingFile], output: Output) -> int:
    """Return what `limit` and `offset` count: matching lines that are shown, or files."""
    return sum(line.matches for file in files for line in file.lines) if output == "content" else len(files)


def _excerpt(file: MatchingFile, in_groups: bool) -> Iterator[str]:
    """Yield the lines of a file: `12:text` for a match, `11-text` for those around."""
    last = file.lines[0].number - 1
    for line in file.lines:
        if in_groups and line.number != last + 1:
            yield "--"
        last = line.number
        yield f"{line.number + 1}{':' if line.matches else '-'}{line.text}"
