"""The ledger of days: what every run spent is in it once, whatever happens to the processes that write it."""

import asyncio
import fcntl
import os
import signal
import subprocess
from pathlib import Path

import pytest

from agls.engine.facts import (
    Admitted,
    Entry,
    Fact,
    Replied,
    RunEnded,
    RunStarted,
    SessionChanged,
    TurnStarted,
    Used,
)
from agls.engine.ledger import SECONDS, NoLedger, Row, spent
from agls.engine.limits import NOTHING, Totals
from agls.engine.vocabulary import Stop, StopReason, Usage
from agls.stores.files import FileStore
from agls.stores.ledger import DayLedger, name_of
from stores.test_processes import start

pytestmark = pytest.mark.promise("P11")

DAY = 20_778
NOON = DAY * SECONDS + 43_200.0
MIDNIGHT = (DAY + 1) * SECONDS + 0.0
DONE = Stop(StopReason.END_TURN)
SPEND = """
import asyncio, sys
from pathlib import Path
from agls.engine.facts import Entry, Replied, RunStarted, SessionChanged
from agls.engine.ledger import Row
from agls.engine.limits import Totals
from agls.engine.vocabulary import Usage
from agls.stores.files import FileStore
from agls.stores.ledger import DayLedger
from stores.test_ledger import DAY, NOON

async def spend(name, calls):
    store = FileStore(Path(sys.argv[1]))
    ledger = DayLedger(Path(sys.argv[1]), store.follow)
    journal = store.create(f"ses_{name}")
    journal.append(Entry(1, NOON, SessionChanged("/project")), Entry(2, NOON, RunStarted(f"run_{name}")))
    used = Totals()
    await ledger.enter(Row(DAY, f"ses_{name}", f"run_{name}", "ci", used))
    for seq in range(3, 3 + calls):
        journal.append(Entry(seq, NOON, Replied(f"item_{seq}", "ok", usage=Usage(10, 1), cost=0.5)))
        used = used.spent(Usage(10, 1), 0.5)
        await ledger.enter(Row(DAY, f"ses_{name}", f"run_{name}", "ci", used))
        print(seq, flush=True)
    await ledger.enter(Row(DAY, f"ses_{name}", f"run_{name}", "ci", used, ended=True))

name, calls = sys.stdin.readline().split()
asyncio.run(spend(name, int(calls)))
"""


def ledger_of(folder: Path) -> DayLedger:
    return DayLedger(folder, FileStore(folder).follow)


def row(run: str, cost: float = 1.0, *, ended: bool = True, day: int = DAY, caller: str = "") -> Row:
    return Row(day, f"ses_{run}", run, caller, Totals(model_calls=2, cost=cost), ended)


def left_by_a_dead_process(folder: Path, *timed: tuple[float, Fact]) -> None:
    journal = FileStore(folder).create("ses_run_1")
    journal.append(*(Entry(seq, at, fact) for seq, (at, fact) in enumerate(timed, 1)))
    journal.close()


def replied(cost: float) -> Replied:
    return Replied("item", "ok", usage=Usage(10, 1), cost=cost)


async def test_the_last_row_of_a_run_counts_and_everybody_sees_it(tmp_path: Path) -> None:
    mine, other = ledger_of(tmp_path), ledger_of(tmp_path)
    await mine.enter(row("run_1", 1.0, ended=False))
    await mine.enter(row("run_1", 2.0), row("run_2", 0.5, caller="ci"))
    await mine.enter(row("run_1", 2.0))
    await other.enter(row("run_3", 4.0), row("run_4", 8.0, day=DAY + 1))
    for ledger in (mine, other, ledger_of(tmp_path)):
        rows = {each.run_id: each for each in await ledger.rows(DAY)}
        assert rows == {"run_1": row("run_1", 2.0), "run_2": row("run_2", 0.5, caller="ci"),
                        "run_3": row("run_3", 4.0)}  # fmt: skip
        assert ledger.days() == [DAY + 1, DAY]
    assert name_of(DAY) == "2026-11-21"
    assert (tmp_path / "usage").stat().st_mode & 0o77 == 0
    assert await ledger_of(tmp_path / "none").rows(DAY) == []


