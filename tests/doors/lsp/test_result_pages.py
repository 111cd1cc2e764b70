"""Results in pages: no more bytes than the client wants, and no request waits for another."""

import time
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from agls.doors.messages import dumps
from agls.order import NOTES
from agls.views.replay import Replay
from support.patience import TRIES
from support.planting import long_session, plant
from support.wire import Message, Wire, turns

from .conftest import Serve

PAGE = 1_048_576  # bytes of a result whose client asks for nothing else
SLACK = 4_096  # of the envelope and the members that are there in any case
PROMPT_AT_ONCE = 0.5  # seconds, on a busy machine


def planted(serve: Serve, tmp_path: Path, runs: int, calls: int, output: int) -> tuple[Wire, str]:
    session = plant(tmp_path / "state", tmp_path, runs, calls, output)
    wire = serve("Hi")
    wire.initialize()
    return wire, session


@pytest.fixture(scope="module")
def fat_state(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The state folder with a session of 1,220 items and 10 MB: made once, and copied."""
    folder = tmp_path_factory.mktemp("fat")
    return folder / "state", plant(folder / "state", folder, 10, 60, 16_000)


@pytest.fixture
def fat(serve: Serve, tmp_path: Path, fat_state: tuple[Path, str]) -> tuple[Wire, str]:
    state, session = fat_state
    copytree(state, tmp_path / "state", dirs_exist_ok=True)
    wire = serve("Hi")
    wire.initialize()
    return wire, session


def size(result: Any) -> int:
    return len(dumps(result).encode())


@pytest.mark.parametrize("room", [PAGE, 400_000])
def test_every_item_comes_once_in_pages_that_are_no_larger_than_wanted(
    fat: tuple[Wire, str], room: int
) -> None:
    wire, session = fat
    asked: Message = {"sessionId": session} | ({"maxBytes": room} if room != PAGE else {})
    items: list[Message] = []
    replay = {"replay": "all"}
    while True:
        result = wire.call("agent/resume", {**asked, **replay})
        assert size(result) <= room + SLACK
        page = result["snapshot"]
        items = page["items"] + items
        assert {item_id for run in page["runs"] for item_id in run["itemIds"]} == {
            item["itemId"] for item in page["items"]
        }
        if "olderCursor" not in page:
            break
        replay = {"replay": "tail", "tail": 200, "before": items[0]["itemId"]}
    ids = [item["itemId"] for item in items]
    assert len(ids) == len({*ids}) == 10 * (2 + 2 * 60)
    assert ids[0] == "item_run_0"
    assert ids[-1] == "item_run_9_end"


@pytest.mark.parametrize("direction", ["after", "before"])
def test_every_event_comes_once_in_pages_that_are_no_larger_than_wanted(
    fat: tuple[Wire, str], direction: str
) -> None:
    wire, session = fat
    resumed = wire.call("agent/resume", {"sessionId": session, "replay": "none"})
    cursor = {"epoch": resumed["epoch"], "seq": 0 if direction == "after" else resumed["seq"] + 1}
    pages: list[list[Message]] = []
    while cursor:
        result = wire.call("agent/events", {"sessionId": session, direction: cursor, "limit": 5_000})
        assert size(result) <= PAGE + SLACK
        pages.append(result["events"])
        cursor = result.get("nextCursor")
    ordered = pages if direction == "after" else pages[::-1]
    seqs = [event["seq"] for page in ordered for event in page if "seq" in event]
    assert sorted(seqs) == seqs
    assert {*seqs} == set(range(1, resumed["seq"] + 1))
    assert len(pages) > 10


def test_client_that_missed_more_than_fits_gets_a_snapshot(fat: tuple[Wire, str]) -> None:
    wire, session = fat
    now = wire.call("agent/resume", {"sessionId": session, "replay": "none"})
    asked = {"sessionId": session, "replay": "since"}
    for seq, replayed in ((1, "snapshot"), (now["seq"] - 15, "events")):
        result = wire.call("agent/resume", {**asked, "after": {"epoch": now["epoch"], "seq": seq}})
        assert result["replayed"] == replayed
        assert size(result) <= PAGE + SLACK


@pytest.mark.process  # threads of a server take turns faster in its own
def test_request_about_a_long_session_delays_no_other_client(fat: tuple[Wire, str]) -> None:
    """Also while the session is read from the disk. One good try counts: others use this machine, too."""
    wire, session = fat
    reading = {"sessionId": session}
    for method, params in (
        ("agent/resume", reading),
        ("agent/resume", {**reading, "replay": "all", "maxBytes": 2 << 20}),
        ("agent/events", {**reading, "limit": 5_000}),
        ("agent/events", {**reading, "types": ["requestOpened"]}),
        ("agent/item", {**reading, "itemId": "call_run_0_0"}),
        ("agent/session/fork", reading),
        ("agent/action/invoke", {**reading, "name": "usage"}),
        ("agent/action/invoke", {**reading, "name": "audit"}),
    ):
        tries = (status_behind(wire, method, params) for _ in range(TRIES))
        assert any(seconds < PROMPT_AT_ONCE for seconds in tries), method


def status_behind(wire: Wire, method: str, params: Message) -> float:
    """How many seconds `agent/status` takes at most while this is answered."""
    request, slowest = wire.post(method, params), 0.0
    while not any(m.get("id") == request and "method" not in m for m in wire.messages[-100:]):
        begun = time.monotonic()
        wire.call("agent/status")
        slowest = max(slowest, time.monotonic() - begun)
    assert "result" in wire.answer_of(request)
    return slowest


def test_tail_costs_what_the_tail_costs_however_long_the_session_is(serve: Serve, tmp_path: Path) -> None:
    wire, session = planted(serve, tmp_path, 1, 5_000, 90)
    short = wire.session()
    wire.run(short)

    def cost(session_id: str) -> float:
        begun = time.monotonic()
        wire.call("agent/resume", {"sessionId": session_id, "tail": 2})
        return time.monotonic() - begun

    cost(session)  # it is read once
    assert min(cost(session) for _ in range(10)) < 10 * min(cost(short) for _ in range(10))


@pytest.mark.parametrize(("runs", "calls"), [(60, 20), (1, 1_200)])
def test_tail_page_item_and_events_of_a_long_session_are_those_of_its_whole_history(
    serve: Serve, tmp_path: Path, runs: int, calls: int
) -> None:
    """Each asked of a session that was just opened, and once more of one that is known."""
    session = plant(tmp_path / "state", tmp_path, runs, calls, 90)
    whole = Replay(NOTES, session, long_session(tmp_path, runs, calls, 90))
    items = [*whole.transcript.items.values()]
    wire = serve("Hi")
    wire.initialize()
    this = {"sessionId": session}
    for _ in range(2):
        snapshot = wire.call("agent/resume", {**this, "tail": 50})["snapshot"]
        assert snapshot["items"] == items[-50:]
        assert snapshot["runs"][-1]["ended"] == whole.transcript.runs[f"run_{runs - 1}"]
        assert snapshot["usage"] == whole.transcript.usage
        assert snapshot["info"] == whole.transcript.info
        older = wire.call("agent/resume", {**this, "tail": 9, "before": items[-50]["itemId"]})["snapshot"]
        assert older["items"] == items[-59:-50]
        wire.call("agent/session/close", this)
        assert wire.call("agent/item", {**this, "itemId": items[500]["itemId"]})["item"] == items[500]
        told = wire.call("agent/events", {**this, "limit": 40})["events"]
        assert [(e["seq"], e["type"], e["data"]) for e in told if "seq" in e] == [
            (e["seq"], e["type"], e["data"]) for e in whole.events[-len(told) :] if "seq" in e
        ]


def test_item_larger_than_a_page_is_shortened_and_can_be_read_in_parts(serve: Serve) -> None:
    text = "".join(f"{number:07d}\n" for number in range(200_000))  # 1.6 MB
    write = {"name": "write_file", "arguments": {"path": "a.txt", "content": text}}
    wire = serve(turns({"calls": [write]}, "Done."))
    wire.initialize()
    session = wire.session(options={"mode": "allowAll"})
    wire.run(session)
    snapshot = wire.call("agent/resume", {"sessionId": session})["snapshot"]
    (call,) = (item for item in snapshot["items"] if item["kind"] == "toolCall")
    asked = {"sessionId": session, "itemId": call["itemId"]}
    item = wire.call("agent/item", asked)["item"]
    for shown, most in ((call, 256 * 1024), (item, PAGE)):
        assert size(shown) <= most
        assert shown["_meta"]["shortened"] > len(text), "the bytes that it had"
    parts, start, total = list[str](), 0, 1
    while start < total:
        span = {"start": start, "end": 1 << 30}
        part = wire.call("agent/item", {**asked, "field": "/input/content", "range": span})
        assert part["start"] == start
        parts, start, total = [*parts, part["text"]], start + len(part["text"]), part["total"]
    assert len(parts) == 2
    assert "".join(parts) == text
    assert wire.call("agent/item", {**asked, "field": "/changes/0/patch"})["total"] > 100_000
    for missing in ("/changes/7/patch", "/changes/x", "/input", "input/content"):
        assert "JSON Pointer" in wire.ask("agent/item", {**asked, "field": missing})["error"]["message"]


def test_open_message_that_does_not_fit_is_sent_whole_after_the_answer(serve: Serve) -> None:
    pieces = [f"{number:05d} " + "é" * 50 for number in range(500)]
    wire = serve(turns({"text": pieces, "delay": 0, "hang": True}))
    wire.initialize()
    session = wire.session()
    wire.call("agent/run", {"sessionId": session, "input": "go"})
    text = "".join(pieces)
    wire.until(lambda m: sum(len(e["data"].get("append", "")) for e in wire.events) == len(text))
    before = len(wire.events)
    resumed = wire.call("agent/resume", {"sessionId": session, "maxBytes": 8_192})
    (opened,) = resumed["openItems"]
    assert size(resumed) <= 8_192 + SLACK
    assert opened["_meta"]["shortened"] > len(text)
    wire.event("gap", itemIds=[opened["itemId"]])
    told = [event for event in wire.events[before:] if event.get("itemId") == opened["itemId"]]
    assert [event["data"]["patch"]["text"] for event in told if event["type"] == "itemUpdated"] == [text]


def test_action_result_is_no_larger_than_a_page(fat: tuple[Wire, str]) -> None:
    wire, session = fat
    told = wire.call("agent/action/invoke", {"sessionId": session, "name": "audit"})
    assert size(told) <= PAGE + SLACK
    assert told["data"]["_meta"]["shortened"] > PAGE
    assert len(told["data"]["records"]) == 10


def test_page_before_an_item_that_is_not_there_is_refused(lasting: Serve) -> None:
    wire = lasting("Hi")
    session = wire.session()
    wire.run(session)
    answer = wire.ask("agent/resume", {"sessionId": session, "before": "item_none"})
    assert answer["error"]["data"]["kind"] == "noSuchItem"


def test_sessions_come_once_in_pages_that_are_no_larger_than_wanted(serve: Serve, tmp_path: Path) -> None:
    wire = serve("Hi")
    wire.initialize()
    made: list[str] = []
    for _ in range(40):
        made.append(wire.call("agent/session/new", {"cwd": wire.workspace.as_uri()})["sessionId"])
        wire.call("agent/session/rename", {"sessionId": made[-1], "title": "ä" * 200})
    asked: Message = {"maxBytes": 4_096, "limit": 30}
    listed: list[str] = []
    pages = 0
    while True:
        result = wire.call("agent/session/list", asked)
        assert size(result) <= 4_096 + SLACK
        listed += [row["sessionId"] for row in result["sessions"]]
        pages += 1
        if "nextCursor" not in result:
            break
        asked["cursor"] = result["nextCursor"]
    assert sorted(listed) == sorted(made)
    assert pages > 2


def test_queue_of_long_prompts_is_no_larger_than_wanted(serve: Serve) -> None:
    wire = serve(turns({"text": "busy", "hang": True}))
    wire.initialize()
    session = wire.session()
    wire.call("agent/run", {"sessionId": session, "input": "go"})
    for number in range(5):
        wire.call("agent/run", {"sessionId": session, "input": f"{number}" + "x" * 500_000})
    result = wire.call("agent/queue", {"sessionId": session})
    assert size(result) <= PAGE + SLACK
    assert len(result["queue"]) == 5
    assert all(row["_meta"]["shortened"] > 500_000 for row in result["queue"])
    small = wire.call("agent/queue", {"sessionId": session, "maxBytes": 50_000})
    assert size(small) <= 50_000 + SLACK
    assert [row["content"][0]["text"][0] for row in small["queue"]] == [*"01234"]
