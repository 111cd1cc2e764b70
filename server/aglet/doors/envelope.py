"""The envelope around every wire event: who, when, and where in the session's order (protocol, part 6)."""

from aglet.doors import shapes
from aglet.doors.shapes import timestamp
from aglet.engine.facts import Entry, Glimpse
from aglet.engine.vocabulary import JsonObject

PROTOCOL_VERSION = 1


class Envelope:
    """Collects the events of one fact or glimpse; `run_id` and `turn_id` say where the session is now.

    `agent_id` and `parent_item` say whose session it is.
    """

    def __init__(self, session_id: str, epoch: str, seq: int = 0) -> None:
        self.run_id = ""
        self.turn_id = ""
        self.agent_id, self.parent_item = shapes.MAIN, ""
        self._head: JsonObject = {"v": PROTOCOL_VERSION, "sessionId": session_id, "epoch": epoch}
        self._place: JsonObject = {}
        self._seq = seq
        self._events: list[JsonObject] = []

    def open(self, event: Entry | Glimpse) -> None:
        """Everything put in from here on belongs to this event."""
        if isinstance(event, Entry):
            self._seq = event.seq
            self._events, self._place = [], {"ts": timestamp(event.at), "seq": event.seq}
        else:
            self._seq = event.after
            self.show(event.at)

    def show(self, at: float) -> None:
        """Everything put in from here on is only shown, at this time (Unix seconds)."""
        self._events, self._place = [], {"ts": timestamp(at), "after": self._seq}

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

    def put_shown(self, type: str, data: JsonObject) -> None:
        """One more event that is only shown, although a fact gave rise to it."""
        self.put(type, data)
        event = self._events[-1]
        event.pop("seq", None)
        event["after"] = self._seq

    def close(self) -> list[JsonObject]:
        """The events put in since `open`."""
        return self._events
