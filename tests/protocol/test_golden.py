"""The golden transcripts: they validate, keep every rule, fold, and survive what a later server may add."""

import copy
import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from agls.views.transcript import fold
from agls_protocol.events import EVENTS, RESERVED
from support.golden import CASES, FOLDER, events_of, record, text, view
from support.message_rules import check_messages
from support.wire_rules import check_events, check_lines, check_message, check_shape

NAMES = sorted(path.stem for path in FOLDER.glob("*.jsonl"))
Lines = list[dict[str, Any]]


@cache
def read(name: str) -> Lines:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text().splitlines()]


def through_the_editor(name: str) -> bool:
    return "from" in read(name)[0]


def test_every_case_was_recorded() -> None:
    assert [case.__name__.replace("_", "-") for case in sorted(CASES, key=lambda c: c.__name__)] == NAMES


@pytest.mark.item(43)
def test_a_case_recorded_anew_is_folded_to_the_same(tmp_path: Path) -> None:
    again = [json.loads(line) for line in record(text, tmp_path).splitlines()]
    assert fold(events_of(again)).items == fold(events_of(read("text"))).items


@pytest.mark.row(85)
@pytest.mark.item(43)
@pytest.mark.parametrize("name", NAMES)
def test_every_message_is_what_the_schema_says(name: str) -> None:
    """Recorded runs hold typed, versioned events."""
    if not through_the_editor(name):
        return check_lines(read(name))
    asked: dict[Any, str] = {}
    for line in read(name):
        check_message(line["from"], line["message"], asked)
    return None


OLDER = sorted((Path(__file__).parent / "older").rglob("*.jsonl"))


@pytest.mark.item(43)
@pytest.mark.parametrize("path", OLDER, ids=lambda path: f"{path.parent.name}, {path.stem}")
def test_messages_of_older_servers_fit_the_schema(path: Path) -> None:
    """Its messages and events validate, and fold: what was added since can be absent."""
    lines: Lines = [json.loads(line) for line in path.read_text().splitlines()]
    asked: dict[Any, str] = {}
    for line in lines:
        if "from" in line:
            check_message(line["from"], line["message"], asked)
    events = events_of(lines)
    for event in events:
        check_shape(event)
    said = {e["itemId"]: e["data"]["item"] for e in events if e["type"] == "itemCompleted"}
    view = fold(events)
    assert view.items
    assert view.items == {item_id: said[item_id] for item_id in view.items}
    assert view.seq == max(event.get("seq", 0) for event in events)
    assert view.runs.keys() == {event["runId"] for event in events if event["type"] == "runEnded"}


def test_the_first_revision_is_kept() -> None:
    """All that was recorded then: of `background` there was nothing to record."""
    assert {path.stem for path in OLDER if path.parent.name == "2026-11-21"} == {*NAMES} - {"background"}


ELSEWHERE = {  # what no recording has: the test in which a real process says it
    "gap": "doors/headless/test_slow_reader.py",
    "heartbeat": "doors/lsp/test_slow_reader.py",
    "mcpStatus": "doors/lsp/test_mcp.py",
    "notice": "doors/lsp/test_contract_following.py",
    "options": "doors/lsp/test_options_and_actions.py",
}


@pytest.mark.row(85)
def test_every_kind_of_event_occurs_in_a_golden_transcript_or_another_test() -> None:
    """Each kind is emitted at least once; those that are kept for later are named in the protocol."""
    said = {event["type"] for name in NAMES for event in events_of(read(name))}
    missing = EVENTS.keys() - said - RESERVED - ELSEWHERE.keys()
    assert not missing
    for kind, file in ELSEWHERE.items():
        assert f'"{kind}"' in (Path(__file__).parents[1] / file).read_text()


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_is_kept(name: str) -> None:
    if not through_the_editor(name):
        return check_lines(read(name))
    check_events(events_of(read(name)))
    lines = read(name)
    begins = [n for n, line in enumerate(lines) if line["message"].get("method") == "agent/resume"]
    parts = [lines[: begins[0]], lines[begins[0] :]] if begins else [lines]
    for part in parts:  # one connection each
        check_messages([(line["from"], line["message"]) for line in part])
    return None


@pytest.mark.parametrize("name", NAMES)
def test_folded_items_equal_the_completed_ones(name: str) -> None:
    events = events_of(read(name))
    transcript = fold(events)
    said = {e["itemId"]: e["data"]["item"] for e in events if e["type"] == "itemCompleted"}
    assert transcript.items
    assert {item_id: said[item_id] for item_id in transcript.items} == transcript.items
    assert not transcript.requests
    assert set(transcript.runs) == {e["runId"] for e in events if e["type"] == "runAdmitted"}
    assert transcript.seq == max(event.get("seq", 0) for event in events)


@pytest.mark.parametrize("name", NAMES)
def test_the_view_beside_it_is_what_it_folds_to(name: str) -> None:
    kept = json.loads((FOLDER / f"{name}.view.json").read_text())
    assert kept == view(read(name)), "scripts/golden --views"
    assert [item["itemId"] for item in kept["items"]] == list(fold(events_of(read(name))).items)


def test_golden_transcripts_match_their_names() -> None:
    def kinds(name: str) -> set[str]:
        return {event["type"] for event in events_of(read(name))}

    assert "turnRetrying" in kinds("retry")
    assert "historyRewound" in kinds("rewind")
    assert {"requestOpened", "requestResolved"} <= kinds("tool-and-permission")
    ends = [e["data"]["stopReason"] for e in events_of(read("crash-and-resume")) if e["type"] == "runEnded"]
    assert ends == ["interrupted", "endTurn"]
    steered = [i for i in fold(events_of(read("steering"))).items.values() if i.get("steer")]
    assert len(steered) == 1
    (change,) = [
        c
        for i in fold(events_of(read("edit-in-an-open-buffer"))).items.values()
        for c in i.get("changes", ())
    ]
    assert (change["via"], change["result"]["version"]) == ("editor", 2)


@pytest.mark.item(43)
@pytest.mark.parametrize("name", NAMES)
def test_folder_ignores_what_a_later_server_adds(name: str) -> None:
    chance = random.Random(name)
    events = events_of(read(name))
    expected = fold(events)
    for _ in range(20):
        grown: Lines = []
        for event in copy.deepcopy(events):
            if chance.random() < 0.2:
                grown.append({**event, "type": f"_new{chance.randrange(9)}", "data": anything(chance)})
            if event["type"] != "itemUpdated":  # its patch says what the item has
                event["data"][f"_new{chance.randrange(9)}"] = anything(chance)
            grown.append({**event, "_meta": anything(chance), f"_new{chance.randrange(9)}": anything(chance)})
        folded = fold(grown)
        assert (folded.items, folded.seq, folded.state) == (expected.items, expected.seq, expected.state)
        assert set(folded.runs) == set(expected.runs)


def anything(chance: random.Random) -> Any:
    """Any JSON object."""
    return {chr(chance.randrange(97, 123)): chance.choice([None, 1, "x", [], {"type": "itemStarted"}, [{}]])}
