"""The helpers of calls: items that run, from what the room of subagents notes."""

from collections.abc import Sequence
from typing import Any

import pytest

from agls.engine.facts import (
    Admitted,
    Entry,
    Fact,
    Noted,
    Replied,
    RunEnded,
    RunStarted,
    ToolFinished,
    ToolStarted,
)
from agls.engine.state import fold_all
from agls.engine.vocabulary import Stop, StopReason, Text, ToolCall, ToolOutcome
from agls.order import NOTES
from agls.views.project import Projection

CALL = ToolCall("call_1", "delegate", {})
CHILD = {"sessionId": "ses_c", "callId": "call_1", "runId": "run_1", "label": "w", "agent": "helper"}
BEGUN = Noted("subagents", "begun", CHILD)
RETURNED = Noted("subagents", "returned", {**CHILD, "status": "failed", "reason": "budget"})
CUT_OFF = Noted("subagents", "returned", {**CHILD, "status": "interrupted", "reason": "cut off"})
FINISHED = ToolFinished("call_1", ToolOutcome("done"))
CRASHED = RunEnded("run_1", Stop(StopReason.INTERRUPTED, "it died"))
BEFORE: Sequence[Fact] = (
    Admitted("run_1", "item_1", (Text("go"),)),
    RunStarted("run_1", item_ids=("item_1",)),
    Replied("item_2", "", tool_calls=(CALL,)),
    ToolStarted("call_1", "delegate", {}),
)


def entries(*facts: Fact) -> list[Entry]:
    return [Entry(seq, 1.0, fact) for seq, fact in enumerate((*BEFORE, *facts), 1)]


def helper_events(*facts: Fact, cut: int = 0) -> list[Any]:
    """Status and reason of the helper, event by event; the projection begins behind so many of the facts."""
    all_entries = entries(*facts)
    known = len(BEFORE) + cut
    projection = Projection(NOTES, "ses", "epoch", fold_all(all_entries[:known]) if cut else None)
    told = [event for entry in all_entries[known if cut else 0 :] for event in projection.events(entry)]
    mine = [event for event in told if event.get("itemId") == "call_1.ses_c"]
    return [(e["type"], e["data"]["item"]["status"], e["data"]["item"].get("text")) for e in mine]


STARTED = ("itemStarted", "running", None)


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ((BEGUN, RETURNED, FINISHED), [STARTED, ("itemCompleted", "failed", "budget")]),
        ((BEGUN, BEGUN, RETURNED), [STARTED, ("itemCompleted", "failed", "budget")]),
        ((BEGUN, FINISHED, RETURNED), [STARTED, ("itemCompleted", "cancelled", None)]),
        ((BEGUN, CRASHED, CUT_OFF), [STARTED, ("itemCompleted", "cancelled", "it died")]),
        ((RETURNED,), [("itemStarted", "failed", "budget"), ("itemCompleted", "failed", "budget")]),
        ((FINISHED, BEGUN), []),
    ],
    ids=["returned", "begun twice", "call ends first", "crash", "begin not noted", "begun too late"],
)
def test_helper_starts_once_and_completes_once_with_its_call_at_the_latest(
    facts: Sequence[Fact], told: list[Any]
) -> None:
    assert helper_events(*facts) == told


@pytest.mark.parametrize(
    ("end", "told"),
    [(RETURNED, ("failed", "budget")), (FINISHED, ("cancelled", None)), (CRASHED, ("cancelled", "it died"))],
)
def test_projection_that_begins_in_the_middle_completes_a_helper_that_was_started_before(
    end: Fact, told: tuple[str, str | None]
) -> None:
    assert helper_events(BEGUN, end, cut=1) == [("itemCompleted", *told)]


def test_helper_that_ended_before_is_not_open_for_a_projection_that_begins_later() -> None:
    projection = Projection(NOTES, "ses", "epoch", fold_all(entries(BEGUN, RETURNED)))
    assert [item["itemId"] for item in projection.open_items()] == ["call_1"]
    projection = Projection(NOTES, "ses", "epoch", fold_all(entries(BEGUN)))
    assert [item["itemId"] for item in projection.open_items()] == ["call_1", "call_1.ses_c"]
