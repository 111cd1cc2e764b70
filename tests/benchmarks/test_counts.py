"""What turns cost, in Python calls of the server's main thread: counts are the same on every machine."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks import counting
from benchmarks.peers import Bench, Conversation, Model

LONG = 200  # tool calls, each in a turn of its own
NOISE = 1.05  # of the event loop: how many of its rounds a turn takes depends on the machine
MOST = {"prompt": 4_000, "tool call": 2_380}  # calls; what makes one of them dearer is worth a look first
FEW, MANY = 5, 20  # repetitions
GARBAGE = 50  # objects that a prompt leaves to the garbage collector: the parser of its answer


class Counted:
    """A session of a server whose calls are counted."""

    def __init__(self, talking: Conversation, file: Path, workspace: Path) -> None:
        self._talking, self._file, self._workspace = talking, file, workspace

    def tools(self, count: int) -> None:
        """Run a prompt with so many tool calls, one behind the other."""
        self._talking.run("tools", count=count, folder=str(self._workspace))

    def least(self, work: Callable[[], object], enough: int | None = None) -> int:
        """Return the calls of this work, of several repetitions the fewest.

        On a busy machine messages come in more pieces: it is repeated more often until there are `enough`.
        """
        self._taken()
        found: list[int] = []
        while len(found) < FEW or (enough and min(found) > enough and len(found) < MANY):
            work()
            self._talking.client.idle(0.1)  # what a run leaves to be done belongs to it
            found.append(self._taken()["calls"])
        return min(found)

    def garbage(self, work: Callable[[], object]) -> int:
        """Return how many objects this work leaves to the garbage collector."""
        work()  # what is made once is made now
        self._taken()
        work()
        self._talking.client.idle(0.1)
        return self._taken()["garbage"]

    def hello(self) -> None:
        """Run a prompt without tools."""
        self._talking.run("hello")

    def _taken(self) -> dict[str, int]:
        os.kill(self._talking.client.process_id, signal.SIGUSR1)
        until = time.monotonic() + 20
        while not self._file.exists() and time.monotonic() < until:
            self._talking.client.idle(0.01)
        counts = json.loads(self._file.read_text())
        self._file.unlink()
        return counts


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Counted]:
    file = tmp_path / "counted" / "counts.json"  # not beside the config file, where rooms look for texts
    file.parent.mkdir()
    with Model() as model:
        bench = Bench(model, tmp_path, (sys.executable, counting.__file__, str(file)))
        talking = bench.ready("agls")
        counted = Counted(talking, file, bench.workspace)
        counted.hello()
        counted.tools(2)
        yield counted
        talking.client.close()


@pytest.mark.timeout(180)
def test_turns_make_no_more_calls_than_they_may_and_in_a_long_session_no_more_than_at_its_beginning(
    session: Counted,
) -> None:
    works = {"prompt": session.hello, "five tool calls": lambda: session.tools(5)}
    one = session.least(lambda: session.tools(1))
    before = {name: session.least(work, MOST.get(name)) for name, work in works.items()}
    counts = {"prompt": before["prompt"], "tool call": (before["five tool calls"] - one) // 4}
    assert {name: count for name, count in counts.items() if count > MOST[name]} == {}
    session.tools(LONG)

    after = {name: session.least(work) for name, work in works.items()}

    assert {name: after[name] for name in works if after[name] > NOISE * before[name]} == {}, before


@pytest.mark.timeout(180)
def test_runs_leave_no_circles_to_the_garbage_collector(session: Counted) -> None:
    """A run that its own features keep waits for a collection, which stops all runs for milliseconds."""
    works = {"prompt": session.hello, "tool call": lambda: session.tools(1)}
    left = {name: session.garbage(work) for name, work in works.items()}
    assert {name: count for name, count in left.items() if count > GARBAGE} == {}
