"""The envelope of every event: whose it is, when it was, and where it stands in the session's order."""

from typing import Any, cast

from agls.engine.facts import Entry
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject
from agls.views.transcript import UNSEEN, Transcript
from agls.views.values import MAIN, agent_id
from agls.views.wire_json import timestamp
from agls_protocol.events import EventData
from agls_protocol.items import Item

PROTOCOL_VERSION = 1


class EventWriter:
    """Collects the events of one fact, or of what is only shown.

    `run_id`, `turn_id` and `seq` say where the session stands.
    """

    def __init__(self, session_id: str, epoch: str, seq: int = 0) -> None:
        self.run_id = ""
        self.turn_id = ""
        self.seq = seq
        self._agent_id = MAIN
        self._parent_item = ""
        self._head: JsonObject = {"v": PROTOCOL_VERSION, "sessionId": session_id, "epoch": epoch}
        self._place: JsonObject = {}
        self._events: list[JsonObject] = []

    def stand_at(self, other: "EventWriter") -> None:
        """Take over where the other writer stands in the session's order, and whose session it is."""
        self.run_id = other.run_id
        self.turn_id = other.turn_id
        self.seq = other.seq
        self._agent_id = other._agent_id
        self._parent_item = other._parent_item

    def identify(self, state: State) -> None:
        """Take over whose session it is."""
        self._parent_item = state.parent_item
        self._agent_id = agent_id(state)

    def begin(self, entry: Entry) -> None:
        """Let everything written from here on belong to this fact."""
        self.seq = entry.seq
        self._events = []
        self._place = {"ts": timestamp(entry.at), "seq": entry.seq}

    def begin_transient(self, at: float) -> None:
        """Let everything written from here on be of this time (Unix seconds), and come from no fact."""
        self._events = []
        self._place = {"ts": timestamp(at), "after": self.seq}

    def write(self, type: str, data: EventData, item_id: str = "") -> None:
        """Write one more event, in order."""
        event = {**self._head, **self._place, "type": type, "agentId": self._agent_id}
        if self.run_id:
            event["runId"] = self.run_id
        if self.turn_id:
            event["turnId"] = self.turn_id
        if item_id:
            event["itemId"] = item_id
        if self._parent_item:
            event["parentItemId"] = self._parent_item
        event["data"] = data
        self._events.append(event)

    def write_for(self, run_id: str, type: str, data: EventData, item_id: str = "") -> None:
        """Write an event of a run that may be another than the one that is on; "" for none."""
        run, turn = self.run_id, self.turn_id
        self.run_id = run_id
        self.turn_id = ""
        self.write(type, data, item_id)
        self.run_id = run
        self.turn_id = turn

    def write_transient(self, type: str, data: EventData) -> None:
        """Write an event that has no `seq` of its own, although a fact gave rise to it."""
        self.write(type, data)
        event = self._events[-1]
        event.pop("seq", None)
        event["after"] = self.seq

    def write_item(self, item: Item) -> None:
        """Write an item that is complete as soon as it begins."""
        self.write("itemStarted", {"item": item}, item["itemId"])
        self.write("itemCompleted", {"item": item}, item["itemId"])

    def needs(self, type: str) -> bool:
        """Return whether events of this type are wanted here; others need not be made."""
        del type
        return True

    def has_fact(self) -> bool:
        """Return whether an event with the `seq` of the fact was written."""
        return any("seq" in event for event in self._events)

    def take(self) -> list[JsonObject]:
        """Return the events written since the last `begin`, as plain JSON."""
        return self._events


class TranscriptWriter(EventWriter):
    """Puts what events would say into a transcript: making none takes half of the time.

    Rewinds take nothing out: where a session is read in parts, the items that they leave are in others.
    """

    def __init__(self, transcript: Transcript) -> None:
        super().__init__("", "")
        self._transcript = transcript

    def begin(self, entry: Entry) -> None:
        """Move the transcript to this fact."""
        self.seq = entry.seq
        self._transcript.seq = self.seq

    def write(self, type: str, data: EventData, item_id: str = "") -> None:
        """Let the transcript learn what one more event would say."""
        if self.needs(type):
            self._transcript.learn(type, cast(Any, data), item_id, self.run_id)

    def write_transient(self, type: str, data: EventData) -> None:
        """Let the transcript learn it: it has no place for events."""
        self.write(type, data)

    def write_item(self, item: Item) -> None:
        """Let the transcript learn the item: its beginning says all."""
        self.write("itemStarted", {"item": item}, item["itemId"])

    def needs(self, type: str) -> bool:
        """Return whether a transcript keeps anything of such events."""
        return type not in UNSEEN and type != "historyRewound"

    def has_fact(self) -> bool:
        """Return that nothing has to be recorded: a transcript has no holes."""
        return True


def place_of(event: JsonObject) -> int:
    """Return where an event stands among the facts."""
    return event["seq"] if "seq" in event else event["after"]