async def test_the_runs_of_a_session_are_added_up_for_each_caller(tmp_path: Path) -> None:
    """The file of a day does not grow with the number of runs."""
    ledger, file = ledger_of(tmp_path), tmp_path / "usage/2026-11-21/ses_1.json"
    sizes = list[int]()
    for number in range(20):
        for ended in (False, True, True):
            caller = "ci" if number % 2 else ""
            used = Totals(model_calls=1, cost=0.25)
            await ledger.enter(Row(DAY, "ses_1", f"run_{number:02}", caller, used, ended))
        sizes.append(file.stat().st_size)
    rows = await ledger_of(tmp_path).rows(DAY)
    assert [(row.caller, row.runs, row.used) for row in rows] == [
        ("", 10, Totals(model_calls=10, cost=2.5)),
        ("ci", 10, Totals(model_calls=10, cost=2.5)),
    ]
    assert sizes[-1] == max(sizes) < 300


@pytest.mark.parametrize(
    "content",
    [b"", b'{"ended": [{"call', b"[1]", b'{"ended": [{"caller": ""}]}', b'{"going": 3}', b"\0" * 90],
)
async def test_a_file_that_is_not_whole_says_nothing_and_is_written_again(
    tmp_path: Path, content: bytes
) -> None:
    ledger, file = ledger_of(tmp_path), tmp_path / "usage/2026-11-21/ses_run_1.json"
    await ledger.enter(row("run_1"), row("run_2"))
    file.write_bytes(content)
    assert [each.run_id for each in await ledger.rows(DAY)] == ["run_2"]
    await ledger.enter(row("run_1", 3.0))
    for reader in (ledger, ledger_of(tmp_path)):
        assert [(each.run_id, each.used.cost) for each in await reader.rows(DAY)] == [
            ("run_1", 3.0),
            ("run_2", 1.0),
        ]


async def test_stopped_reader_stops_no_other(tmp_path: Path) -> None:
    """It has the lock: the row waits, and the loop goes on."""
    ledger, file = ledger_of(tmp_path), tmp_path / "usage/2026-11-21/ses_run_1.json"
    await ledger.enter(row("run_1", 1.0, ended=False))
    with file.open("rb") as stopped:
        fcntl.flock(stopped, fcntl.LOCK_SH)
        entering = asyncio.ensure_future(ledger.enter(row("run_1", 2.0)))
        await ledger.enter(row("run_2"))
        assert not entering.done()
        fcntl.flock(stopped, fcntl.LOCK_UN)
        await entering
    assert [each.used.cost for each in await ledger_of(tmp_path).rows(DAY)] == [2.0, 1.0]


