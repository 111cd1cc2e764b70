"""One page of what a search found: rows grouped by file, as many as fit."""

from collections.abc import Iterator, Sequence
from typing import Literal

from agls.engine.line_search import MatchingFile
from agls.frozen import frozen
from agls.names import spelled

Output = Literal["content", "files", "count"]


@frozen
class SearchPage:
    """The text of a page, how many matching lines or files it shows, and whether something did not fit."""

    text: str
    count: int
    is_cut: bool


@frozen
class _Row:
    text: str
    counts: bool


def page_of(files: Sequence[MatchingFile], output: Output, most: int, *, in_groups: bool) -> SearchPage:
    """Return the first rows that fit in `most` characters, and at least one of those that count.

    Lines are set apart `in_groups` where some between them are left out.
    """
    rows: list[str] = []
    count, size = 0, 0
    for row in _rows(files, output, in_groups):
        size += len(row.text) + 1
        if size > most + 1 and count:
            return SearchPage("\n".join(rows), count, is_cut=True)
        rows.append(row.text)
        count += row.counts
    return SearchPage("\n".join(rows), count, is_cut=False)


def _rows(files: Sequence[MatchingFile], output: Output, in_groups: bool) -> Iterator[_Row]:
    for number, file in enumerate(files):
        name = spelled(file.name)
        if output == "content":
            yield from _excerpt(file, f"\n{name}\n" if number else f"{name}\n", in_groups)
        else:
            yield _Row(f"{name}:{file.count}" if output == "count" else name, counts=True)


def _excerpt(file: MatchingFile, heading: str, in_groups: bool) -> Iterator[_Row]:
    """Yield the lines of a file below its name: `12:text` for a match, `11-text` for those around."""
    before, last = heading, file.lines[0].number - 1
    for line in file.lines:
        gap = "--\n" if in_groups and line.number != last + 1 else ""
        mark = ":" if line.matches else "-"
        yield _Row(f"{before}{gap}{line.number + 1}{mark}{line.text}", line.matches)
        before, last = "", line.number
