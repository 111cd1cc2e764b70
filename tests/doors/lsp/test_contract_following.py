"""A session that another process writes: followed, not written, taken over (protocol#resuming)."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from agls.views.transcript import fold
from support.wire import Message, Wire, events_in, script, turns

HANGING = {"match": "hang", "turns": [{"text": "I begin", "hang": True}]}
EDIT = {"name": "write_file", "arguments": {"path": "a.txt", "content": "x"}}
ASKING = {"match": "ask", "turns": [{"text": "May I?", "calls": [EDIT]}, {"text": "done"}]}
ANY = {"match": "", "repeat": True, **turns("yes")}
pytestmark = pytest.mark.timeout(90)


class Scene:
    """Two servers on one state folder: `writer` has a session, `reader` has not."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        config = script(folder, HANGING, ASKING, ANY)
        self.writer, self.reader = (stack.enter_context(Wire(folder, config)) for _ in range(2))
        self.writer.answers["agent/requestPermission"] = lambda params: {"outcome": "dismissed"}
        for wire in (self.writer, self.reader):
            wire.initialize()
        self.session = self.writer.session(title="Shared")
        self.name = {"sessionId": self.session}

    def resume(self, wire: Wire, **params: object) -> Message:
        return wire.call("agent/resume", {**self.name, "replay": "all", **params})

    def facts(self, wire: Wire) -> list[Message]:
        """The facts that were told live, without what only a live run tells."""
        return [event for event in wire.events if "seq" in event and event["type"] != "itemStarted"]

    def reaches(self, seq: int) -> None:
        """Wait until the reader has heard of this fact."""
        self.reader.until(lambda m: any(e.get("seq", 0) >= seq for e in events_in(m)))

    def refused(self, method: str, **params: object) -> Message:
        error = self.reader.ask(method, {**self.name, **params})["error"]
        assert (error["code"], error["data"]["kind"]) == (-33006, "sessionBusyElsewhere"), (method, error)
        assert error["data"]["retryable"]
        assert "takeControl" in error["data"]["hint"]
        return error

    def released(self) -> None:
        """Wait until the reader hears that nobody writes any more."""
        self.reader.event("notice", title="No other process writes this session any more")


@pytest.fixture
def scene(tmp_path: Path) -> Callable[[], Scene]:
    with ExitStack() as stack:
        yield lambda: Scene(tmp_path, stack)


@pytest.mark.item(31)
def test_follower_gets_the_events_of_another_process_as_they_happen(scene: Callable[[], Scene]) -> None:
    here = scene()
    here.writer.run(here.session, "first")
    resumed = here.resume(here.reader)
    assert resumed["readOnly"]
    snapshot = {item["itemId"]: item for item in resumed["snapshot"]["items"]}
    assert snapshot == fold(here.writer.events).items
    assert "readOnly" not in here.resume(here.writer)
    assert here.writer.run(here.session, "ask")["stopReason"] == "endTurn"
    last = here.facts(here.writer)[-1]["seq"]
    here.reaches(last)
    told = here.facts(here.reader)
    assert told == [event for event in here.facts(here.writer) if event["seq"] > resumed["seq"]]
    assert (
        fold([*resumed.get("events", []), *here.reader.events]).runs.keys()
        < fold(here.writer.events).runs.keys()
    )
    assert not here.reader.of_method("agent/requestPermission"), "its questions are told, not asked"
    whole = here.resume(here.reader)["snapshot"]
    assert {item["itemId"]: item for item in whole["items"]} == fold(here.writer.events).items
    since = here.resume(here.reader, replay="since", after={"epoch": resumed["epoch"], "seq": resumed["seq"]})
    assert since["replayed"] == "events"
    message = next(item for item in whole["items"] if item["kind"] == "message")
    assert here.reader.call("agent/item", {**here.name, "itemId": message["itemId"]})["item"] == message
    assert here.reader.call("agent/events", here.name)["events"]
    assert here.reader.call("agent/status")["sessions"] == [{"sessionId": here.session, "state": "idle"}]
    fork = here.reader.call("agent/session/fork", here.name)
    assert here.reader.run(fork["sessionId"])["stopReason"] == "endTurn"


