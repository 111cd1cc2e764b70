"""The spending of each day: a small file per day and session, which only the session's process writes."""

import asyncio
import errno
import fcntl
import json
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from agls.engine.facts import Entry, RunEnded
from agls.engine.ledger import SECONDS, Row, spent
from agls.engine.limits import Totals
from agls.engine.ports import JournalError, Tail
from agls.engine.vocabulary import JsonObject
from agls.stores.disk import PRIVATE, READ, WRITE, make_private, read_all

SUFFIX = ".json"
PATIENCE = 10.0  # seconds for a reader; no run waits longer for its end
_as_json = json.JSONEncoder(separators=(",", ":")).encode
_log = logging.getLogger(__name__)


@dataclass
class DayRecord:
    """The spending of the runs of one session on one day.

    `ended` has a row for each caller, in which all its runs that are over are added up; `going` has the last
    row of each run that was entered and not ended.
    """

    ended: dict[str, Row] = field(default_factory=dict[str, Row])
    going: dict[str, Row] = field(default_factory=dict[str, Row])

    def enter(self, row: Row) -> None:
        """Take in the spending of a run so far, or in the end."""
        before = self.ended.get(row.caller)
        if before and before.run_id == row.run_id:
            return  # the end of this run is recorded already
        if not row.ended:
            self.going[row.run_id] = row
            return
        self.going.pop(row.run_id, None)
        if before:
            row = replace(row, used=before.used.plus(row.used), runs=before.runs + row.runs)
        self.ended[row.caller] = row


