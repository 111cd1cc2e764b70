"""What was spent on each day, in one file per day: lines that are only appended, the last of a run counts."""

import asyncio
import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aglet.engine.facts import Entry, RunEnded
from aglet.engine.ledger import SECONDS, Row, spent
from aglet.engine.limits import Totals
from aglet.engine.ports import JournalError, Tail
from aglet.stores.disk import APPEND, PRIVATE, make_private

SUFFIX = ".jsonl"
Key = tuple[int, str]  # the day and the run


class DayLedger:
    """The port `Ledger` over `<state_dir>/usage/<day>.jsonl`.

    A row says all that a run spent on a day, so writing it twice changes nothing, and two processes only
    ever append. A row that is not `ended`, of a session that nobody writes, is of a process that died: its
    journal (`follow`) says what it spent.
    """

    def __init__(self, state_dir: Path, follow: Callable[[str], Tail]) -> None:
        self._state_dir, self._folder, self._follow = state_dir, state_dir / "usage", follow
        self._rows: dict[Key, Row] = {}
        self._read: dict[int, int] = {}  # how far the file of each day was read
        self._mine: set[str] = set()  # runs of this process that go on
        self._reading = threading.Lock()

    async def enter(self, *rows: Row) -> None:
        """Write these rows down; they survive the death of this process, and the end of a run a power cut."""
        self._mine |= {row.run_id for row in rows if not row.ended}
        await asyncio.to_thread(self._enter, rows)
        self._mine -= {row.run_id for row in rows if row.ended}

    async def rows(self, day: int) -> Sequence[Row]:
        """The last row of each run of this day."""
        return await asyncio.to_thread(self._settled, day)

    def days(self) -> Sequence[int]:
        """The days there are rows of, the newest first."""
        names = (path.stem for path in self._folder.glob(f"????-??-??{SUFFIX}"))
        return sorted((_number(name) for name in names), reverse=True)

    def _enter(self, rows: Sequence[Row]) -> None:
        if not self._folder.is_dir():
            make_private(self._state_dir)
            make_private(self._folder)
        for row in rows:
            line = f"\n{json.dumps(_told(row))}\n".encode()  # what was torn before it ends there
            fd = os.open(self._path(row.day), APPEND | os.O_CREAT, PRIVATE)
            try:
                os.write(fd, line)
                if row.ended:
                    os.fsync(fd)
            finally:
                os.close(fd)

    def _settled(self, day: int) -> Sequence[Row]:
        with self._reading:
            for each in (day - 1, day):  # who died today may have begun yesterday
                self._take(each)
            left_open = [row for row in self._rows.values() if not row.ended and day - row.day in {0, 1}]
            for row in left_open:
                if row.run_id not in self._mine:
                    self._settle(row)
            return [row for row in self._rows.values() if row.day == day]

    def _take(self, day: int) -> None:
        """Read on in the file of a day."""
        try:
            with self._path(day).open("rb") as file:
                file.seek(self._read.get(day, 0))
                data = file.read()
        except FileNotFoundError:
            return
        whole = data.rfind(b"\n") + 1
        self._read[day] = self._read.get(day, 0) + whole
        for row in _rows(data[:whole]):
            known = self._rows.get((row.day, row.run_id))
            if not (known and known.ended and not row.ended):
                self._rows[row.day, row.run_id] = row

    def _settle(self, row: Row) -> None:
        """If nobody goes on with this run, take what it spent from its journal."""
        try:
            tail = self._follow(row.session_id)
        except JournalError:  # the session was deleted: what was entered stands
            tail = None
        if tail and tail.held() and not _has_ended(tail.entries(), row.run_id):
            tail.close()
            return
        days = spent(tail.entries(), row.run_id) if tail else {}
        if tail:
            tail.close()
        done = [
            Row(day, row.session_id, row.run_id, row.caller, used, ended=True)
            for day, used in (days or {row.day: row.used}).items()
        ]
        self._enter(done)
        self._rows |= {(each.day, each.run_id): each for each in done}

    def _path(self, day: int) -> Path:
        return self._folder / f"{name_of(day)}{SUFFIX}"


def name_of(day: int) -> str:
    """A day as people write it: 2026-11-21."""
    return datetime.fromtimestamp(day * SECONDS, UTC).date().isoformat()


def _number(name: str) -> int:
    return int(datetime.fromisoformat(name).replace(tzinfo=UTC).timestamp()) // SECONDS


def _has_ended(entries: Sequence[Entry], run_id: str) -> bool:
    return any(isinstance(entry.fact, RunEnded) and entry.fact.run_id == run_id for entry in entries)


def _told(row: Row) -> dict[str, Any]:
    used = {name: count for name, count in row.used._asdict().items() if count}
    ended = {"ended": True} if row.ended else {}
    names = {"day": row.day, "session": row.session_id, "run": row.run_id, "caller": row.caller}
    return {**names, "used": used, **ended}


def _rows(data: bytes) -> Iterator[Row]:
    """The rows of whole lines; a line that was torn or was written by a newer version says nothing."""
    for line in data.splitlines():
        try:
            said = json.loads(line)
            used = Totals(**{name: said["used"].get(name, 0) for name in Totals._fields})
            yield Row(
                said["day"], said["session"], said["run"], said["caller"], used, said.get("ended", False)
            )
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
