"""A session told once more, whole or in parts."""

from pathlib import Path

import pytest

from agls.order import NOTES
from agls.stores.files import FileStore
from agls.stores.journal_reader import read
from agls.views.events import place_of
from agls.views.replay import Replay
from agls.views.session_history import SessionHistory
from agls.views.transcript import UNSEEN, Transcript

GOLDEN = Path(__file__).parents[1] / "stores" / "golden" / "v1.jsonl"
ENTRIES = read(GOLDEN.read_bytes()).entries


def whole_replay(epoch: str) -> Replay:
    replay = Replay(NOTES, "ses_1", epoch)
    replay.take(ENTRIES)
    return replay


@pytest.fixture
def history(tmp_path: Path) -> SessionHistory:
    """With every kind of fact there is, many times over, taken in piece by piece."""
    journal = FileStore(tmp_path).create("ses_1")
    history = SessionHistory(NOTES, journal)
    for entry in ENTRIES:
        journal.append(entry)
        history.catch_up()
    journal.close()
    return history


def test_history_that_grows_folds_to_the_transcript_of_a_replay(history: SessionHistory) -> None:
    """What it leaves out would not be kept."""
    transcript = whole_replay("").transcript
    assert history.transcript == transcript
    assert history.transcript.began == transcript.began
    assert transcript.ended.items() >= history.transcript.ended.items()
    assert history.transcript.items


@pytest.mark.parametrize("stride", [1, 2, 7, 512])
def test_history_gives_the_events_of_any_part_as_a_replay_does(
    stride: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a part begins while items, questions, tasks and runs are open."""
    monkeypatch.setattr("agls.views.session_history.STRIDE", stride)
    journal = FileStore(tmp_path).create("ses_1")
    journal.append(*ENTRIES)
    history = SessionHistory(NOTES, journal)
    history.catch_up()
    events = whole_replay(journal.epoch).events
    last = len(ENTRIES)
    for after in range(last + 1):
        told = [event for facts in history.facts(after, last + 1) for event in facts]
        assert told == [event for event in events if place_of(event) > after]
    for before in range(1, last + 2):
        facts = [*history.facts(0, before, backward=True)]
        told = [event for events in reversed(facts) for event in events]
        assert told == [event for event in events if place_of(event) < before]
    journal.close()


@pytest.mark.parametrize("type", sorted(UNSEEN))
def test_what_a_brief_replay_leaves_out_changes_no_transcript(type: str) -> None:
    """Or it would have to be told."""
    transcript = Transcript()
    transcript.take({"type": type, "seq": 0, "runId": "run_1", "data": {"item": {}, "state": "x"}})
    assert transcript == Transcript()
