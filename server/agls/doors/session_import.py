"""Sessions from files: our own export, or a session file of Claw Code (`import_claw_code.py`).

An import brings the conversation and the calls, never a permission: options, permissions and the notes of
rooms stay behind, because a file of strangers may grant nothing. A run that was interrupted there is not
continued by itself.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from agls.doors.import_claw_code import converted
from agls.engine.facts import Admitted, Entry, Fact, Noted, RunEnded, SessionChanged, Unknown
from agls.engine.history import forked
from agls.engine.ports import JournalError
from agls.engine.state import State, fold, fold_all
from agls.engine.vocabulary import JsonObject, Stop, StopReason
from agls.regex import regex
from agls.room.session_metadata import ROOM, archived, tagged
from agls.stores.journal_reader import read
from agls.titles import title_from

_LINE = regex(rb'\["[0-9a-f]{8}",')  # how a line of ours begins
LARGEST = 500_000_000  # bytes
LATEST = 253_370_764_800.0  # Unix time in seconds: the last year that a calendar has
IMPORTED = Stop(StopReason.CANCELLED, "it was exported before it was done")


class NoSession(Exception):
    """The file is no session that can be imported; the message says why. Nothing was imported."""


def imported(data: bytes, now: float) -> tuple[list[Entry], State]:
    """Return the entries of the new session, and the state they add up to.

    `now` (Unix time) is for files without times.

    **Raises** `NoSession`.
    """
    read = _own(data) if _LINE.match(data) else _renumbered(converted(_text(data)), now)
    entries = [_fit(entry) for entry in read]
    try:
        state = fold_all(entries)
    except (LookupError, TypeError, ValueError) as problem:  # whole lines, but not of a session
        raise NoSession(f"its contents are not valid ({problem}).") from problem
    if state.running:
        last = entries[-1]
        entries.append(Entry(last.seq + 1, last.at, RunEnded(state.run_id, IMPORTED)))
        state = fold(state, entries[-1])
    return entries, state


def _own(data: bytes) -> list[Entry]:
    try:
        reading = read(data)
        if reading.damage:
            raise NoSession(f"it is damaged: {reading.damage}.")
        if not (entries := list(reading.entries)):
            raise NoSession("there is nothing in it.")
    except JournalError as problem:
        raise NoSession(f"{problem}.") from problem
    kept = [fact for entry in forked(entries, "") if (fact := _harmless(entry))]
    return [Entry(seq, at, fact) for seq, (at, fact) in enumerate(kept, 1)]


def _harmless(entry: Entry) -> tuple[float, Fact] | None:
    """Return the fact without what it would allow; `None` for one that is a room's own, or unknown."""
    match entry.fact:
        case Admitted() as fact:
            return entry.at, replace(fact, options={})
        case RunEnded(run_id, Stop(StopReason.INTERRUPTED, detail)):  # else an editor might go on by itself
            return entry.at, RunEnded(run_id, Stop(StopReason.CANCELLED, detail))
        case Noted(feature, kind, data):
            fact = _filed(kind, data) if feature == ROOM else None
            return (entry.at, fact) if fact else None
        case Unknown():
            return None
        case fact:
            return entry.at, fact


def _filed(kind: str, data: JsonObject) -> Noted | None:
    """Return the note if it is one on the session's tags, archive or origin."""
    match kind, data:
        case "tags", {"tags": [*tags]}:
            with suppress(ValueError):
                return tagged(map(str, tags))
        case "archived", {"archived": bool(put_away)}:
            return archived(put_away)
        case "imported", _:
            return Noted(ROOM, kind, data)
        case _:
            pass
    return None


def _fit(entry: Entry) -> Entry:
    """Return the entry with a valid title and folder. **Raises** `NoSession` for an invalid time."""
    if not 0 <= entry.at <= LATEST:
        raise NoSession(f"entry {entry.seq} has an impossible time: {entry.at}.")
    if not isinstance(entry.fact, SessionChanged):
        return entry
    title = ""
    with suppress(ValueError):
        title = title_from(entry.fact.title)
    return replace(entry, fact=SessionChanged(_folder(entry.fact.cwd), title))


def _folder(path: str) -> str:
    """Return an absolute path that the system could have given, else ""."""
    try:
        fits = os.path.isabs(path) and b"\0" not in os.fsencode(path)  # noqa: PTH117 - nothing is opened
    except ValueError:
        return ""
    return path if fits else ""


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NoSession("it is not text in UTF-8.") from None


def _renumbered(facts: Sequence[Fact] | str, now: float) -> list[Entry]:
    if isinstance(facts, str):
        raise NoSession(facts)
    return [Entry(seq, now, fact) for seq, fact in enumerate(facts, 1)]
