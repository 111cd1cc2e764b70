"""Parts of a session as bytes."""

from hashlib import sha256
from pathlib import Path
from random import Random
from zlib import decompress

import pytest

from agls.engine.log import Log
from agls.engine.rests import Rests
from agls.engine.state import State, fold_all
from agls.order import NOTES
from agls.stores.journal_reader import read
from agls.views.history_part import HistoryPart
from agls.views.packed_parts import LARGEST, VERSION, packed, unpacked
from agls.views.run_totals import RunTotals
from agls.views.session_history import SessionHistory
from agls.views.transcript import Transcript
from agls.workspace.clock import SystemClock
from support.eventful import eventful_session, journal_of

GOLDEN = read((Path(__file__).parents[1] / "stores" / "golden" / "v1.jsonl").read_bytes()).entries
SHOWN = {1: "606c7f0b675e1d38", 2: "a03ea76c7ee351bb", 3: "0a12b6d1c7361dc8"}
"""A digest of what the facts of `GOLDEN` are shown as, by version."""


def part_of(text: str) -> Transcript:
    item = {"itemId": "item_1", "kind": "message", "status": "completed", "text": text}
    return Transcript(3, items={"item_1": item}, began={"item_1": 2}, ended={"item_1": 3})


@pytest.mark.parametrize("seed", range(10))
def test_part_is_the_same_when_it_was_bytes(seed: int) -> None:
    entries = eventful_session(Random(seed), 6)
    part = HistoryPart(NOTES, journal_of(entries), State(), RunTotals()).read(len(entries))
    data = packed(part)
    assert data
    again = unpacked(data)
    assert [*again.items.items()] == [*part.items.items()]
    assert (again.seq, again.runs, again.usage, again.queue) == (part.seq, part.runs, part.usage, part.queue)
    for item_id in part.items:
        for name in ("began", "ended", "run_of"):
            assert getattr(again, name).get(item_id) == getattr(part, name).get(item_id)


def test_part_too_long_to_keep_is_left_out() -> None:
    assert packed(part_of("a" * LARGEST)) is None


def test_part_with_half_of_a_character_is_left_out() -> None:
    assert packed(part_of("\ud800")) is None
    assert packed(part_of("\U0001f600"))


def test_way_in_which_facts_are_shown_has_its_own_version() -> None:
    """Kept parts of another version do not count: raise `VERSION` when this fails, and add the digest."""
    part = HistoryPart(NOTES, journal_of(GOLDEN), State(), RunTotals()).read(len(GOLDEN))
    data = packed(part)
    assert data
    assert SHOWN.get(VERSION) == sha256(decompress(data)).hexdigest()[:16]


def test_history_without_anything_read_keeps_nothing() -> None:
    journal = journal_of(GOLDEN)
    rests = Rests()
    history = SessionHistory(NOTES, Log(journal, SystemClock(), fold_all(GOLDEN, rests.take), rests))
    history.catch_up()
    history.keep(rests)
    assert journal.parts(VERSION) == {}
