"""Forks, rewinds, titles, deletion, pages of history and single items, through a real process."""

from typing import Any

import pytest

from agls.views.transcript import fold
from support.wire import Message, Wire, turns

from .conftest import Serve

LOOK = {"text": "I look.", "calls": [{"name": "list_dir", "arguments": {}}]}
READ_NEW = {"text": "I read.", "calls": [{"name": "read_file", "arguments": {"path": "new.txt"}}]}
HANGING = {"turns": [{"text": "I begin", "hang": True}]}


def talked(serve: Serve, *prompts: Any) -> tuple[Wire, str]:
    """A session in which these prompts were answered."""
    wire = serve(*prompts)
    wire.initialize()
    return wire, prompted(wire, len(prompts))


def prompted(wire: Wire, count: int) -> str:
    """A new session in which so many prompts were answered."""
    session = wire.session(title="Mine")
    for number in range(count):
        assert wire.run(session, f"prompt {number + 1}")["stopReason"] == "endTurn"
    return session


def items(wire: Wire, session: str) -> list[Message]:
    """The conversation as a client that resumes sees it."""
    snapshot = wire.call("agent/resume", {"sessionId": session, "replay": "all"})["snapshot"]
    return [item for item in snapshot["items"] if item["kind"] != "notice"]


def words(wire: Wire, session: str) -> list[str]:
    return [item.get("text") or item["content"][0]["text"] for item in items(wire, session)]


def kind(answer: Message) -> str:
    return answer["error"]["data"]["kind"]


def test_a_fork_begins_with_what_was_said_up_to_an_item(serve: Serve) -> None:
    wire, session = talked(serve, "one", "two")
    first = items(wire, session)[1]["itemId"]
    asked = {"sessionId": session, "atItemId": first, "clientKey": "k"}
    fork = wire.call("agent/session/fork", asked)
    assert wire.call("agent/session/fork", asked) == fork, "the same key, the same fork"
    assert kind(wire.ask("agent/session/fork", {**asked, "title": "x"})) == "keyConflict"
    assert words(wire, fork["sessionId"]) == ["prompt 1", "one"]
    rows = wire.call("agent/session/list", {})["sessions"]
    row = next(row for row in rows if row["sessionId"] == fork["sessionId"])
    assert (row["title"], row["parentSessionId"]) == ("Mine (fork)", session)
    assert kind(wire.ask("agent/session/fork", {"sessionId": session, "atItemId": "no"})) == "noSuchItem"
    assert kind(wire.ask("agent/session/fork", {"sessionId": "ses_no"})) == "sessionNotFound"


def test_snapshot_has_the_rewind_that_can_be_taken_back(serve: Serve) -> None:
    wire, session = talked(serve, "one", "two")

    def rewound() -> Message | None:
        snapshot = wire.call("agent/resume", {"sessionId": session, "replay": "tail"})["snapshot"]
        return snapshot.get("rewound")

    def went_back() -> Message:
        return wire.call("agent/session/rewind", {"sessionId": session, "toItemId": ""})

    assert rewound() is None
    done = went_back()
    wire.call("agent/session/close", {"sessionId": session})
    assert rewound() == wire.event("historyRewound")["data"]
    assert wire.event("historyRewound")["data"]["checkpointId"] == done["checkpointId"]
    wire.call("agent/session/rewind", {"sessionId": session, "undo": done["checkpointId"]})
    assert rewound() is None
    assert words(wire, session)[:2] == ["prompt 1", "one"]
    went_back()
    assert rewound() is not None
    wire.run(session, "on")
    assert rewound() is None


@pytest.mark.item(40)
def test_rewind_is_reported_live_and_on_resume_and_can_be_undone(serve: Serve) -> None:
    wire, session = talked(serve, turns(LOOK, "one"), "two", "three")
    before = items(wire, session)
    last = next(item["itemId"] for item in before if item["kind"] == "toolCall")
    asked = {"sessionId": session, "toItemId": last}
    dry = wire.call("agent/session/rewind", {**asked, "dryRun": True})
    assert dry["lastItemId"] == last
    assert len(dry["droppedItemIds"]) == 5
    assert "checkpointId" not in dry
    assert items(wire, session) == before
    done = wire.call("agent/session/rewind", {**asked, "clientKey": "k"})
    assert wire.call("agent/session/rewind", {**asked, "clientKey": "k"}) == done
    told = wire.event("historyRewound")["data"]
    assert (told["checkpointId"], told["lastItemId"]) == (done["checkpointId"], last)
    assert [item["kind"] for item in items(wire, session)] == ["userMessage", "message", "toolCall"]
    undone = wire.call("agent/session/rewind", {"sessionId": session, "undo": done["checkpointId"]})
    assert undone["droppedItemIds"] == []
    assert items(wire, session) == before
    assert [item for item in fold(wire.events).items.values() if item["kind"] != "notice"] == before
    wire.call("agent/session/rewind", {"sessionId": session, "toItemId": ""})
    assert items(wire, session) == []


def writing(number: int) -> Message:
    call = {"name": "write_file", "arguments": {"path": "new.txt", "content": f"{number}\n"}}
    return turns({"text": "I write.", "calls": [call]}, f"wrote {number}")


