"""What turns cost, in Python calls of the server's main thread: counts are the same on every machine."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks import counting
from benchmarks.peers import Bench, Conversation, Model

LONG = 500  # tool calls, each in a turn of its own
NOISE = 1.05  # of the event loop: how many of its rounds a turn takes depends on the machine


class Counted:
    """A session of a server whose calls are counted."""

    def __init__(self, talking: Conversation, file: Path, workspace: Path) -> None:
        self._talking, self._file, self._workspace = talking, file, workspace

    def tools(self, count: int) -> None:
        """Run a prompt with so many tool calls, one behind the other."""
        self._talking.run("tools", count=count, folder=str(self._workspace))

    def least(self, work: Callable[[], object]) -> int:
        """Return the calls of this work, of several repetitions the fewest."""
        self._taken()
        found: list[int] = []
        for _ in range(5):
            work()
            self._talking.client.idle(0.1)  # what a run leaves to be done belongs to it
            found.append(self._taken())
        return min(found)

    def hello(self) -> None:
        """Run a prompt without tools."""
        self._talking.run("hello")

    def _taken(self) -> int:
        os.kill(self._talking.client.process_id, signal.SIGUSR1)
        until = time.monotonic() + 20
        while not self._file.exists() and time.monotonic() < until:
            self._talking.client.idle(0.01)
        counts = int(self._file.read_text())
        self._file.unlink()
        return counts


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Counted]:
    file = tmp_path / "counts.json"
    with Model() as model:
        bench = Bench(model, tmp_path, (sys.executable, counting.__file__, str(file)))
        talking = bench.ready("agls")
        counted = Counted(talking, file, bench.workspace)
        counted.hello()
        counted.tools(2)
        yield counted
        talking.client.close()


@pytest.mark.timeout(180)
def test_turns_of_a_long_session_make_no_more_calls_than_at_its_beginning(session: Counted) -> None:
    works = {"prompt": session.hello, "tool call": lambda: session.tools(5)}
    before = {name: session.least(work) for name, work in works.items()}
    session.tools(LONG)

    after = {name: session.least(work) for name, work in works.items()}

    assert {name: after[name] for name in works if after[name] > NOISE * before[name]} == {}, before
