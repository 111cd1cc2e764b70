"""Real processes on one store: one writer, freed by its death, never two."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agls.engine.facts import RunStarted
from agls.engine.ports import JournalBusy
from agls.stores.files import FileStore
from support.patience import PATIENCE
from support.store_samples import SAMPLES, conversation, entries_of

pytestmark = pytest.mark.promise("P6", "P13")

ENTRIES = entries_of(SAMPLES)
HOLD = """
import sys, time
from pathlib import Path
from support.store_samples import SAMPLES, entries_of
from agls.stores.files import FileStore
journal = FileStore(Path(sys.argv[1])).create("ses_1")
journal.append(*entries_of(SAMPLES))
print("ready", flush=True)
sys.stdin.read()
"""
COUNT = """
import sys
from pathlib import Path
from agls.engine.facts import Entry, Noted
from agls.stores.files import FileStore
journal = FileStore(Path(sys.argv[1])).create("ses_1")
for seq in range(1, 1_000_000):
    journal.append(Entry(seq, 1.0, Noted("test", "count", {"text": "x" * (seq % 5000)})))
    sys.stdout.write(f"{seq}\\n")
    sys.stdout.flush()
"""
LIST = """
import sys
from pathlib import Path
from agls.stores.files import FileStore
store = FileStore(Path(sys.argv[1]))
for _ in range(20):
    rows, _ = store.list(search="message")
    print(",".join(row.session_id for row in rows))
"""
TESTS = str(Path(__file__).parents[1])


def start(script: str, store: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, str(store)],
        env={**os.environ, "PYTHONPATH": TESTS},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    process = start(HOLD, tmp_path)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    yield process
    end(process)


@pytest.mark.row(79)
def test_a_second_process_may_read_but_not_write(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    """The second writer is refused."""
    store = FileStore(tmp_path)
    with pytest.raises(JournalBusy, match="end that agls process"):
        store.open("ses_1")
    assert store.peek("ses_1") == ENTRIES


def test_the_death_of_the_writer_frees_the_session(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    journal = FileStore(tmp_path).open("ses_1")
    assert journal.entries() == ENTRIES
    journal.append(*entries_of(SAMPLES, after=len(ENTRIES)))


def test_a_run_of_another_process_is_listed_as_running_until_that_process_dies(
    tmp_path: Path, holder: subprocess.Popen[str]
) -> None:
    store = FileStore(tmp_path)
    mine = store.create("ses_mine")
    mine.append(*conversation("hello")[:3])
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    journal = store.open("ses_1")
    journal.append(*entries_of([RunStarted("run_9")], after=len(ENTRIES)))
    assert states(store) == {"ses_1": "running", "ses_mine": "running"}
    journal.close()
    assert states(store) == {"ses_1": "idle", "ses_mine": "running"}


def states(store: FileStore) -> dict[str, str]:
    return {row.session_id: row.state for row in store.list()[0]}


@pytest.mark.row(74)
@pytest.mark.parametrize("lines", [1, 50, 300])
def test_kill_loses_no_entry_whose_append_returned(tmp_path: Path, lines: int) -> None:
    """Kill -9 between any two facts."""
    process = start(COUNT, tmp_path)
    assert process.stdout
    for _ in range(lines):
        process.stdout.readline()
    process.kill()
    told = [int(line) for line in process.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
    process.wait()
    end(process)
    journal = FileStore(tmp_path).open("ses_1")
    numbers = [entry.seq for entry in journal.entries()]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) >= max([lines, *told])


def test_two_processes_may_list_at_once(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    expected = [f"ses_{number}" for number in range(30)]
    for number, name in enumerate(expected):
        store.create(name).append(*conversation("message", at=1e6 - 1000.0 * number))
    processes = [start(LIST, tmp_path) for _ in range(2)]
    for process in processes:
        out, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
        assert set(out.splitlines()) == {",".join(expected)}
