"""The files of a workspace, as the editor and the disk hold them, found by name and by content."""

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agls.engine.line_search import FoundLines, LineSearch, MatchingFile, SearchLine
from agls.engine.ports import Command, WorkspaceError
from agls.json_values import is_list
from agls.workspace.documents import WorkspaceDocuments
from agls.workspace.files import explained, remove_leftover
from agls.workspace.globs import Pattern, parse_glob, path_matcher
from agls.workspace.handles import folder_beneath
from agls.workspace.hidden_files import Hiding, beneath
from agls.workspace.output import OutputBuffer
from agls.workspace.paths import Ground, ResolvedPath
from agls.workspace.processes import Processes
from agls.workspace.walker import EVERYTHING, Folder, Parts, WalkFilter, walk

if TYPE_CHECKING:
    from agls.workspace.quick_search import SearchAnswer
    from agls.workspace.searcher import FoundFile

_START = "import sys; sys.path.append(sys.argv.pop(1)); from agls.workspace import searcher; searcher.main()"
_SEARCHER = (sys.executable, "-I", "-S", "-W", "ignore", "-c", _START, str(Path(__file__).parents[2]))
_ANSWER = 32_000_000  # bytes of an answer: 500 matches, each with 40 lines around
_SPARE = 2.0  # seconds after which a search that does not end by itself is ended
_PORTION = 0.03  # seconds of walking at a time: an abandoned walk ends that soon


Question = dict[str, Any]
Report = Callable[[MatchingFile], None]


def unreported(file: MatchingFile) -> None:
    """Report nothing: the answer is read when the search has ended."""


class LiveResults:
    """What a search found so far: each file is reported once, until the search is over."""

    def __init__(self, report: "Callable[[FoundFile], None]") -> None:
        self._report, self._rest = report, ""
        self._known: set[str] = set()
        self.is_over = False

    def take(self, file: "FoundFile") -> None:
        """Report a file, unless it is known: a search may begin anew."""
        if not self.is_over and file[0] not in self._known:
            self._known.add(file[0])
            self._report(file)

    def read(self, output: str) -> None:
        """Report the files in a part of the output of the program; of a flood some are not shown."""
        *lines, self._rest = (self._rest + output).split("\n")
        for line in lines:
            with suppress(ValueError):
                part: Any = json.loads(line)
                if is_list(part):
                    self.take((part[0], part[1], part[2]))


