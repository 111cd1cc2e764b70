"""The results of the runs of a session, for everybody who waits for them."""

import asyncio
from collections.abc import Callable, Iterable, Sequence

from agls.engine.admission import fail
from agls.engine.loop import RunResult
from agls.engine.ports import JournalError

REMEMBERED = 16  # results of ended runs that can still be asked for


class Results(dict[str, asyncio.Future[RunResult]]):
    """The results by run: of those that were admitted, and of the last that ended."""

    def expect(self, run_id: str) -> None:
        """Expect the result of a run that was admitted."""
        for ended in [i for i, result in self.items() if result.done()][:-REMEMBERED]:
            del self[ended]
        self[run_id] = asyncio.get_running_loop().create_future()

    def fail(self, run_ids: Iterable[str], problem: JournalError | None = None) -> None:
        """Fail the waits for these runs: their ends will not be seen here."""
        fail((self[run_id] for run_id in run_ids), problem)

    async def all_but(self, waiting: Callable[[], Sequence[str]]) -> None:
        """Wait until all runs ended but those that wait in the queue."""
        while ending := {result for i, result in self.items() if not (result.done() or i in waiting())}:
            await asyncio.wait(ending)
