"""What a search found as text: rows grouped by file."""

from collections.abc import Callable, Iterator, Sequence
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


class LiveRows:
    """Shows the rows of each file as soon as it is found: together they are the beginning of the answer."""

    def __init__(self, show: Callable[[str], None], output: Output, *, in_groups: bool) -> None:
        self._show, self._in_groups = show, in_groups
        self._output: Output = output
        self._is_first = True

    def add(self, file: MatchingFile) -> None:
        """Show the rows of a file."""
        between = "" if self._is_first else "\n\n" if self._output == "content" else "\n"
        self._is_first = False
        self._show(between + "\n".join(rows([file], self._output, in_groups=self._in_groups)))


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
