"""A search through the lines of files, and the program that runs it.

It is a program of its own, because a regular expression that runs away can only be ended with its process. It
works in the root folder, reads one question (of `tree.py`) from its standard input and writes its answer to
its standard output: one line of JSON for each file as soon as it is found, and one at the end. At its time
limit it ends with what it found. `quick_search.py` runs the same `Search` in the server.
"""

import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from math import inf
from typing import Any, NamedTuple

from agls.regex import regex
from agls.workspace.decoding import Binary, decode
from agls.workspace.handles import O_PATH, open_beneath, opened
from agls.workspace.hidden_files import Hiding, beneath
from agls.workspace.long_search import LongSearch
from agls.workspace.searched_bytes import READ, bytes_of, is_utf16, looks_binary, may_hold
from agls.workspace.searched_lines import Row, excerpt, lines_of, plain_ends, spanned
from agls.workspace.sieve import Sieve
from agls.workspace.walker import Folder, Parts, WalkFilter, walk

Test = Callable[[str], object]
FoundFile = tuple[str, int, list[Row]]  # a file: its path, how many lines match, and those to show

BY_LINE = 20  # times `max_bytes`: a file up to that size is searched line by line
_ALTOGETHER = 100  # times `max_bytes`: what all those files may have
_RUNS = regex(r"[^\0\r\n]+")


class TimeOver(Exception):
    """The time limit, or another bound of the search, is reached."""


def main() -> None:
    """Read the question and write the answer."""
    os.nice(5)  # the editor's requests come first
    asked = json.load(sys.stdin)
    sieve = Sieve(asked["ripgrep"], asked["needed"], asked["max_bytes"])
    search = Search(asked, sieve, _write)
    end: dict[str, object] = {"stopped": False, "problem": 0}
    try:
        signal.signal(signal.SIGALRM, _stop)
        signal.setitimer(signal.ITIMER_REAL, asked["seconds"])
        with opened(os.open(".", O_PATH | os.O_DIRECTORY)) as root:
            search.look(root)
    except TimeOver:
        end["stopped"] = True
    except OSError as error:
        end["problem"] = error.errno or 0
    signal.setitimer(signal.ITIMER_REAL, 0)
    left_out = {"binary": search.binary, "large": search.large}
    _write({**end, "searched": search.searched, "more": search.more, **left_out})


def _write(part: object) -> None:
    sys.stdout.write(json.dumps(part) + "\n")
    sys.stdout.flush()


def _stop(number: int, frame: object) -> None:
    raise TimeOver


class SearchBounds(NamedTuple):
    """The most seconds of a thread that texts may take, and the most characters of a text and of a line."""

    work: float = inf
    text: float = inf
    line: float = inf


UNBOUNDED = SearchBounds()