class FileTree:
    """The walks and searches of a workspace. Hidden files are never found."""

    def __init__(
        self,
        ground: Ground,
        documents: WorkspaceDocuments,
        hiding: Hiding,
        processes: Processes,
        which: Callable[[str], str],
    ) -> None:
        self._ground, self._hiding = ground, hiding
        self._documents = documents
        self._processes, self._which = processes, which

    def hides(self, target: ResolvedPath, parts: Parts) -> bool:
        """Return whether the file or folder at `parts` under the root of this target is hidden."""
        return self._hiding.hides(beneath(target.root.real, parts))

    async def walk(self, under: str = "", glob: str = "", exclude: str = "") -> AsyncGenerator[Sequence[str]]:
        """Yield the paths of the files below that fit the glob, as people read them, in portions.

        What fits the glob `exclude`, and what is in a folder that does, is left out.

        Files that exist only as documents come first.

        **Raises** `WorkspaceError`.
        """
        target, patterns = self._ground.enter(under), _parsed(glob)
        wanted = WalkFilter(patterns, hidden=self._hidden_in(target), excluded=_excluded(exclude))
        if new := self._new(target, wanted):
            yield self._shown(target, new)
        folders = _walked(target, wanted)
        try:
            while (paths := await asyncio.to_thread(self._portion, target, folders)) is not None:
                if paths:
                    yield paths
        except WorkspaceError:
            if not new:
                raise
        finally:
            with suppress(ValueError):  # a thread is still in it: it ends there
                folders.close()

    def _portion(self, target: ResolvedPath, folders: Iterator[Folder]) -> Sequence[str] | None:
        """Return the paths found within `_PORTION` seconds, at least one folder; `None` at the end."""
        paths: list[str] | None = None
        end = time.monotonic() + _PORTION
        for folder in folders:
            above = f"{self._ground.show(target.root, folder.parts)}/".removeprefix("./")
            paths = paths or []
            paths += [above + name for name in folder.files]
            if time.monotonic() > end:
                break
        return paths

    async def search(self, wanted: LineSearch, report: Report = unreported) -> FoundLines:
        """Search the lines of the files below; unsaved text replaces the stored.

        Each file is reported as soon as it is found. **Raises** `WorkspaceError`.
        """
        target, patterns = self._ground.enter(wanted.under), _parsed(wanted.glob)
        question = self._question(target, patterns, wanted)
        found = LiveResults(lambda file: report(self._matching(target, file)))
        try:
            answer = await self._quickly(question, target, wanted, found)
            answer = answer or await self._by_program(question, target, wanted, found)
        finally:
            found.is_over = True
        if answer.problem and not question["new"]:
            with explained(target.place.shown):
                raise OSError(answer.problem, "")
        files = [self._matching(target, file) for file in answer.found]
        binary = [self._named(target, name) for name in answer.binary]
        large = [self._named(target, name) for name in answer.large]
        return FoundLines(files, answer.searched, answer.more, answer.stopped, binary, large)

    def _matching(self, target: ResolvedPath, file: "FoundFile") -> MatchingFile:
        name, count, rows = file
        return MatchingFile(self._named(target, name), count, [SearchLine(*row) for row in rows])

    def _named(self, target: ResolvedPath, name: str) -> str:
        return self._ground.show(target.root, name.split("/"))

    async def _quickly(
        self, question: Question, target: ResolvedPath, wanted: LineSearch, found: LiveResults
    ) -> "SearchAnswer | None":
        async def ripgrep(argv: Sequence[str]) -> Sequence[bytes] | None:
            command = Command(tuple(argv), timeout=wanted.seconds, keep=_ANSWER)
            with folder_beneath(target.root.real, ()) as folder:
                done = await self._processes.run(
                    command, folder, target.root.real, _unheard, OutputBuffer.exact
                )
            if done.exit_code not in (0, 1) or bool(done.output) != bool(done.total):
                return None
            return os.fsencode(done.output).split(b"\0")[:-1]

        if not wanted.swift_width or wanted.multiline:
            return None
        from agls.workspace.quick_search import search_quickly  # noqa: PLC0415 - a session begins without it

        return await search_quickly(question, wanted.swift_width, wanted.seconds, ripgrep, found.take)

    async def _by_program(
        self, question: Question, target: ResolvedPath, wanted: LineSearch, found: LiveResults
    ) -> "SearchAnswer":
        command = Command(
            _SEARCHER,
            timeout=wanted.seconds + _SPARE,
            keep=_ANSWER,
            stdin=await asyncio.to_thread(json.dumps, question),
        )
        with explained(target.place.shown), folder_beneath(target.root.real, ()) as folder:
            finished = await self._processes.run(command, folder, target.root.real, found.read)
        if finished.exit_code != 0 and not finished.timed_out:
            raise WorkspaceError(f"The search failed: {finished.output.strip()[-500:]}")
        from agls.workspace.quick_search import read_answer  # noqa: PLC0415 - as above

        return await asyncio.to_thread(read_answer, finished.output)

    async def remove_leftovers(self, root: str) -> Sequence[str]:
        """Remove the temporary files of writes whose process was killed. **Returns** their names."""
        target = self._ground.enter(root)
        folders = _walked(target, WalkFilter(leftovers=True))
        found = await asyncio.to_thread(list, folders)
        removed: list[str] = []
        for path in ((*folder.parts, name) for folder in found for name in folder.files):
            leftover = self._ground.enter(str(Path(root, *path)))
            if await asyncio.to_thread(remove_leftover, leftover):
                removed.append(leftover.place.shown)
        return removed

    def _question(self, target: ResolvedPath, patterns: tuple[Pattern, ...], wanted: LineSearch) -> Question:
        unsaved = {
            "/".join(seen.target.parts): seen.buffer.text
            for seen in self._documents.unsaved()
            if seen.target.root == target.root and not self.hides(target, seen.target.parts)
        }
        large = [name for name, text in unsaved.items() if _size(text) > wanted.max_bytes]
        texts = unsaved | dict.fromkeys(large, "")
        excluded = (*_excluded(wanted.exclude), *chain.from_iterable(map(parse_glob, wanted.shut)))
        named = WalkFilter(patterns, tuple(wanted.left_out), only=tuple(wanted.only), excluded=excluded)
        new = map("/".join, self._new(target, named))
        return {
            "start": target.parts,
            "real": target.root.real,
            "patterns": patterns,
            "left_out": wanted.left_out,
            "only": wanted.only,
            "excluded": excluded,
            "hidden": self._hiding.expressions,
            "roots": self._hiding.roots,
            "closed": self._hiding.closed,
            "texts": texts,
            "large": large,
            "new": [name for name in new if name in texts],
            "expression": wanted.expression,
            "ignore_case": wanted.ignore_case,
            "multiline": wanted.multiline,
            "needed": wanted.needed,
            "ripgrep": self._which("rg"),
            "max_bytes": wanted.max_bytes,
            "offset": wanted.offset,
            "limit": wanted.limit,
            "by_line": wanted.by_line,
            "first_only": wanted.first_only,
            "context": wanted.context,
            "width": wanted.width,
            "seconds": wanted.seconds,
        }

    def _new(self, target: ResolvedPath, wanted: WalkFilter) -> list[Parts]:
        """Return the files below that exist only as documents."""
        fits, depth = path_matcher(wanted.patterns), len(target.parts)
        excludes = path_matcher(wanted.excluded)
        found = self._documents.new_below(target)
        return [
            parts
            for parts in found
            if fits("/".join(parts[depth:])) and wanted.chosen((parts[-1],))
            if not any(excludes("/".join(parts[depth:end])) for end in range(depth + 1, len(parts) + 1))
            if not self.hides(target, parts)
        ]

    def _hidden_in(self, target: ResolvedPath) -> Callable[[Parts], bool] | None:
        start = beneath(target.root.real, target.parts)
        return (lambda parts: self.hides(target, parts)) if self._hiding.hides_below(start) else None

    def _shown(self, target: ResolvedPath, paths: Sequence[Sequence[str]]) -> Sequence[str]:
        return [self._ground.show(target.root, parts) for parts in paths]


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _parsed(glob: str) -> tuple[Pattern, ...]:
    try:
        return parse_glob(glob) if glob else EVERYTHING
    except ValueError as problem:
        raise WorkspaceError(f"The glob cannot be used: {problem}.") from problem


def _excluded(glob: str) -> tuple[Pattern, ...]:
    return _parsed(glob) if glob else ()


def _walked(target: ResolvedPath, wanted: WalkFilter) -> Generator[Folder]:
    with explained(target.place.shown), folder_beneath(target.root.real, ()) as root:
        yield from walk(root, target.parts, wanted)


def _unheard(output: str) -> None:
    """Drop live output: the answer is read when the program has ended."""