@pytest.mark.row(77)
@pytest.mark.item(40)
def test_files_and_conversation_go_back_together_and_come_back(serve: Serve) -> None:
    """Both, with one request, and its undoing."""
    wire = serve(writing(1), turns(READ_NEW, *writing(2)["turns"]))
    wire.initialize()
    session = wire.session(options={"mode": "allowAll"})
    wire.run(session)
    first = items(wire, session)
    wire.run(session)
    both = items(wire, session)
    new = wire.workspace / "new.txt"
    asked = {"sessionId": session, "toItemId": first[-1]["itemId"], "what": "both"}
    dry = wire.call("agent/session/rewind", {**asked, "dryRun": True})
    assert [(told["uri"], told["change"]) for told in dry["files"]] == [(new.as_uri(), "modified")]
    assert (new.read_text(), items(wire, session)) == ("2\n", both)
    done = wire.call("agent/session/rewind", asked)
    assert (new.read_text(), items(wire, session)) == ("1\n", first)
    assert wire.event("historyRewound")["data"]["changes"][0]["uri"] == new.as_uri()
    undo = {"sessionId": session, "undo": done["checkpointId"], "what": "both"}
    wire.call("agent/session/rewind", undo)
    assert (new.read_text(), items(wire, session)) == ("2\n", both)
    new.write_text("mine\n")
    files = wire.call("agent/session/rewind", {"sessionId": session, "toItemId": "", "what": "files"})
    assert [told["uri"] for told in files["conflicts"]] == [new.as_uri()]
    assert (new.read_text(), items(wire, session)) == ("mine\n", both)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"toItemId": "no"}, "no item"),
        ({"undo": "no"}, "no rewind"),
        ({}, "toItemId"),
        ({"toItemId": "", "undo": "x"}, "toItemId"),
        ({"toItemId": "", "what": "everything"}, "conversation, files, both"),
    ],
)
def test_a_rewind_that_makes_no_sense_is_refused(lasting: Serve, params: Message, said: str) -> None:
    wire = lasting("one")
    session = prompted(wire, 1)
    answer = wire.ask("agent/session/rewind", {"sessionId": session, **params})
    assert said in answer["error"]["message"]
    assert answer["error"]["code"] == -32602


@pytest.mark.item(40)
def test_nothing_is_rewound_while_a_run_is_active(serve: Serve) -> None:
    wire = serve(HANGING)
    wire.initialize()
    session = wire.session()
    wire.call("agent/run", {"sessionId": session, "input": "go"})
    wire.event("itemDelta")
    assert kind(wire.ask("agent/session/rewind", {"sessionId": session, "toItemId": ""})) == "runActive"


def test_a_session_gets_another_title_attached_or_not(serve: Serve) -> None:
    wire, session = talked(serve, "one")
    wire.call("agent/session/rename", {"sessionId": session, "title": " Another\n title "})
    assert wire.event("sessionInfo", title="Another title")
    wire.call("agent/session/close", {"sessionId": session})
    wire.call("agent/session/rename", {"sessionId": session, "title": "A third"})
    assert wire.call("agent/session/list", {})["sessions"][0]["title"] == "A third"
    assert wire.ask("agent/session/rename", {"sessionId": session, "title": "  "})["error"]["code"] == -32602
    assert kind(wire.ask("agent/session/rename", {"sessionId": "no", "title": "x"})) == "sessionNotFound"


def test_a_deleted_session_ends_its_work_and_is_gone(serve: Serve) -> None:
    wire = serve(HANGING)
    wire.initialize()
    session = wire.session()
    request = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
    wire.event("itemDelta")
    assert wire.call("agent/session/delete", {"sessionId": session}) == {}
    assert wire.answer_of(request)["result"]["stopReason"] == "cancelled"
    assert wire.call("agent/session/list", {})["sessions"] == []
    for method in ("agent/session/delete", "agent/resume", "agent/events"):
        assert kind(wire.ask(method, {"sessionId": session})) == "sessionNotFound"


@pytest.mark.parametrize("limit", [1, 4, 1000])
@pytest.mark.parametrize("attached", [True, False])
def test_pages_of_history_give_every_event_once_in_both_directions(
    lasting: Serve, limit: int, attached: bool
) -> None:
    wire = lasting(turns(LOOK, "one"), "two")
    session = prompted(wire, 2)
    resumed = wire.call("agent/resume", {"sessionId": session, "replay": "none"})
    if not attached:
        wire.call("agent/session/close", {"sessionId": session})
    asked = {"sessionId": session, "limit": limit}
    whole = wire.call("agent/events", {"sessionId": session, "limit": 5000})["events"]
    assert {event["seq"] for event in whole if "seq" in event} == set(range(1, resumed["seq"] + 1))
    for direction in ("after", "before"):
        cursor = {"epoch": resumed["epoch"], "seq": 0 if direction == "after" else resumed["seq"] + 1}
        gathered: list[Message] = []
        while cursor:
            page = wire.call("agent/events", {**asked, direction: cursor})
            gathered = gathered + page["events"] if direction == "after" else page["events"] + gathered
            cursor = page.get("nextCursor")
        assert gathered == whole
        ends = [event for event in whole if event["type"] == "runEnded"]
        cursor = {"epoch": resumed["epoch"], "seq": 0 if direction == "after" else resumed["seq"] + 1}
        page = wire.call("agent/events", {**asked, direction: cursor, "types": ["runEnded"]})
        near = ends[:limit] if direction == "after" else ends[-limit:]
        assert page["events"] == near, "a page is full, as long as there is something of these types"
        assert ("nextCursor" in page) == (len(near) < len(ends))


