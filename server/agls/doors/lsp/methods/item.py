"""`agent/item`: one item whole, or a part of one of its texts (protocol 4.4)."""

from collections.abc import Sequence

from agls.doors import from_wire, shapes
from agls.doors.errors import bad
from agls.doors.fold import fold
from agls.doors.lsp.call import Call
from agls.doors.lsp.door import Door
from agls.doors.messages import JsonObject
from agls.engine.facts import Entry, ToolFinished
from agls_protocol.sessions import ItemParams, ItemResult


async def item(door: Door, params: ItemParams, call: Call) -> ItemResult:
    """The item as it stands now, an open one with what streamed into it. Raises `Bad` (`noSuchItem`)."""
    call.interruptible = True
    found = await _find(door, params)
    if found is None:
        message = f"params.itemId: there is no item {params.item_id[:100]!r} in this session"
        raise bad("noSuchItem", message, sessionId=params.session_id)
    return _part(found, params) if params.field else ItemResult(found)


async def _find(door: Door, params: ItemParams) -> JsonObject | None:
    if attached := {**door.attached, **door.followed}.get(params.session_id):
        for opened in attached.publisher.open_items():
            if opened["itemId"] == params.item_id:
                return opened
    async with door.borrowed(params.session_id) as session:
        replay = await door.replay(session)
        entries = session.log.journal.entries()
    told = [event for event in replay.events if event.get("itemId") == params.item_id]
    found = fold(told).items.get(params.item_id)
    return found and _with_output(found, entries)


def _with_output(item: JsonObject, entries: Sequence[Entry]) -> JsonObject:
    """A call with all of its output that was kept: in its events long ones have only head and tail."""
    if "truncated" not in item:
        return item
    facts = (entry.fact for entry in reversed(entries))
    ends = (fact for fact in facts if isinstance(fact, ToolFinished) and fact.call_id == item["itemId"])
    if (end := next(ends, None)) is None:  # it never came to its end
        return item
    bare = {name: value for name, value in item.items() if name != "truncated"}
    return {**bare, "output": end.outcome.text, **shapes.filled(truncated=end.outcome.truncated or None)}


def _part(found: JsonObject, params: ItemParams) -> ItemResult:
    text = found.get(params.field)
    if not isinstance(text, str):
        texts = ", ".join(name for name, value in found.items() if isinstance(value, str))
        raise from_wire.Malformed(
            f"params.field: this item has no text {params.field[:100]!r}; it has {texts}"
        )
    data = text.encode("utf-8", "replace")
    start, end = (params.range.start, params.range.end) if params.range else (0, len(data))
    start, end = _whole(data, start), _whole(data, max(start, end))
    return ItemResult(text=data[start:end].decode(), start=start, total=len(data))


def _whole(data: bytes, place: int) -> int:
    """The first byte from here on that begins a character: parts that meet here lose none and break none."""
    place = max(0, min(place, len(data)))
    while place < len(data) and data[place] & 0xC0 == 0x80:
        place += 1
    return place
