"""The list of sessions: a SQLite database that is brought up to date from the journals whenever it is asked.

It holds nothing that the journals do not hold. When it is missing, damaged or cannot be written,
the list is made from the files all the same.
"""

import json
import logging
import os
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from agls.engine.facts import Entry
from agls.engine.ports import JournalError
from agls.engine.vocabulary import SessionRow
from agls.stores.disk import PRIVATE, locked_inodes
from agls.stores.journal_reader import SUFFIX, read_file
from agls.stores.rows import at_rest, cursor_after, is_session_id, place_of, row_of, summarise, terms

_log = logging.getLogger(__name__)

# The number goes up with the schema and with the fields of `SessionRow`, so that two versions of
# agls never fight over one file. `cwd` and `row` are JSON: they may hold what no text of SQLite can.
_NAME = "catalogue-3.db"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS sessions (
    number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, stamp TEXT NOT NULL, inode INTEGER NOT NULL,
    cwd TEXT NOT NULL, updated REAL NOT NULL, row TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS newest ON sessions (updated DESC, id DESC);
CREATE VIRTUAL TABLE IF NOT EXISTS said USING fts5 (text, tokenize = 'trigram');
"""
_TRIGRAM = 3  # characters; the index cannot find shorter words
_PATIENCE = 2.0  # seconds to wait for another process that is writing
# Reasons to leave the file alone and to do without it this time.
_UNUSABLE = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}


class Catalogue:
    """The sessions of one folder. It keeps nothing open; threads and processes may use it at once."""

    def __init__(self, state_dir: Path, folder: Path) -> None:
        self._file = state_dir / _NAME
        self._folder = folder

    def page(self, cwd: str, search: str, cursor: str, limit: int) -> tuple[Sequence[SessionRow], str]:
        """Return the sessions, newest first, and the next cursor.

        **Raises** `JournalError` (a cursor not from here).
        """
        where, values = _conditions(cwd, search, cursor)
        if not self._folder.is_dir():
            return (), ""
        query = f"SELECT row, inode FROM sessions WHERE {where} ORDER BY updated DESC, id DESC LIMIT ?"
        found = self._ask(query, [*values, limit + 1])
        held = locked_inodes()
        rows = [row if held is None or inode in held else at_rest(row) for row, inode in found]
        return rows[:limit], cursor_after(rows[limit - 1]) if len(rows) > limit else ""

    def _ask(self, query: str, values: list[Any]) -> list[tuple[SessionRow, int]]:
        for _ in range(2):
            with suppress(OSError):  # SQLite would make the file readable for everybody
                os.close(os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE))
            try:
                return self._answer(str(self._file), query, values)
            except (sqlite3.DatabaseError, ValueError, TypeError) as error:  # the latter: a damaged row
                _log.warning("the list of sessions is made anew: %s", error)
                if getattr(error, "sqlite_errorcode", 0) & 0xFF in _UNUSABLE:
                    break
                self._discard()
        return self._answer(":memory:", query, values)

    def _answer(self, database: str, query: str, values: list[Any]) -> list[tuple[SessionRow, int]]:
        with closing(sqlite3.connect(database, timeout=_PATIENCE, isolation_level=None)) as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            db.executescript(_SCHEMA)
            self._refresh(db)
            found = db.execute(query, values).fetchall()
        return [(row_of(json.loads(row)), inode) for row, inode in found]

    def _discard(self) -> None:
        for ending in ("", "-wal", "-shm"):
            with suppress(OSError):
                self._file.with_name(_NAME + ending).unlink()

    def _refresh(self, db: sqlite3.Connection) -> None:
        """Take in every journal that is new or has changed, and forget those that are gone."""
        known: dict[str, str] = dict(db.execute("SELECT id, stamp FROM sessions"))
        found = self._journals()
        for session_id in known.keys() - found.keys():
            with _change(db):
                _forget(db, session_id)
        for session_id, file in found.items():
            stamp = f"{file.st_size} {file.st_mtime_ns} {file.st_ino}"
            if stamp != known.get(session_id):
                self._learn(db, session_id, stamp, file)

    def _journals(self) -> dict[str, os.stat_result]:
        found: dict[str, os.stat_result] = {}
        with suppress(FileNotFoundError), os.scandir(self._folder) as files:
            for file in files:
                name, ending = os.path.splitext(file.name)  # noqa: PTH122 - names, thousands of them
                if ending == SUFFIX and is_session_id(name):
                    with suppress(FileNotFoundError):
                        found[name] = file.stat(follow_symlinks=False)
        return found

    def _learn(self, db: sqlite3.Connection, session_id: str, stamp: str, file: os.stat_result) -> None:
        try:
            entries: Sequence[Entry] = read_file(self._folder / f"{session_id}{SUFFIX}").entries
        except JournalError as error:
            if file.st_size:  # else it is being made, or the disk was full: nothing of it is missed
                _log.warning("not in the list of sessions: %s", error)
            entries = []
        with _change(db):
            _forget(db, session_id)
            if entries:
                row, text = summarise(session_id, entries)
                shown = (json.dumps(row.cwd), row.updated_at, json.dumps(asdict(row)))
                number = db.execute(
                    "INSERT INTO sessions (id, stamp, inode, cwd, updated, row) VALUES (?, ?, ?, ?, ?, ?)",
                    (session_id, stamp, file.st_ino, *shown),
                ).lastrowid
                db.execute("INSERT INTO said (rowid, text) VALUES (?, ?)", (number, text))


@contextmanager
def _change(db: sqlite3.Connection) -> Generator[None]:
    """Open one short transaction: another process that lists at the same time waits for it, not for all."""
    db.execute("BEGIN IMMEDIATE")
    with db:
        yield


def _forget(db: sqlite3.Connection, session_id: str) -> None:
    db.execute("DELETE FROM said WHERE rowid IN (SELECT number FROM sessions WHERE id = ?)", (session_id,))
    db.execute("DELETE FROM sessions WHERE id = ?", (session_id,))


def _conditions(cwd: str, search: str, cursor: str) -> tuple[str, list[Any]]:
    where, values = ["TRUE"], list[Any]()
    if cwd:
        where.append("cwd = ?")
        values.append(json.dumps(cwd))
    if cursor:
        where.append("(updated, id) < (?, ?)")
        values.extend(place_of(cursor))
    wanted = terms(search)
    if quoted := " ".join('"' + term.replace('"', '""') + '"' for term in wanted if len(term) >= _TRIGRAM):
        where.append("number IN (SELECT rowid FROM said WHERE said MATCH ?)")
        values.append(quoted)
    for term in wanted:
        if len(term) < _TRIGRAM:
            where.append("number IN (SELECT rowid FROM said WHERE instr(text, ?))")
            values.append(term)
    return " AND ".join(where), values
