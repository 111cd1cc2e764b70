"""The fold of events: what a client knows of a session after them, and what it would show."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from agls.engine.vocabulary import JsonObject
from agls.json_values import is_object

UNSEEN = frozenset(
    {"runAdmitted", "runStarted", "turnStarted", "turnEnded", "recorded", "checkpoint", "taskChanged"}
)
"""Types of events that leave no trace in a transcript."""


@dataclass(slots=True)
class Transcript:
    """What a client knows of one session after some events; unknown event types only move `seq`.

    `items` stand in the order in which they started, open ones with what streamed into them so far;
    those that a rewind took out stand in `rewinds`, by its checkpoint. `run_of` says which run an item is of,
    `began` behind which fact it began, `ended` with which it was complete.
    """

    seq: int = 0
    state: str = "idle"
    items: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    rewinds: dict[str, dict[str, JsonObject]] = field(default_factory=dict[str, dict[str, JsonObject]])
    requests: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    runs: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    run_of: dict[str, str] = field(default_factory=dict[str, str])
    began: dict[str, int] = field(default_factory=dict[str, int], compare=False)
    ended: dict[str, int] = field(default_factory=dict[str, int], compare=False)
    usage: JsonObject = field(default_factory=dict[str, object])
    info: JsonObject = field(default_factory=dict[str, object])
    options: JsonObject = field(default_factory=dict[str, object])
    queue: list[JsonObject] = field(default_factory=list[JsonObject])

    def take(self, event: JsonObject) -> None:
        """Take in one more event."""
        self.seq = event.get("seq", self.seq)
        data = event["data"]
        if "_meta" in event and (streamed := self.items.get(event.get("itemId", ""), {}).get("text")):
            data = {**data, "item": {**data.get("item", {}), "text": streamed}}  # the event's is shortened
        self.learn(event["type"], data, event.get("itemId", ""), event.get("runId", ""))

    def learn(self, type: str, data: JsonObject, item_id: str, run_id: str) -> None:
        """Take in what an event said, of this item and run ("" for none)."""
        match type:
            case "itemStarted":
                self.items[item_id], self.began[item_id] = data["item"], self.seq
                if run_id:
                    self.run_of[item_id] = run_id
            case "itemCompleted":
                self.items[item_id], self.ended[item_id] = data["item"], self.seq
                for stood in self.rewinds.values():  # an undo brings a task back as it ended meanwhile
                    stood.update({item_id: data["item"]} if item_id in stood else {})
            case "itemUpdated" if item_id in self.items:
                self.items[item_id] = merged(self.items[item_id], data["patch"])
            case "itemDelta" if item_id in self.items:  # a task goes on when a rewind has taken out its item
                item, field = self.items[item_id], data["field"]
                self.items[item_id] = {**item, field: item.get(field, "") + data["append"]}
            case _:
                self._learn_of_session(type, data, run_id)

    def _learn_of_session(self, type: str, data: JsonObject, run_id: str) -> None:
        match type:
            case "requestOpened":
                self.requests[data["requestId"]] = data
            case "requestResolved":
                self.requests.pop(data["requestId"], None)
            case "runEnded":
                self.runs[run_id] = data
            case "historyRewound" if data["conversation"]:
                self._rewind(data)
            case _:
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
            stood = self.rewinds.get(undone, before)
            self.items = {item_id: before.get(item_id, item) for item_id, item in stood.items()}
        else:
            shown = list(before)
            keep = shown.index(data["lastItemId"]) + 1 if data["lastItemId"] in before else 0
            self.items = {item_id: before[item_id] for item_id in shown[:keep]}
        self.rewinds[data["checkpointId"]] = before


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
