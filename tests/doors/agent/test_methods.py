"""Methods of the agent protocol, each with what it answers and the events that follow it."""

from pathlib import Path
from typing import Any

import pytest

from support.check_wire import check_wire

RUN = ("agent/run", {"input": "go", "wait": True})
BEGUN = ["runAdmitted", "runStarted", "sessionState", "itemStarted", "itemCompleted", "recorded"]
ENDED = ["turnEnded", "runEnded", "sessionState"]
ONE_RUN = [*BEGUN, "turnStarted", "itemStarted", "itemDelta", "itemCompleted", *ENDED]


def test_run_answers_with_its_end_behind_all_of_its_events(tmp_path: Path) -> None:
    (answer,) = check_wire(tmp_path, "hello", requests=[RUN], events=ONE_RUN)
    assert (answer["outcome"], answer["stopReason"]) == ("started", "endTurn")


@pytest.mark.parametrize(
    ("method", "params", "expected"),
    [
        ("agent/steer", {"input": "go", "ifEnded": "return"}, {"outcome": "returned"}),
        ("agent/cancel", {}, {"state": "notRunning", "kept": [], "dropped": []}),
        ("agent/queue", {"op": "list"}, {"queue": []}),
    ],
)
def test_method_of_runs_changes_nothing_when_no_run_is_on(
    tmp_path: Path, method: str, params: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert check_wire(tmp_path, requests=[(method, params)], events=[]) == [expected]


@pytest.mark.parametrize(
    ("method", "params", "events"),
    [
        ("agent/session/rename", {"title": "Parser"}, ["sessionInfo"]),
        ("agent/setOption", {"optionId": "maxTurns", "value": 3}, ["options"]),
        ("agent/session/close", {}, ["sessionState"]),
    ],
)
def test_method_of_a_session_is_followed_by_one_event(
    tmp_path: Path, method: str, params: dict[str, Any], events: list[str]
) -> None:
    (answer,) = check_wire(tmp_path, requests=[(method, params)], events=events)
    assert "code" not in answer


@pytest.mark.parametrize(
    ("method", "params", "more"),
    [
        ("agent/session/rewind", {"toItemId": "", "what": "conversation"}, ["historyRewound"]),
        ("agent/session/fork", {}, []),
        ("agent/session/delete", {}, []),  # `sessionState` again
        ("agent/events", {"limit": 3}, []),
        ("agent/resume", {"replay": "tail"}, []),
        ("agent/action/list", {}, []),
    ],
)
def test_method_behind_a_run_adds_only_its_own_events(
    tmp_path: Path, method: str, params: dict[str, Any], more: list[str]
) -> None:
    _, answer = check_wire(tmp_path, "hello", requests=[RUN, (method, params)], events=[*ONE_RUN, *more])
    assert "code" not in answer


def test_unknown_method_is_refused_and_the_session_goes_on(tmp_path: Path) -> None:
    refused, answer = check_wire(tmp_path, "hello", requests=[("agent/dance", {}), RUN], events=ONE_RUN)
    assert (refused["code"], answer["stopReason"]) == (-32601, "endTurn")
