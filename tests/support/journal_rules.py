"""The rules of the wire over what was recorded: a journal is read as a client would."""

from collections.abc import Sequence
from pathlib import Path

from agls.engine.facts import Entry
from agls.engine.ports import JournalError
from agls.order import NOTES
from agls.stores.files import FileStore
from agls.views.project import Projection
from support.wire_rules import check_events

LARGEST = 2_000_000  # bytes of a journal that is read: the largest are those of the long runs


def check_entries(entries: Sequence[Entry]) -> None:
    """What these facts say on the wire keeps every rule; they begin with the first of a session."""
    projection = Projection(NOTES, "ses", "epoch")
    check_events([event for entry in entries for event in projection.events(entry)])


def check_journals(folder: Path) -> int:
    """Every journal below this folder that can be read; gives how many those are."""
    read = 0
    for file in sorted(folder.rglob("sessions/*.jsonl")):
        if file.stat().st_size > LARGEST:
            continue
        try:
            entries = FileStore(file.parent.parent).peek(file.stem)
        except JournalError:  # a test of what is damaged
            continue
        check_entries(entries)
        read += 1
    return read
