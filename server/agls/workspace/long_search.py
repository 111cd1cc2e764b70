"""A search through the lines of a file that is too large to be held: it is read in blocks.

This module is used in isolated programs: it imports the standard library, and modules that import no more.
"""

import codecs
import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from agls.workspace.searched_lines import Row

_BLOCK = 1 << 20
_LONGEST = 1 << 22  # bytes of a line that are searched as one


class LineCut(Protocol):
    """Cuts a line to the width that is shown."""

    def __call__(self, line: str, *, matches: bool) -> str: ...


class LongSearch:
    """What is found in the file: `count` matching lines, and the rows to show of them.

    What was `asked` says how many lines around each are shown, or that only their number or the first one
    counts. Of the `page` the first so many units are left out, and as many are shown. `more` says that there
    are others.
    """

    def __init__(
        self,
        matches: Callable[[str], object],
        cut: LineCut,
        page: tuple[int, int],
        asked: Mapping[str, Any],
    ) -> None:
        self.count = 0
        self.more = False
        self.rows: list[Row] = []
        self._matches, self._cut = matches, cut
        self._skipped, self._left = page
        self._context: int = asked["context"]
        self._by_line, self._first_only = bool(asked["by_line"]), bool(asked["first_only"])
        self._before = deque[tuple[int, str]](maxlen=self._context)
        self._after = 0  # lines behind a match that are still to be shown
        self._last = -1  # the last line that matches

    @property
    def is_found(self) -> bool:
        """Whether the file has a match that is shown."""
        return bool(self.rows if self._by_line else self.count > 0 and not self._skipped and self._left)

    @property
    def page_left(self) -> tuple[int, int]:
        """How much is still to be left out, and how much may still be shown."""
        units = self.count if self._by_line else min(self.count, 1)
        return max(0, self._skipped - units), self._left - max(0, units - self._skipped)

    def look(self, source: int, may_hold: Callable[[bytes], bool]) -> None:
        """Search the open file. A block that `may_hold` no match is not looked at."""
        number = 0
        for block in blocks(source):
            is_cut = not block.endswith((b"\n", b"\r"))
            if not self._context and not may_hold(block) and b"\r" not in block:
                number += block.count(b"\n")
                continue
            lines = _lines(block)
            for at, line in enumerate(lines, number):
                self._take(at, line)
                if self._is_over:
                    return
            number += len(lines) - is_cut

    @property
    def _is_beyond(self) -> bool:
        return not self._skipped and not self._left

    @property
    def _is_over(self) -> bool:
        return (self.more and not self._after) or (self._first_only and self.count > 0)

    def _take(self, at: int, line: str) -> None:
        is_new = at != self._last and not self.more and bool(self._matches(line))
        if is_new:
            self._last = at
            self.more = self.count == self._skipped + self._left if self._by_line else self._is_beyond
            self.count += not self.more
        if is_new and self._by_line and not self.more and self.count > self._skipped:
            self.rows += [(number, False, self._cut(text, matches=False)) for number, text in self._before]
            self.rows.append((at, True, self._cut(line, matches=True)))
            self._before.clear()
            self._after = self._context
        elif self._after:
            self.rows.append((at, False, self._cut(line, matches=False)))
            self._after -= 1
        else:
            self._before.append((at, line))


def blocks(source: int) -> Iterator[bytes]:
    """Yield the file in blocks that end with a line, but for a line that is very long."""
    rest = b""
    while data := os.read(source, _BLOCK):
        data = rest + data
        end = data.rfind(b"\n") + 1 or data.rfind(b"\r", 0, -1) + 1
        if not end and len(data) > _LONGEST:
            end = len(data)
        if end:
            yield data[:end]
        rest = data[end:]
    if rest:
        yield rest


def _lines(block: bytes) -> Sequence[str]:
    try:
        text = block.removeprefix(codecs.BOM_UTF8).decode()
    except UnicodeDecodeError:
        text = block.decode("latin-1")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]