class Search:
    """A search through files, in the order of the walk, until there is enough. `found` gets each match."""

    def __init__(
        self,
        asked: Mapping[str, Any],
        sieve: Sieve,
        found: Callable[[FoundFile], object],
        bounds: SearchBounds = UNBOUNDED,
    ) -> None:
        self.searched = 0
        self.binary: list[str] = []  # the paths of binary files that match
        self.large: list[str] = []  # the paths of files that are too large to be searched
        self.more = self.is_over = False
        self._asked, self._bounds = asked, bounds
        self._sieve, self._found = sieve, found
        self._worked, self._since = 0.0, 0.0  # seconds of this thread
        self._pattern = re.compile(asked["expression"], _flags(asked))
        search = self._pattern.search
        self._test: Test = search if bounds is UNBOUNDED else self._bounded(search)
        self._needed: list[bytes] = [text.encode() for text in asked["needed"]]
        self._texts: dict[str, str] = asked["texts"]
        self._skipped: int = asked["offset"]
        self._left: int = asked["limit"]
        self._room: int = asked["max_bytes"] * _ALTOGETHER  # bytes of large files that may still be read

    def look(self, root: int) -> None:
        """Search below the open folder `root` until the limit is passed.

        **Raises** `TimeOver`, also soon after somebody set `is_over`, and `OSError` where it cannot begin.
        """
        for name, text in self._each(root):
            if text:
                self._take(name, text)
            if self.more:
                return

    def _bounded(self, test: Test) -> Test:
        def bounded(line: str) -> object:
            self._check()
            if len(line) > self._bounds.line:
                raise TimeOver
            return test(line)

        return bounded

    def _check(self) -> None:
        if self.is_over or self._worked + time.thread_time() - self._since > self._bounds.work:
            raise TimeOver

    def _each(self, root: int) -> Iterator[tuple[str, str]]:
        """Yield each file with the text that counts: the editor's, which no sieve sees, or the stored one.

        The order depends on the names alone.
        """
        new: list[str] = sorted(self._asked["new"])
        self.searched += len(new)
        self._since = time.thread_time()
        yield from ((name, self._unsaved(name)) for name in new)
        self._worked += time.thread_time() - self._since
        for folder in self._sieve.sieved(root, self._walked(root)):
            self._since = time.thread_time()
            yield from self._texts_in(root, folder)
            self._worked += time.thread_time() - self._since

    def _walked(self, root: int) -> Iterator[Folder]:
        """Yield the folders, with the files that are unsaved in the editor apart from the others."""
        asked = self._asked
        expressions: list[str] = asked["hidden"]
        roots = tuple((real, named) for real, named in asked["roots"])
        hiding = Hiding(tuple(expressions), roots, tuple(asked["closed"]))

        def hidden(parts: Parts) -> bool:
            return hiding.hides(beneath(asked["real"], parts))

        start = beneath(asked["real"], asked["start"])
        patterns = tuple(tuple(pattern) for pattern in asked["patterns"])
        wanted = WalkFilter(
            patterns,
            tuple(asked["left_out"]),
            hidden if hiding.hides_below(start) else None,
            only=tuple(asked["only"]),
            excluded=tuple(tuple(pattern) for pattern in asked["excluded"]),
        )
        for folder in walk(root, tuple(asked["start"]), wanted):
            if self.is_over:
                raise TimeOver
            if not folder.files:
                continue
            self.searched += len(folder.files)
            place = "/".join((*folder.parts, ""))
            unsaved = (
                tuple(name for name in folder.files if place + name in self._texts) if self._texts else ()
            )
            files = [name for name in folder.files if name not in unsaved] if unsaved else folder.files
            yield folder._replace(files=files, whole=folder.whole and not unsaved, unsaved=unsaved)

    def _texts_in(self, root: int, folder: Folder) -> Iterator[tuple[str, str]]:
        place = "/".join((*folder.parts, ""))
        try:
            handle = open_beneath(root, folder.parts, O_PATH | os.O_DIRECTORY)
        except OSError:  # it is gone
            return
        with opened(handle):
            for name in sorted((*folder.files, *folder.unsaved)):
                path = f"{place}{name}"
                text = self._unsaved(path) if name in folder.unsaved else self._text(handle, path)
                if text or self.more:
                    yield path, text

    def _unsaved(self, path: str) -> str:
        """Return the editor's text of a file; "" when it is too large, though what is stored may not be."""
        if path in self._asked["large"]:
            self.large.append(path)
        return self._texts[path]

    def _text(self, folder: int, path: str) -> str:
        """Return the text of a file; "" when it is no text, too large, or certainly without a match."""
        self._check()
        try:
            data = bytes_of(folder, path.rpartition("/")[2], self._asked["max_bytes"])
        except OSError:
            return ""
        if len(data) > self._asked["max_bytes"]:
            is_named = path == "/".join(self._asked["start"])
            if is_named or not looks_binary(data):
                self._take_large(folder, path, data, is_named=is_named)
            return ""
        if not may_hold(self._needed, data):
            return ""
        try:
            return decode(data)[0]
        except Binary:
            if self._needed and self._is_in(data.decode("utf-8", "replace")):
                self.binary.append(path)
            return ""

    def _take_large(self, folder: int, path: str, data: bytes, *, is_named: bool) -> None:
        """Search a file that is too large to be held line by line, if there is room, and say so if not."""
        by_line = not (looks_binary(data) or is_utf16(data) or self._asked["multiline"])
        name = path.rpartition("/")[2]
        with suppress(OSError), opened(os.open(name, READ, dir_fd=folder)) as handle:
            size = os.fstat(handle).st_size
            has_room = size <= min(self._room, BY_LINE * self._asked["max_bytes"])
            if not by_line or not (is_named or has_room):
                self.large.append(path)
                return
            if self._bounds is not UNBOUNDED:  # that is for a program of its own
                raise TimeOver
            self._room -= size
            self._search_long(handle, path)

    def _search_long(self, handle: int, path: str) -> None:
        search = LongSearch(self._test, self._cut, (self._skipped, self._left), self._asked)
        try:
            search.look(handle, partial(may_hold, self._needed))
        finally:
            self.more = search.more
            if search.is_found:
                self._found((path, search.count, search.rows))
            self._skipped, self._left = search.page_left

    def _is_in(self, text: str) -> bool:
        """Return whether a binary file matches: zero bytes end lines in it, too."""
        self._check_length(text)
        if self._asked["multiline"]:
            return bool(self._pattern.search(text))
        return any(map(self._test, _RUNS.findall(text)))

    def _check_length(self, text: str) -> None:
        if len(text) > self._bounds.text:
            raise TimeOver

    def _take(self, name: str, text: str) -> None:
        asked = self._asked
        self._check_length(text)
        lines = lines_of(text)
        numbers = list(islice(self._matching(text, lines), 1 if asked["first_only"] else None))
        units = numbers if asked["by_line"] else numbers[:1]
        page = units[self._skipped : self._skipped + self._left]
        self.more = self.more or len(units) > self._skipped + self._left
        self._skipped = max(0, self._skipped - len(units))
        self._left -= len(page)
        if page:
            shown = page if asked["by_line"] else []
            rows = excerpt(lines, shown, asked["context"], self._cut)
            self._found((name, len(numbers), rows))

    def _cut(self, line: str, *, matches: bool) -> str:
        """Return a line in at most `width` characters: its beginning, or those around what matches."""
        width: int = self._asked["width"]
        if len(line) <= width:
            return line
        match = self._pattern.search(line) if matches and not self._asked["multiline"] else None
        begin = 0
        if match and match.end() > width:
            begin = max(0, min(match.start() - width // 4, len(line) - width))
        before = f"[{begin} characters …]" if begin else ""
        left = len(line) - begin - width
        return f"{before}{line[begin : begin + width]}{f'[… {left} more characters]' if left else ''}"

    def _matching(self, text: str, lines: Sequence[str]) -> Iterator[int]:
        if self._asked["multiline"]:
            return spanned(self._pattern, plain_ends(text), lines)
        return (number for number, line in enumerate(lines) if self._test(line))


def _flags(asked: Mapping[str, Any]) -> int:
    case = re.IGNORECASE if asked["ignore_case"] else 0
    return case | re.MULTILINE | re.DOTALL if asked["multiline"] else case