class DayLedger:
    """The port `Ledger` over `<state_dir>/usage/<day>/<session id>.json`.

    A session has one writer, so its file has one as well. A run that did not end, of a session that nobody
    writes, is of a process that died: its journal (`follow`) says what it spent.
    """

    def __init__(self, state_dir: Path, follow: Callable[[str], Tail]) -> None:
        self._state_dir = state_dir
        self._folder = state_dir / "usage"
        self._follow = follow
        self._mine: set[str] = set()  # runs of this process that go on
        self._dead: dict[str, Mapping[int, Totals]] = {}  # the spending of runs whose process died
        self._last: dict[str, tuple[bytes, DayRecord]] = {}  # by session: the bytes written, and their record

    async def enter(self, *rows: Row) -> None:
        """Write these rows down; they survive the death of this process. **Raises** `OSError`."""
        self._mine |= {row.run_id for row in rows if not row.ended}
        for row in rows:
            try:
                self._enter(row, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:  # a reader holds it, who may have been stopped
                async with asyncio.timeout(PATIENCE):
                    await asyncio.to_thread(self._enter, row, fcntl.LOCK_EX)
        self._mine -= {row.run_id for row in rows if row.ended}

    async def rows(self, day: int) -> Sequence[Row]:
        """Return the spending on this day by session and caller: ended runs in sum, each other run."""
        return await asyncio.to_thread(lambda: list(self._rows(day)))

    def days(self) -> Sequence[int]:
        """Return the days there are rows of, the newest first."""
        return sorted((_number(path.name) for path in _inside(self._folder) if _is_day(path)), reverse=True)

    def _enter(self, row: Row, lock: int) -> None:
        path = f"{self._folder}/{name_of(row.day)}/{row.session_id}{SUFFIX}"
        try:
            fd = os.open(path, WRITE, PRIVATE)
        except FileNotFoundError:  # the first of this day
            for folder in (self._state_dir, self._folder, self._path(row.day)):
                make_private(folder)
            fd = os.open(path, WRITE, PRIVATE)
        try:
            fcntl.flock(fd, lock)  # no reader sees half of it
            before = read_all(fd)
            written, record = self._last.pop(row.session_id, (b"", DayRecord()))
            if before != written:
                record = _parsed(before, Path(path), row.day)
            record.enter(row)
            self._last[row.session_id] = _overwrite(fd, before, _encoded(record)), record
        finally:
            os.close(fd)

    def _rows(self, day: int) -> Iterator[Row]:
        today = list(self._records(day))
        yesterday = list(self._records(day - 1))  # a run that died today may have begun then
        for record in today:
            yield from record.ended.values()
        seen = set[str]()
        for row in (row for record in (*today, *yesterday) for row in record.going.values()):
            if row.run_id not in seen and (found := self._settled(row, day)):
                seen.add(row.run_id)
                yield found

    def _records(self, day: int) -> Iterator[DayRecord]:
        for path in _inside(self._path(day)):
            fd = os.open(path, READ)
            try:
                fcntl.flock(fd, fcntl.LOCK_SH)
                yield _parsed(read_all(fd), path, day)
            finally:
                os.close(fd)

    def _settled(self, row: Row, day: int) -> Row | None:
        """Return the spending of a run on this day: its row while it goes on, else the sum of its journal."""
        if row.run_id in self._mine:
            return row if row.day == day else None
        if row.run_id not in self._dead and (days := self._from_journal(row)) is not None:
            self._dead[row.run_id] = days
        ended = row.run_id in self._dead
        used = self._dead[row.run_id].get(day) if ended else row.used if row.day == day else None
        return replace(row, day=day, used=used, ended=ended) if used is not None else None

    def _from_journal(self, row: Row) -> Mapping[int, Totals] | None:
        """Return the spending of this run on each day; `None` while another process goes on with it."""
        try:
            tail = self._follow(row.session_id)
        except JournalError:  # the session was deleted: its rows stand
            return {row.day: row.used}
        try:
            if tail.held() and not _has_ended(tail.entries(), row.run_id):
                return None
            return spent(tail.entries(), row.run_id) or {row.day: row.used}
        finally:
            tail.close()

    def _path(self, day: int) -> Path:
        return self._folder / name_of(day)


def _inside(folder: Path) -> Sequence[Path]:
    """Return the entries of a folder, none when it is not there. **Raises** `OSError`."""
    try:
        return sorted(folder.iterdir())
    except FileNotFoundError:
        return ()


@lru_cache(maxsize=16)
def name_of(day: int) -> str:
    """Return a day as people write it: 2026-11-21."""
    return datetime.fromtimestamp(day * SECONDS, UTC).date().isoformat()


def _is_day(path: Path) -> bool:
    return path.match("????-??-??")


def _number(name: str) -> int:
    return int(datetime.fromisoformat(name).replace(tzinfo=UTC).timestamp()) // SECONDS


def _has_ended(entries: Sequence[Entry], run_id: str) -> bool:
    return any(isinstance(entry.fact, RunEnded) and entry.fact.run_id == run_id for entry in entries)


def _overwrite(fd: int, before: bytes, data: bytes) -> bytes:
    """Overwrite the content with `data`, and a longer rest of it with blanks. **Returns** `data`.

    **Raises** `OSError`, changing nothing.
    """
    content = data.ljust(len(before))
    if os.pwrite(fd, content, 0) < len(data):
        os.pwrite(fd, before, 0)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return content


def _encoded(record: DayRecord) -> bytes:
    said = {"ended": _lines(record.ended.values()), "going": _lines(record.going.values())}
    return _as_json(said).encode("ascii")


def _lines(rows: Iterable[Row]) -> list[JsonObject]:
    return [
        {"caller": row.caller, "run": row.run_id, "runs": row.runs}
        | {"used": {name: count for name, count in row.used._asdict().items() if count}}
        for row in rows
    ]


def _parsed(data: bytes, path: Path, day: int) -> DayRecord:
    """Return the record of a file; an empty one when the file is not whole (after a power cut)."""
    record = DayRecord()
    try:
        said = json.loads(data or b"{}")
        record.ended = {row.caller: row for row in _rows(said.get("ended", ()), path, day, ended=True)}
        record.going = {row.run_id: row for row in _rows(said.get("going", ()), path, day, ended=False)}
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        _log.warning("%s is damaged, what it said does not count: %s", path, error)
    return record


def _rows(lines: Sequence[JsonObject], path: Path, day: int, *, ended: bool) -> Iterator[Row]:
    for line in lines:
        used = Totals(**{name: line["used"].get(name, 0) for name in Totals._fields})
        yield Row(day, path.stem, line["run"], line["caller"], used, ended, line["runs"])
