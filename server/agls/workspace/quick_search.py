"""Searching in a thread of the server: for expressions that are quick on lines of a known width.

Starting `searcher.py` takes longer than most searches. Ripgrep runs as a command, under a keeper.
"""

import asyncio
import concurrent.futures
import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, NamedTuple

from agls.engine.ports import WorkspaceError
from agls.workspace.handles import folder_beneath
from agls.workspace.searcher import FoundFile, Search, SearchBounds, TimeOver
from agls.workspace.sieve import Sieve

ALONE, SIEVED = 0.02, 0.15  # seconds of a thread for reading and matching: without ripgrep, and with it
_SIZES = (400, 10_000, 100_000)  # files of the batches for ripgrep; the first is read without it
_LARGEST = 200_000  # characters of a text
_STALL = 5.0  # seconds that ripgrep may take for a batch

Run = Callable[[Sequence[str]], Coroutine[Any, Any, Sequence[bytes] | None]]  # with arguments: the paths


class SearchAnswer(NamedTuple):
    """The answer to a question of `searcher.py`: the matches, and what it says at its end."""

    found: Sequence[FoundFile]
    searched: int = 0
    more: bool = False
    stopped: bool = False
    problem: int = 0
    binary: Sequence[str] = ()
    large: Sequence[str] = ()


def read_answer(output: str) -> SearchAnswer:
    """Return the answer that `searcher.py` wrote. A program that was killed did not write its last line."""
    found: list[FoundFile] = []
    answer, cut = SearchAnswer(found, stopped=True), False
    for line in output.splitlines():
        try:
            part = json.loads(line)
        except ValueError:  # cut, by the limit of an answer or by the end of the program
            cut = True
            continue
        if isinstance(part, dict):
            answer = SearchAnswer(found, **part)
        else:
            found.append(part)
    return answer._replace(more=answer.more or (cut and not answer.stopped))


async def search_quickly(
    question: Mapping[str, Any],
    width: int,
    seconds: float,
    run: Run,
    report: Callable[[FoundFile], None],
) -> SearchAnswer | None:
    """Search lines of up to `width` characters, for so many seconds at most.

    Each file is reported to the event loop as soon as it is found. Everything that it began is over when it
    returns or raises.

    **Returns** `None` when the search cannot begin, and when it is too much for a thread of the server.
    """
    ripgrep = _Ripgrep(run)
    start = ripgrep.start
    sieve = Sieve(question["ripgrep"], question["needed"], question["max_bytes"], start, _SIZES, _STALL)
    found: list[FoundFile] = []
    loop = asyncio.get_running_loop()

    def take(file: FoundFile) -> None:
        found.append(file)
        loop.call_soon_threadsafe(report, file)

    bounds = SearchBounds(SIEVED if sieve.works else ALONE, _LARGEST, width)
    search = Search(question, sieve, take, bounds)
    try:
        async with asyncio.timeout(seconds):
            is_done = await asyncio.to_thread(_look, search, question["real"])
    except TimeoutError:
        seen = tuple(search.binary), tuple(search.large)
        return SearchAnswer(tuple(found), search.searched, search.more, True, 0, *seen)
    finally:
        search.is_over = True
        await ripgrep.aclose()
    if not is_done:
        return None
    return SearchAnswer(found, search.searched, search.more, binary=search.binary, large=search.large)


def _look(search: Search, real: str) -> bool:
    try:
        with folder_beneath(real, ()) as root:
            search.look(root)
    except (TimeOver, OSError):
        return False
    return True


class _Ripgrep:
    """Ripgrep as commands of the server, started from the thread that searches."""

    def __init__(self, run: Run) -> None:
        self._run, self._loop = run, asyncio.get_running_loop()
        self._tasks = set[asyncio.Task[Sequence[bytes] | None]]()
        self._is_over = False

    def start(self, argv: list[str]) -> "_Batch":
        """Start one with these arguments."""
        return _Batch(asyncio.run_coroutine_threadsafe(self._paths(argv), self._loop))

    async def aclose(self) -> None:
        """End those that still run; no other begins, also where the thread has just asked for one."""
        self._is_over = True
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _paths(self, argv: list[str]) -> Sequence[bytes] | None:
        if not argv or self._is_over:
            return ()
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        try:
            return await self._run(argv)
        except WorkspaceError:
            return None
        finally:
            self._tasks.discard(task)


class _Batch:
    """Ripgrep at work on one batch; see `sieve.Running`."""

    def __init__(self, paths: concurrent.futures.Future[Sequence[bytes] | None]) -> None:
        self.stalled = False
        self._paths = paths

    def found(self, stall: float | None) -> Sequence[bytes] | None:
        """See `sieve.Running`."""
        try:
            return self._paths.result(stall)
        except TimeoutError:
            self.stalled = True
            self._paths.cancel()
        except concurrent.futures.CancelledError:  # the search is over
            pass
        return None
