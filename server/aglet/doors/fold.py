"""The reference folder: wire events in, the transcript a client would show out (protocol 4.7)."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from aglet.doors.shapes import is_object
from aglet.engine.vocabulary import JsonObject


@dataclass(slots=True)
class Transcript:
    """What a client knows of one session after some events; unknown event types only move `seq`.

    `items` stand in the order in which they started, open ones with what streamed into them so far;
    those that a rewind took out stand in `rewinds`, by its checkpoint. `run_of` says which run an item is of.
    """

    seq: int = 0
    state: str = "idle"
    items: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    rewinds: dict[str, dict[str, JsonObject]] = field(default_factory=dict[str, dict[str, JsonObject]])
    requests: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    runs: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    run_of: dict[str, str] = field(default_factory=dict[str, str])
    usage: JsonObject = field(default_factory=dict[str, object])
    info: JsonObject = field(default_factory=dict[str, object])
    options: JsonObject = field(default_factory=dict[str, object])
    queue: list[JsonObject] = field(default_factory=list[JsonObject])

    def take(self, event: JsonObject) -> None:
        """Take in one more event."""
        self.seq = event.get("seq", self.seq)
        data = event["data"]
        match event["type"]:
            case "itemStarted" | "itemCompleted" | "itemUpdated" | "itemDelta":
                self._take_item(event, event["itemId"], data)
            case "requestOpened":
                self.requests[data["requestId"]] = data
            case "requestResolved":
                self.requests.pop(data["requestId"], None)
            case "runEnded":
                self.runs[event["runId"]] = data
            case "historyRewound" if data["conversation"]:
                self._rewind(data)
            case type:
                self._replace(type, data)

    def _replace(self, type: str, data: JsonObject) -> None:
        """Take in what replaces all that was said of this before."""
        match type:
            case "sessionState":
                self.state = data["state"]
            case "sessionInfo":
                self.info = data
            case "options":
                self.options = data["options"]
            case "queueChanged":
                self.queue = data["queue"]
            case "contextUsage":
                self.usage = data
            case _:
                pass

    def _rewind(self, data: JsonObject) -> None:
        before = self.items
        if undone := data.get("undoes"):
            self.items = dict(self.rewinds.get(undone, before))
        else:
            shown = list(before)
            keep = shown.index(data["lastItemId"]) + 1 if data["lastItemId"] in before else 0
            self.items = {item_id: before[item_id] for item_id in shown[:keep]}
        self.rewinds[data["checkpointId"]] = before

    def _take_item(self, event: JsonObject, item_id: str, data: JsonObject) -> None:
        if event["type"] == "itemStarted" and "runId" in event:
            self.run_of[item_id] = event["runId"]
        if event["type"] == "itemDelta":
            item = self.items[item_id]
            self.items[item_id] = {**item, data["field"]: item.get(data["field"], "") + data["append"]}
        elif event["type"] == "itemUpdated":
            self.items[item_id] = merged(self.items[item_id], data["patch"])
        else:
            streamed = self.items.get(item_id, {}).get("text")
            whole = {"text": streamed} if streamed and "_meta" in event else {}  # the event's is shortened
            self.items[item_id] = {**data["item"], **whole}


def merged(item: JsonObject, patch: JsonObject) -> JsonObject:
    """`item` after a JSON merge patch (RFC 7396): `null` removes, an object merges, all else replaces."""
    result = {name: value for name, value in item.items() if name not in patch}
    for name, value in patch.items():
        old = item.get(name)
        if is_object(value):
            result[name] = merged(old if is_object(old) else {}, value)
        elif value is not None:
            result[name] = value
    return result


def fold(events: Iterable[JsonObject]) -> Transcript:
    """What a client knows after these events of one session."""
    transcript = Transcript()
    for event in events:
        transcript.take(event)
    return transcript