def test_nothing_is_written_to_it_from_here_and_everything_says_what_to_do(
    scene: Callable[[], Scene],
) -> None:
    here = scene()
    running = here.writer.post("agent/run", {**here.name, "input": "hang", "wait": True})
    queued = here.writer.call("agent/run", {**here.name, "input": "later"})
    here.writer.event("itemDelta")
    assert here.resume(here.reader)["state"] == "running"
    item = {"itemId": queued["itemId"]}
    here.refused("agent/run", input="mine")
    here.refused("agent/steer", input="mine", ifEnded="run")
    here.refused("agent/cancel")
    here.refused("agent/queue", op="remove", **item)
    here.refused("agent/setOption", optionId="mode", value="plan")
    here.refused("agent/action/list")
    here.refused("agent/action/invoke", name="context", input={})
    here.refused("agent/session/rename", title="Mine")
    here.refused("agent/session/rewind", toItemId="")
    here.refused("agent/session/close")
    here.refused("agent/session/delete")
    here.refused("agent/resume", takeControl=True)
    here.reader.call("agent/detach", here.name)
    here.refused("agent/run", input="mine")
    here.writer.call("agent/cancel", here.name)
    assert here.writer.answer_of(running)["result"]["stopReason"] == "cancelled"
    here.writer.until(
        lambda m: any(e["type"] == "runEnded" and e["runId"] == queued["runId"] for e in events_in(m))
    )
    assert here.facts(here.reader) == [], "it was detached"
    assert here.resume(here.reader)["seq"] == here.resume(here.writer)["seq"]
    assert here.resume(here.writer)["snapshot"]["items"] == here.resume(here.reader)["snapshot"]["items"]


@pytest.mark.item(32)
def test_a_question_of_another_process_is_seen_and_cannot_be_answered_here(
    scene: Callable[[], Scene],
) -> None:
    here = scene()
    del here.writer.answers["agent/requestPermission"]
    here.writer.post("agent/run", {**here.name, "input": "ask"})
    asked = here.writer.until(lambda m: m.get("method") == "agent/requestPermission")
    resumed = here.resume(here.reader)
    here.reader.unchecked = "it came in the middle of a run"
    assert resumed["state"] == "requiresAction"
    (question,) = resumed["openRequests"]
    assert question["requestId"] == asked["params"]["requestId"]
    here.refused("agent/respond", requestId=question["requestId"], response={"outcome": "dismissed"})
    here.writer.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"outcome": "dismissed"}})
    here.reader.event("requestResolved", requestId=question["requestId"])
    ended = here.reader.event("runEnded", stopReason="endTurn")
    assert ended["data"] == here.writer.event("runEnded")["data"], "of the whole run, not of what it saw"
    assert not here.reader.of_method("agent/requestPermission")


@pytest.mark.parametrize("how", ["closes it", "leaves", "dies"])
def test_session_can_be_continued_here_when_the_other_process_closes_it(
    scene: Callable[[], Scene], how: str
) -> None:
    here = scene()
    running = here.writer.call("agent/run", {**here.name, "input": "hang"})["runId"]
    here.writer.event("itemDelta")
    resumed = here.resume(here.reader)
    here.refused("agent/resume", takeControl=True)
    here.reader.unchecked = "it came in the middle of a run"
    if how == "closes it":
        here.writer.call("agent/session/close", here.name)
    elif how == "leaves":
        here.writer.leave()
    else:
        here.writer.process.kill()
        here.writer.process.wait()
        here.writer.unchecked = "it was killed"
    here.released()
    cursor = {"epoch": resumed["epoch"], "seq": resumed["seq"]}
    taken = here.resume(here.reader, takeControl=True, replay="since", after=cursor)
    assert (taken["state"], taken["replayed"]) == ("idle", "events")
    assert "readOnly" not in taken
    reason = "cancelled" if how == "closes it" else "interrupted"
    (ended,) = [event for event in taken["events"] if event["type"] == "runEnded"]
    assert (ended["runId"], ended["data"]["stopReason"]) == (running, reason)
    assert here.reader.run(here.session, "mine")["stopReason"] == "endTurn"
    seqs = sorted({event["seq"] for event in here.facts(here.reader)})
    assert seqs == list(range(resumed["seq"] + 1, seqs[-1] + 1)), "told live, without a hole"
    if how == "closes it":
        here.writer.unchecked = "what happened while it was away is in the answer only"
        assert here.resume(here.writer)["readOnly"]


def test_a_session_is_handed_to_and_fro(scene: Callable[[], Scene]) -> None:
    here = scene()
    wires = [here.writer, here.reader]
    for turn in range(4):
        writer, reader = wires[turn % 2], wires[(turn + 1) % 2]
        assert here.resume(reader)["readOnly"]
        assert writer.run(here.session, f"turn {turn}")["stopReason"] == "endTurn"
        writer.call("agent/session/close", here.name)
        assert "readOnly" not in here.resume(reader, takeControl=True)
    items = here.resume(wires[0])["snapshot"]["items"]
    assert sum(item["kind"] == "userMessage" for item in items) == 4
