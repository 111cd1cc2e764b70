"""The envelope around every wire event: who, when, and where in the session's order (protocol#events)."""

from collections.abc import Mapping
from typing import Self

from agls.engine.facts import Entry, Glimpse
from agls.engine.vocabulary import JsonObject
from agls.views import wire_json
from agls.views.transcript import Transcript
from agls.views.wire_json import timestamp

PROTOCOL_VERSION = 1
PASSING = frozenset(
    {"runAdmitted", "runStarted", "turnStarted", "turnEnded", "recorded", "checkpoint", "taskChanged"}
)


class Envelope:
    """Collects the events of one fact or glimpse; `run_id`, `turn_id`, `seq` say where the session is now.

    `agent_id` and `parent_item` say whose session it is.
    """

    def __init__(self, session_id: str, epoch: str, seq: int = 0) -> None:
        self.run_id = ""
        self.turn_id = ""
        self.agent_id, self.parent_item = wire_json.MAIN, ""
        self._head: JsonObject = {"v": PROTOCOL_VERSION, "sessionId": session_id, "epoch": epoch}
        self._place: JsonObject = {}
        self.seq = seq
        self._events: list[JsonObject] = []

    def at(self, other: "Envelope") -> Self:
        """This one, moved to where the other one is in the session's order."""
        self.run_id, self.turn_id, self.seq = other.run_id, other.turn_id, other.seq
        self.agent_id, self.parent_item = other.agent_id, other.parent_item
        return self

    def belong(self, parent_item: str, options: Mapping[str, object]) -> None:
        """The session works for this call, "" for none."""
        self.parent_item, self.agent_id = parent_item, wire_json.agent_id(parent_item, options)

    def open(self, event: Entry | Glimpse) -> None:
        """Everything put in from here on belongs to this event."""
        if isinstance(event, Entry):
            self.seq = event.seq
            self._events, self._place = [], {"ts": timestamp(event.at), "seq": event.seq}
        else:
            self.seq = event.after
            self.show(event.at)

    def show(self, at: float) -> None:
        """Everything put in from here on is only shown, at this time (Unix seconds)."""
        self._events, self._place = [], {"ts": timestamp(at), "after": self.seq}

    def put(self, type: str, data: JsonObject, item_id: str = "") -> None:
        """One more event, in order."""
        event = {**self._head, **self._place, "type": type, "agentId": self.agent_id}
        if self.run_id:
            event["runId"] = self.run_id
        if self.turn_id:
            event["turnId"] = self.turn_id
        if item_id:
            event["itemId"] = item_id
        if self.parent_item:
            event["parentItemId"] = self.parent_item
        event["data"] = data
        self._events.append(event)

    def put_for(self, run_id: str, type: str, data: JsonObject, item_id: str = "") -> None:
        """One more event, of a run that may be another than the one that is on; "" for none."""
        run, turn = self.run_id, self.turn_id
        self.run_id, self.turn_id = run_id, ""
        self.put(type, data, item_id)
        self.run_id, self.turn_id = run, turn

    def put_whole(self, item: JsonObject) -> None:
        """An item that is complete as soon as it begins."""
        self.put("itemStarted", {"item": item}, item["itemId"])
        self.put("itemCompleted", {"item": item}, item["itemId"])

    def keeps(self, type: str) -> bool:
        """Whether events of this type are told here: what is not need not be made."""
        del type
        return True

    def put_shown(self, type: str, data: JsonObject) -> None:
        """One more event that is only shown, although a fact gave rise to it."""
        self.put(type, data)
        event = self._events[-1]
        event.pop("seq", None)
        event["after"] = self.seq

    def close(self) -> list[JsonObject]:
        """The events put in since `open`."""
        return self._events


class Brief(Envelope):
    """What facts come to, taken into `transcript` at once: no events, in half of the time."""

    def __init__(self, transcript: Transcript) -> None:
        super().__init__("", "")
        self._transcript = transcript

    def open(self, event: Entry | Glimpse) -> None:
        """As above, for facts."""
        self._transcript.seq = self.seq = event.seq if isinstance(event, Entry) else event.after

    def keeps(self, type: str) -> bool:
        """Whether a transcript keeps anything of such events."""
        return type not in PASSING

    def put(self, type: str, data: JsonObject, item_id: str = "") -> None:
        """What one more event would have said."""
        if type not in PASSING:
            self._transcript.learn(type, data, item_id, self.run_id)

    def put_shown(self, type: str, data: JsonObject) -> None:
        """As any other: nobody asks for its place."""
        self.put(type, data)

    def put_whole(self, item: JsonObject) -> None:
        """As above: its beginning says all."""
        self.put("itemStarted", {"item": item}, item["itemId"])


def place_of(event: JsonObject) -> int:
    """Where an event stands among the facts."""
    return event["seq"] if "seq" in event else event["after"]
