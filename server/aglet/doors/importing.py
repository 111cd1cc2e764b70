"""Sessions from files: our own export, or the session JSON of the reference project (`foreign.py`).

What is imported is what was said and done, never what was allowed: options, permissions and the notes of
rooms stay behind, because a file of strangers may grant nothing.
"""

from collections.abc import Sequence
from dataclasses import replace

from aglet.doors.foreign import converted
from aglet.engine.facts import Admitted, Entry, Fact, Noted, RunEnded, SessionChanged, Unknown
from aglet.engine.history import forked
from aglet.engine.ports import JournalError
from aglet.engine.state import State, fold_all
from aglet.engine.vocabulary import Stop, StopReason
from aglet.stores.reading import read

LARGEST = 500_000_000  # bytes
KEPT_NOTES = frozenset({"history"})
IMPORTED = Stop(StopReason.INTERRUPTED, "it was exported before it was done")


class NoSession(Exception):
    """The file is no session that can be imported; the message says why. Nothing was imported."""


def imported(data: bytes, now: float) -> tuple[list[Entry], State]:
    """The entries of the new session, and what they come to. `now` (Unix time) is for files without times.

    Raises `NoSession`.
    """
    entries = _own(data) if data.startswith(b'{"crc"') else _renumbered(converted(_text(data)), now)
    try:
        state = fold_all(entries)
    except (LookupError, TypeError, ValueError) as problem:  # whole lines, but not of a session
        raise NoSession(f"what it tells makes no sense ({problem}).") from problem
    if state.running:
        last = entries[-1]
        entries.append(Entry(last.seq + 1, last.at, RunEnded(state.run_id, IMPORTED)))
        state = fold_all(entries[-1:], state)
    return entries, state


def _own(data: bytes) -> list[Entry]:
    try:
        reading = read(data)
        if reading.damage:
            raise NoSession(f"it is damaged: {reading.damage}.")
        if not reading.entries:
            raise NoSession("there is nothing in it.")
    except JournalError as problem:
        raise NoSession(f"{problem}.") from problem
    kept = [fact for entry in forked(reading.entries, "") if (fact := _harmless(entry))]
    return [Entry(seq, at, fact) for seq, (at, fact) in enumerate(kept, 1)]


def _harmless(entry: Entry) -> tuple[float, Fact] | None:
    """The fact without what it would allow; `None` for one that is a room's own, or unknown."""
    match entry.fact:
        case SessionChanged() as fact:
            return entry.at, replace(fact, options={}, roots=(), parent="")
        case Admitted() as fact:
            return entry.at, replace(fact, options={})
        case Noted(feature=feature) if feature not in KEPT_NOTES:
            return None
        case Unknown():
            return None
        case fact:
            return entry.at, fact


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NoSession("it is not text in UTF-8.") from None


def _renumbered(facts: Sequence[Fact] | str, now: float) -> list[Entry]:
    if isinstance(facts, str):
        raise NoSession(facts)
    return [Entry(seq, now, fact) for seq, fact in enumerate(facts, 1)]