async def test_a_full_disk_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = ledger_of(tmp_path)
    await ledger.enter(row("run_1", 2.0, ended=False))
    write = os.pwrite

    def half(fd: int, data: bytes, at: int) -> int:
        monkeypatch.undo()
        return write(fd, data[: len(data) // 2], at)

    monkeypatch.setattr(os, "pwrite", half)
    with pytest.raises(OSError, match="No space left"):
        await ledger.enter(row("run_1", 3.0))
    assert [each.used.cost for each in await ledger_of(tmp_path).rows(DAY)] == [2.0]


async def test_spending_of_a_dead_process_is_read_from_its_journal(tmp_path: Path) -> None:
    """A process was killed before it wrote down what it spent: nothing is lost, nothing counts twice."""
    left_by_a_dead_process(
        tmp_path,
        (NOON, SessionChanged("/project")), (NOON, RunStarted("run_0")), (NOON, TurnStarted("t", "m")),
        (NOON, replied(9.0)), (NOON, RunEnded("run_0", DONE)),
        (NOON, Admitted("run_1", "i", ())), (NOON, RunStarted("run_1")), (NOON + 5, TurnStarted("t", "m")),
        (NOON + 6, replied(1.0)), (NOON + 6, Used("critic", Usage(5, 5), 0.25)),
        (MIDNIGHT - 1, TurnStarted("t", "m")), (MIDNIGHT + 1, replied(2.0)),
        (MIDNIGHT + 2, TurnStarted("t", "m")), (MIDNIGHT + 4, replied(4.0)),
    )  # fmt: skip
    dead = ledger_of(tmp_path)
    await dead.enter(Row(DAY, "ses_run_1", "run_1", "ci"))
    for _ in range(2):
        ledger = ledger_of(tmp_path)
        (before,) = await ledger.rows(DAY)
        (after,) = await ledger.rows(DAY + 1)
        assert (before.used.cost, before.used.model_calls, before.used.turns) == (3.25, 3, 2)
        assert (after.used.cost, after.used.model_calls, after.used.turns) == (4.0, 1, 1)
        assert (after.ended, before.caller, after.caller) == (True, "ci", "ci")
        assert before.used.seconds + after.used.seconds == MIDNIGHT + 2 - NOON, "up to its last turn"


async def test_a_run_that_goes_on_elsewhere_is_left_alone_until_it_has_ended(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    journal = store.create("ses_run_1")
    journal.append(Entry(1, NOON, RunStarted("run_1")), Entry(2, NOON, replied(1.0)))
    await ledger_of(tmp_path).enter(row("run_1", 0.5, ended=False))
    (seen,) = await ledger_of(tmp_path).rows(DAY)
    assert (seen.used.cost, seen.ended) == (0.5, False)
    journal.append(Entry(3, NOON, RunEnded("run_1", DONE)))
    (seen,) = await ledger_of(tmp_path).rows(DAY)
    assert (seen.used.cost, seen.ended) == (1.0, True)
    journal.close()


async def test_spending_of_a_deleted_session_stays(tmp_path: Path) -> None:
    await ledger_of(tmp_path).enter(row("run_1", 0.5, ended=False))
    (seen,) = await ledger_of(tmp_path).rows(DAY)
    assert (seen.used.cost, seen.ended) == (0.5, True)


async def test_two_processes_share_it_and_one_of_them_is_killed(tmp_path: Path) -> None:
    """Neither loses nor doubles what the other writes; what the killed one spent is what its journal says."""
    one, other = start(SPEND, tmp_path), start(SPEND, tmp_path)
    for process, told in ((one, "one 100000\n"), (other, "other 200\n")):
        assert process.stdin
        process.stdin.write(told)
        process.stdin.flush()
    assert one.stdout
    for _ in range(40):
        assert one.stdout.readline()
    assert other.wait() == 0
    one.send_signal(signal.SIGKILL)
    assert one.wait() == -signal.SIGKILL
    entries = FileStore(tmp_path).peek("ses_one")
    calls = sum(isinstance(entry.fact, Replied) for entry in entries)
    assert calls >= 40
    for _ in range(2):
        used = {each.run_id: each.used for each in await ledger_of(tmp_path).rows(DAY)}
        assert used["run_one"] == spent(entries, "run_one")[DAY]
        assert used["run_one"].model_calls == calls
        assert used["run_one"].cost == calls * 0.5
        assert used["run_other"] == NOTHING.spent(Usage(2000, 200), 100.0, calls=200)
    for process in (one, other):
        close(process)


def close(process: subprocess.Popen[str]) -> None:
    for stream in (process.stdin, process.stdout):
        if stream:
            stream.close()


async def test_a_state_folder_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "usage").write_text("in the way")
    with pytest.raises(OSError):
        await ledger_of(tmp_path).enter(row("run_1"))


async def test_no_ledger_keeps_nothing() -> None:
    await NoLedger().enter(row("run_1"))
    assert await NoLedger().rows(DAY) == ()
    assert spent([], "run_1") == {}
