"""Events that wait for the pipe: kept in order, deltas of one item merged (protocol 4.12)."""

from collections.abc import Sequence

from aglet.doors.lsp.messages import JsonObject

MERGED_TEXT = 4_096  # characters of one merged delta
BATCH_EVENTS = 256
ENVELOPE = 400  # characters of an event besides its text, roughly


class Batch:
    """The events of one `agent/event` that was not written yet; `weight` is their size in characters."""

    def __init__(self, events: list[JsonObject]) -> None:
        self._events = events
        self.weight = weight(events)

    def message(self) -> JsonObject:
        """The notification."""
        return {"jsonrpc": "2.0", "method": "agent/event", "params": {"events": self._events}}

    def take(self, events: list[JsonObject]) -> bool:
        """Take in events that follow; False when they have to wait for a batch of their own."""
        if len(events) == 1 and self._merge(events[0]):
            return True
        if len(self._events) + len(events) > BATCH_EVENTS:
            return False
        self._events.extend(events)
        self.weight += weight(events)
        return True

    def _merge(self, event: JsonObject) -> bool:
        last = self._events[-1]
        if not (_is_text_delta(event) and _is_text_delta(last) and _same_place(event, last)):
            return False
        data, more = last["data"], event["data"]
        if len(data["append"]) + len(more["append"]) > MERGED_TEXT:
            return False
        self._events[-1] = {**last, "data": {**data, "append": data["append"] + more["append"]}}
        self.weight += len(more["append"])
        return True


def weight(events: Sequence[JsonObject]) -> int:
    """The size of events in characters, roughly: what grows without end are the deltas."""
    return sum(ENVELOPE + len(event["data"].get("append", "")) for event in events)


def _is_text_delta(event: JsonObject) -> bool:
    return event["type"] == "itemDelta" and "append" in event["data"]


def _same_place(event: JsonObject, last: JsonObject) -> bool:
    same_item = event["itemId"] == last["itemId"] and event["sessionId"] == last["sessionId"]
    return same_item and event["data"]["field"] == last["data"]["field"]