@pytest.mark.item(31)
def test_cursor_of_another_list_is_refused(serve: Serve) -> None:
    wire, session = talked(serve, "one")
    epoch = wire.events[0]["epoch"]
    for cursor in ({"epoch": "other", "seq": 1}, {"epoch": epoch, "seq": 10_000}):
        assert kind(wire.ask("agent/events", {"sessionId": session, "after": cursor})) == "cursorExpired"
    both = {"after": {"epoch": epoch, "seq": 1}, "before": {"epoch": epoch, "seq": 2}}
    assert wire.ask("agent/events", {"sessionId": session, **both})["error"]["code"] == -32602


def test_an_item_is_given_whole_in_parts_and_while_it_is_open(serve: Serve) -> None:
    wire, session = talked(serve, "Grüße an alle")
    message = items(wire, session)[1]
    asked = {"sessionId": session, "itemId": message["itemId"]}
    assert wire.call("agent/item", asked) == {"item": message}
    part = wire.call("agent/item", {**asked, "field": "text", "range": {"start": 0, "end": 7}})
    assert part == {"text": "Grüße"[:5], "start": 0, "total": 15}
    beyond = wire.call("agent/item", {**asked, "field": "text", "range": {"start": 99, "end": 3}})
    assert beyond == {"text": "", "start": 15, "total": 15}
    assert "it has" in wire.ask("agent/item", {**asked, "field": "colour"})["error"]["message"]
    assert kind(wire.ask("agent/item", {**asked, "itemId": "no"})) == "noSuchItem"


def test_parts_of_a_text_are_whole_characters_and_lose_none(serve: Serve) -> None:
    """A part has the characters that begin in its range, however narrow that is."""
    text = "aé€𐍈\u0301z"
    wire, session = talked(serve, text)
    asked = {"sessionId": session, "itemId": items(wire, session)[1]["itemId"], "field": "text"}
    for size in range(1, 6):
        parts = [
            wire.call("agent/item", {**asked, "range": {"start": start, "end": start + size}})
            for start in range(0, len(text.encode()), size)
        ]
        assert "".join(part["text"] for part in parts) == text
        assert all(text.encode()[p["start"] :].decode().startswith(p["text"]) for p in parts)


def test_a_title_is_one_short_line_wherever_it_is_given(serve: Serve) -> None:
    wire = serve("one")
    wire.initialize()
    long = " A\n title\0" + "x" * 300
    session = wire.session(title=long)
    wire.run(session)
    fork = wire.call("agent/session/fork", {"sessionId": session, "title": long})["sessionId"]
    for made in (session, fork):
        title = wire.call("agent/resume", {"sessionId": made})["snapshot"]["info"]["title"]
        assert (title[:9], len(title)) == ("A title x", 200)


def test_sessions_are_found_by_what_was_said_and_listed_page_by_page(serve: Serve) -> None:
    wire = serve("Apples and pears", "plums")
    wire.initialize()
    folder = wire.workspace / "other"
    folder.mkdir()
    fruit = [wire.session(clientKey=f"{n}", title=f"Fruit {n}") for n in range(5)]
    elsewhere = wire.session(clientKey="e", cwd=folder.as_uri(), title="Fruit elsewhere")
    wire.run(fruit[0])

    def pages(**asked: Any) -> list[list[str]]:
        found, cursor = list[list[str]](), ""
        while True:
            page = wire.call("agent/session/list", {**asked, "cursor": cursor})
            found.append([row["sessionId"] for row in page["sessions"]])
            if not (cursor := page.get("nextCursor", "")):
                return found

    newest = [fruit[0], elsewhere, *reversed(fruit[1:])]
    assert pages(limit=4) == [newest[:4], newest[4:]]
    assert pages(limit=3) == [newest[:3], newest[3:]], "no empty page behind the last row"
    assert pages(search="fruit", cwd=folder.as_uri()) == [[elsewhere]]
    assert pages(search="PEARS apples") == [[fruit[0]]], "all words, wherever they were said"
    assert pages(search="plums") == pages(cwd=(folder / "none").as_uri()) == [[]]


def test_an_open_item_is_given_as_it_stands(serve: Serve) -> None:
    wire = serve(HANGING)
    wire.initialize()
    session = wire.session()
    wire.call("agent/run", {"sessionId": session, "input": "go"})
    delta = wire.event("itemDelta")
    item = wire.call("agent/item", {"sessionId": session, "itemId": delta["itemId"]})["item"]
    assert (item["status"], item["text"]) == ("running", "I begin")
