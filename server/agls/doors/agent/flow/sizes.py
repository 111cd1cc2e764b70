"""No event is larger than the client takes: texts come in several deltas, the rest is shortened (4.12)."""

from typing import Any, cast

from agls.doors.agent.flow.batches import Delta, EncodedEvent, Piece
from agls.doors.messages import JsonObject, written

SMALLEST = 4_096  # bytes; a client that asks for less gets this
WORST = 8  # bytes that one character may take as JSON, and some air
FEWEST = 16  # characters that stay of a text in any case


def pieces_of(event: JsonObject, limit: int) -> list[Piece]:
    """Return the event as one or more that have `limit` bytes at most."""
    if event["type"] == "itemDelta":
        return [Delta(part) for part in split(event, limit // WORST)]
    if event["type"] == "itemUpdated":
        first, *rest = unfolded(event, limit // WORST)
        return [_encoded(first, limit), *(Delta(part) for part in rest)]
    return [_encoded(event, limit)]


def made_up(event: JsonObject, limit: int, since: int) -> list[JsonObject]:
    """Return what precedes the end of an item whose deltas were left out: its text, if its end may lack it.

    The first was left out behind the fact `since`.
    """
    text = event["data"]["item"].get("text", "")
    if len(text) <= limit // WORST:
        return []
    place = {name: value for name, value in event.items() if name != "seq"}
    shown = {**place, "after": event["seq"] - 1}  # only the end stands for the fact itself
    gap = {name: value for name, value in shown.items() if name != "itemId"}
    return [
        {**gap, "type": "gap", "data": {"from": since, "to": shown["after"], "itemIds": [event["itemId"]]}},
        {**shown, "type": "itemUpdated", "data": {"patch": {"text": text}}},
    ]


def split(event: JsonObject, length: int) -> list[JsonObject]:
    """Return a delta as several, none of which appends more than `length` characters or has colours."""
    data = event["data"]
    text: str = data["append"]
    parts: list[JsonObject] = []
    if max(len(text), len(data.get("coloured", ""))) <= length:
        return [event]
    offset: int = data["offset"]
    for start in range(0, len(text), length):
        part = text[start : start + length]
        parts.append({**event, "data": {"field": data["field"], "offset": offset, "append": part}})
        offset += len(part.encode("utf-8", "replace"))
    return parts


def unfolded(event: JsonObject, length: int) -> list[JsonObject]:
    """Return an update with a long text as one with the beginning of it and the deltas that follow."""
    patch = event["data"]["patch"]
    text = patch.get("text")
    if not isinstance(text, str) or len(text) <= length:
        return [event]
    update = {**event, "data": {"patch": {**patch, "text": text[:length]}}}
    offset = len(text[:length].encode("utf-8", "replace"))
    data = {"field": "text", "offset": offset, "append": text[length:]}
    return [update, *split({**event, "type": "itemDelta", "data": data}, length)]


def _encoded(event: JsonObject, limit: int) -> EncodedEvent:
    """Return the event, small enough."""
    encoded = EncodedEvent(event)
    return encoded if encoded.weight * 4 <= limit else EncodedEvent(fitted(event, limit, "data")[0])


def fitted(whole: JsonObject, limit: int, part: str = "") -> tuple[JsonObject, int]:
    """This, or its `part`, shortened until `limit` bytes hold it as JSON, and how many bytes it has then.

    `_meta.shortened` gives the bytes it had.
    """
    fit, size = whole, json_size(whole)
    meta, length = {**whole.get("_meta", {}), "shortened": size}, limit // WORST
    while size > limit and length >= FEWEST:
        cut = {**whole, part: shortened(whole[part], length)} if part else shortened(whole, length)
        fit = {**cut, "_meta": meta}
        size, length = json_size(fit), length // 2
    return fit, size


def json_size(value: Any) -> int:
    """Return how many bytes this has as JSON."""
    return len(written(value))


def shortened(value: Any, length: int) -> Any:
    """Return the value with head and tail of long texts and the first members of long lists and objects.

    An object that says that it is `whole` says so no longer when it is not.
    """
    if isinstance(value, str) and len(value) > length:
        half = length // 2
        return f"{value[:half]}\n[… {len(value) - 2 * half} characters left out …]\n{value[-half:]}"
    if isinstance(value, list):
        return [shortened(member, length) for member in cast(list[Any], value)[:length]]
    if isinstance(value, dict):
        members = list(cast(JsonObject, value).items())[:length]
        less = {name: shortened(member, length) for name, member in members if len(name) <= length}
        return less | {"whole": False} if less.get("whole") and less != value else less
    return value
