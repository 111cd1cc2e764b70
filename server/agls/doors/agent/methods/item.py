"""`agent/item`: one item whole, or a part of one of its texts."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from agls.doors import from_wire
from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls.doors.agent.flow.sizes import fitted
from agls.doors.errors import bad
from agls.doors.messages import JsonObject
from agls.engine.background import outcome_in
from agls.engine.facts import ToolFinished
from agls.engine.vocabulary import ToolOutcome
from agls.json_values import is_list, is_object
from agls.stores.scratch import Scratch
from agls.terminal_codes import without_marks
from agls.views import wire_json
from agls.views.history_part import HistoryItem
from agls.views.session_history import SessionHistory
from agls_protocol.sessions import ItemParams, ItemResult

Kept = Callable[[str], str | None]
"""**Returns** the output that a file of this name holds, `None` when there is none."""


async def item(connection: Connection, params: ItemParams, call: Call) -> ItemResult:
    """Return the item as it stands, also an open one. **Raises** `Bad` (`noSuchItem`)."""
    call.interruptible = True
    found = await _find(connection, params)
    if found is None:
        message = f"params.itemId: there is no item {params.item_id[:100]!r} in this session"
        raise bad("noSuchItem", message, sessionId=params.session_id)
    room = connection.page(params.max_bytes).left
    return _part(found, params, room) if params.field else ItemResult(fitted(found, room)[0])


async def _find(connection: Connection, params: ItemParams) -> JsonObject | None:
    if attached := {**connection.attached, **connection.followed}.get(params.session_id):
        for opened in attached.publisher.open_items():
            if opened["itemId"] == params.item_id:
                return opened
    async with connection.borrowed(params.session_id) as session:
        history = await connection.history(session)
        scratch = Scratch(connection.world.setup.state_folder)
        return await asyncio.to_thread(
            _read, history, params.item_id, partial(scratch.kept, params.session_id)
        )


def _read(history: SessionHistory, item_id: str, kept: Kept) -> JsonObject | None:
    for held in history.shown():
        if held.item_id == item_id:
            return _with_output(held, history, kept)
    return None


def _with_output(held: HistoryItem, history: SessionHistory, kept: Kept) -> JsonObject:
    """Return a call with all of its output that was kept: events have only head and tail of a long one."""
    item = held.item
    fact = history.entry(held.ended).fact if "truncated" in item and held.ended else None
    outcome = fact.outcome if isinstance(fact, ToolFinished) else fact and outcome_in(fact)
    if outcome is None:  # it is no call and no task, or one that never came to its end
        return item
    bare = {name: value for name, value in item.items() if name != "truncated"}
    text, truncated = _output(outcome, kept)
    return {**bare, "output": text, **wire_json.filled(truncated=truncated or None)}


def _output(outcome: ToolOutcome, kept: Kept) -> tuple[str, int]:
    """Return the output, and how many bytes are missing in it: as the model has it, when no file has more."""
    file = outcome.kept
    if file is not None and (whole := kept(file.name)) is not None:
        return without_marks(whole), file.truncated
    return without_marks(outcome.text), outcome.truncated


def _part(found: JsonObject, params: ItemParams, room: int) -> ItemResult:
    data = _text(found, params.field).encode("utf-8", "replace")
    start, end = (params.range.start, params.range.end) if params.range else (0, len(data))
    start = _whole(data, start)
    end = _whole(data, min(max(start, end), start + room))
    return ItemResult(text=data[start:end].decode(), start=start, total=len(data))


def _text(found: JsonObject, field: str) -> str:
    """Return the text of this name, or at this JSON Pointer. **Raises** `Malformed`."""
    value: Any = found
    for name in field[1:].split("/") if field.startswith("/") else [field]:
        value = _member(value, name)
    if isinstance(value, str):
        return value
    texts = ", ".join(name for name, member in found.items() if isinstance(member, str))
    problem = f"this item has no text {field[:100]!r}; it has {texts}, or name one inside by a JSON Pointer"
    raise from_wire.Malformed(f"params.field: {problem}")


def _member(value: Any, name: str) -> Any:
    name = name.replace("~1", "/").replace("~0", "~")
    if is_list(value):
        return value[int(name)] if name.isdecimal() and int(name) < len(value) else None
    return value.get(name) if is_object(value) else None


def _whole(data: bytes, place: int) -> int:
    """Return the first byte from here on that begins a character: parts that meet there break none."""
    place = max(0, min(place, len(data)))
    while place < len(data) and data[place] & 0xC0 == 0x80:
        place += 1
    return place
