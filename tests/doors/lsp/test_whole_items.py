"""What an event had no room for is whole in `agent/item`."""

from base64 import b64encode
from typing import Any

import pytest

from support.wire import AGENT, Message, Wire, turns

from .conftest import Serve

SMALLEST = 4_096
SMALL: Message = {**AGENT, "events": {"maxBytes": SMALLEST}}
LONG = "".join(f"{number:05d} é😋\n" for number in range(4_000))  # 52,000 bytes
WIDE = "".join(f"{number:04d}{'😋' * 16}\n" for number in range(1_500))  # 31,500 characters, 103,500 bytes
DUMP = {"name": "dump", "description": "Dump it.", "readOnly": True}


def completed(wire: Wire, kind: str) -> Message:
    """The event that told the end of the only item of this kind."""
    ends = [e for e in wire.events if e["type"] == "itemCompleted" and e["data"]["item"]["kind"] == kind]
    (end,) = ends
    return end


def whole(wire: Wire, session: str, item_id: str, **more: Any) -> Message:
    return wire.call("agent/item", {"sessionId": session, "itemId": item_id, **more})


def test_item_shortened_in_its_event_is_whole_on_request(serve: Serve) -> None:
    write = {"name": "write_file", "arguments": {"path": "a.txt", "content": LONG}}
    wire = serve(turns({"calls": [write]}, {"text": LONG}))
    wire.initialize(SMALL)
    session = wire.session(options={"mode": "allowAll"})
    wire.run(session, LONG)
    for kind in ("userMessage", "toolCall", "message"):
        end = completed(wire, kind)
        item = whole(wire, session, end["itemId"])["item"]
        assert end["_meta"]["shortened"] > len(LONG), "the bytes that the event had"
        assert item != end["data"]["item"]
        assert {n: item[n] for n in ("itemId", "kind", "status")} == {
            n: end["data"]["item"][n] for n in ("itemId", "kind", "status")
        }
    said, message, called = (
        whole(wire, session, completed(wire, kind)["itemId"])["item"]
        for kind in ("userMessage", "message", "toolCall")
    )
    assert said["content"] == [{"type": "text", "text": LONG}]
    assert message["text"] == LONG
    assert called["input"]["content"] == LONG
    added = "".join(f"+{line}\n" for line in LONG.splitlines())
    assert called["changes"][0]["patch"].endswith(added)
    assert all(len(str(e).encode()) < 3 * SMALLEST for e in wire.events), "each event is small"


def test_all_of_an_output_is_there_although_its_item_has_head_and_tail(serve: Serve) -> None:
    wire = serve(turns({"calls": [{"name": "dump", "arguments": {}}]}, "Done."))
    wire.initialize({**AGENT, "tools": [DUMP]})
    wire.answers["agent/callTool"] = lambda params: {"output": WIDE}
    session = wire.session()
    wire.run(session)
    told = completed(wire, "toolCall")["data"]["item"]
    assert told["truncated"] > 30_000
    assert len(told["output"].encode()) < 70_000
    item = whole(wire, session, told["itemId"])["item"]
    assert item["output"] == WIDE
    assert "truncated" not in item
    data = WIDE.encode()
    whole_again, ranges = "", [(n, n + 997) for n in range(0, len(data), 997)]
    for start, end in ranges:  # each cuts characters into pieces
        part = whole(wire, session, told["itemId"], field="output", range={"start": start, "end": end})
        assert (part["total"], part["start"]) == (len(data), len(whole_again.encode()))
        whole_again += part["text"]
    assert whole_again == WIDE


@pytest.mark.row(42)
def test_output_of_a_command_is_whole_in_its_item_and_what_was_too_much_is_counted(serve: Serve) -> None:
    """Up to what is kept; without the file it is head and tail again."""
    calls = [
        {"name": "shell", "arguments": {"command": command}} for command in ("seq 1 60000", "seq 1 900000")
    ]
    wire = serve(turns({"calls": calls}, "Done."))
    wire.initialize()
    session = wire.session(options={"mode": "allowAll"})
    wire.run(session)
    ends = [e for e in wire.events if e["type"] == "itemCompleted"]
    told, much = (e["data"]["item"] for e in ends if e["data"]["item"]["kind"] == "toolCall")
    assert told["truncated"] > 300_000
    item = whole(wire, session, told["itemId"])["item"]
    count = "".join(f"{number}\n" for number in range(1, 60_001))
    assert item["output"].startswith(count)
    assert "truncated" not in item
    span = {"start": 338_000, "end": 338_010}
    part = whole(wire, session, told["itemId"], field="output", range=span)
    assert part["text"] == count[338_000:338_010]
    size = sum(len(f"{number}\n") for number in range(1, 900_001))
    part = whole(wire, session, much["itemId"], field="output", range=span)
    assert 4_000_000 <= part["total"] < 4_001_000
    for file in (wire.workspace.parent / "state/scratch").glob("*/outputs/*"):
        file.unlink()
    item = whole(wire, session, told["itemId"])["item"]
    assert (item["output"], item["truncated"]) == (told["output"], told["truncated"])
    assert much["truncated"] > size - 33_000


def test_an_image_that_a_tool_of_the_editor_gives_is_in_its_item(serve: Serve) -> None:
    wire = serve(turns({"calls": [{"name": "dump", "arguments": {}}]}, "Done."))
    wire.initialize({**AGENT, "tools": [DUMP]})
    given = [
        {"type": "text", "text": "Here:"},
        {"type": "image", "data": b64encode(b"GIF89a\x02\0\x01\0;").decode(), "mimeType": "image/png"},
        {"type": "image", "data": b64encode(b"BM").decode(), "mimeType": "image/bmp"},
        {"type": "resourceLink", "uri": "file:///a", "name": "a"},
    ]
    wire.answers["agent/callTool"] = lambda params: {"output": given}
    wire.run(wire.session())
    item = completed(wire, "toolCall")["data"]["item"]
    assert item["output"].splitlines() == [
        "Here:",
        "[image: image/gif, 2×1 pixels, 11 bytes]",
        "[an image that is no PNG, JPEG, GIF or WebP]",
        "a file:///a",
    ]
    assert item["images"] == [{**given[1], "mimeType": "image/gif"}]
