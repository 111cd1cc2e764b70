"""A session told once more."""

from pathlib import Path

import pytest

from agls.doors.envelope import PASSING
from agls.doors.fold import Transcript
from agls.doors.replay import Replay
from agls.stores.reading import read

GOLDEN = Path(__file__).parents[1] / "stores" / "golden" / "v1.jsonl"


def test_a_brief_replay_folds_to_the_same_transcript() -> None:
    """With every kind of fact there is: what it leaves out would not be kept."""
    entries = read(GOLDEN.read_bytes()).entries
    whole, brief = Replay("ses_1", "epoch"), Replay("ses_1", "epoch", brief=True)
    whole.take(entries)
    brief.take(entries)
    assert brief.transcript == whole.transcript
    assert brief.transcript.began == whole.transcript.began
    assert brief.seq == whole.seq == len(entries)
    assert brief.transcript.items


@pytest.mark.parametrize("type", sorted(PASSING))
def test_what_a_brief_replay_leaves_out_changes_no_transcript(type: str) -> None:
    """Or it would have to be told."""
    transcript = Transcript()
    transcript.take({"type": type, "seq": 0, "runId": "run_1", "data": {"item": {}, "state": "x"}})
    assert transcript == Transcript()
