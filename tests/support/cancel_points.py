"""The nine points of the cancellation contract: what holds of a session whose run was ended (4.9)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from agls.order import NOTES
from agls.stores.files import FileStore
from agls.views.project import Projection
from agls.views.transcript import fold
from support.model_server import Request
from support.pairing import judged, refused, turns_in
from support.patience import PATIENCE, wait_until
from support.rich_run import left_behind
from support.stopped_run import newest
from support.wire import Message
from support.wire_rules import ENDED

BOUND = 4.0  # seconds from a cancel to the end of the run, by the contract
LOAD = 56.0  # more seconds, for a machine that has other things to do
CLOCK = 0.002  # seconds by which the times of events are rounded


@dataclass(frozen=True)
class Ended:
    """A session whose run was ended: what its client saw, what the model server was sent, where it worked."""

    session: str
    run_id: str
    events: Sequence[Message]
    posts: Sequence[Request]
    folder: Path
    state: Path  # where the journals are

    def check(self, reasons: Collection[str], *, journal: bool = True) -> None:
        """All that holds whichever way the run was ended."""
        self._ended_once(reasons)
        self._nothing_is_open()
        self._streams_are_closed()
        assert left_behind(self.folder) == [], "4: what its tools started is gone"
        if journal:
            assert self._kept == fold(self.events).items, "the journal tells what the client saw"
            assert list(refused(FileStore(self.state).peek(self.session))) == [], "5: no history is broken"

    def _ended_once(self, reasons: Collection[str]) -> None:
        """Points 1 and 6: one end, for the reason that was given; before its begin the model is not asked."""
        ends = [e for e in self.events if (e["type"], e.get("runId")) == ("runEnded", self.run_id)]
        assert [end["data"]["stopReason"] for end in ends] in [[reason] for reason in reasons], ends
        turns = self._of_run("turnStarted")
        assert turns or not self._of_run("itemStarted", kind="message")
        own = [post for post in self.posts if newest(post)[0] != "next"]
        assert len(turns) >= len(own), "1: the model is asked in a turn, or not at all"
        usage = ends[0]["data"].get("usage", {})
        assert not usage or usage.get("inputTokens", 0) > 0, "6: usage only if it is known"

    def _nothing_is_open(self) -> None:
        """Points 3 and 5: every question is resolved, and every item is complete with what it produced."""
        known = fold(self.events)
        assert known.requests == {}, "3: no question is open"
        assert {item["status"] for item in known.items.values()} <= ENDED, "5: no item is open"
        started = {e["itemId"] for e in self.events if e["type"] == "itemStarted"}
        completed = [e["itemId"] for e in self.events if e["type"] == "itemCompleted"]
        assert started <= set(completed), "5: nothing is dropped"
        assert len(completed) == len(set(completed)), "5: an item completes once"

    def _streams_are_closed(self) -> None:
        """Point 2: no answer of the model is waited for."""
        for post in self.posts:
            assert post.over.wait(PATIENCE), "2: the stream is closed"

    def nothing_began_after(self, moment: float) -> None:
        """Point 2: no turn and no tool of the run begins after this moment (Unix time in seconds)."""
        for event in (*self._of_run("turnStarted"), *self._of_run("itemUpdated")):
            if event["type"] == "turnStarted" or event["data"]["patch"].get("status") == "running":
                assert _unix(event["ts"]) <= moment + CLOCK, (event, moment)

    def history_is_right_in(self, post: Request) -> None:
        """Point 5: the next request is one that model servers take, and tells what was cut."""
        body = post.body
        assert list(judged(turns_in(body, "chat"), asking=True)) == []
        said = str(body["messages"])
        for item in fold(self.events).items.values():
            if item["kind"] == "message" and item["text"]:
                assert item["text"].split()[0] in said, "what was cut is told"
            if item["kind"] == "toolCall" and item["status"] == "cancelled":
                assert "ancelled" in said, "the model is told of cancelled calls"

    @property
    def _kept(self) -> dict[str, Message]:
        store = FileStore(self.state)
        wait_until(lambda: store.peek(self.session)[-1].seq >= fold(self.events).seq)
        return fold(kept_events(self.state, self.session)).items

    def _of_run(self, type: str, **item: str) -> list[Message]:
        of_run = [e for e in self.events if (e["type"], e.get("runId")) == (type, self.run_id)]
        return [e for e in of_run if all(e["data"]["item"][k] == v for k, v in item.items())]


def kept_events(state: Path, session: str) -> list[Message]:
    """What the journal of a session tells, in the order of its facts."""
    projection = Projection(NOTES, session, "epoch")
    return [event for entry in FileStore(state).peek(session) for event in projection.events(entry)]


def _unix(stamp: str) -> float:
    return datetime.fromisoformat(stamp).timestamp()
