"""The ordering rules of the protocol (protocol#order), checked over any recorded list of events."""

import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from jsonschema_rs import Draft202012Validator

import agls_protocol
from agls.views.transcript import merged
from agls_protocol.events import DURABLE, RESERVED
from support.message_rules import check_answer

Event = dict[str, Any]
SCHEMA = json.loads(Path(agls_protocol.__file__).with_name("schema.json").read_text())
DEFS = SCHEMA["$defs"]
ENDED = {"completed", "failed", "rejected", "cancelled"}
RESTING = {"idle", "closed"}  # the states of a session that does nothing
STREAMED = {
    "message": "text",
    "thought": "text",
    "toolCall": "output",
    "task": "output",
    "sideAnswer": "text",
}
SHOWN = {
    "gap",
    "itemDelta",
    "turnRetrying",
    "notice",
    "heartbeat",
    "sessionState",
    "contextUsage",
    "turnDiff",
    "mcpStatus",
}
TASK_ENDS = {"completed": "completed", "failed": "failed", "stopped": "cancelled"}  # and its item's status
LEFT_OUT = re.compile(r"\n\[… \d+ bytes left out …\]\n")


def check_events(
    events: Sequence[Event], *, headless: bool = False, excluded: Sequence[str] = (), whole: bool = True
) -> None:
    """Every rule, for every session in `events`; the events of a session begin with its first.

    The log of a `headless` run ends with `runEnded`; elsewhere `idle` follows it, unless the log is not
    `whole`: the server was killed. With `excluded` types there are holes: only what is there is checked.
    """
    for event in events:
        check_shape(event)
        assert event["type"] not in excluded, "the client did not want these"
    check_families(events)
    for told in [] if excluded else attached(events):
        rules = Rules()
        rules.check(told)
        if whole and not _detached(told[-1]):
            rules.items.end()
            assert not rules.runs.owed, "a run that is dropped ends, too"
            assert headless or rules.settled, "idle is told when nothing follows"
            assert headless or rules.tasks == len(rules.items.tasks), "how many tasks go on is told"
    assert not headless or events[-1]["type"] == "runEnded", "nothing follows the end of a headless run"


def check_families(events: Sequence[Event]) -> None:
    """Whose session it is says every event: always the same agent, for the same call of the same parent."""
    whose: dict[str, tuple[str, str]] = {}
    calls: dict[str, str] = {}  # the session of each call
    for event in events:
        session, told = event["sessionId"], (event["agentId"], event.get("parentItemId", ""))
        assert whose.setdefault(session, told) == told, "a session has one agent, and belongs to one call"
        assert (told[0] == "main") == (not told[1]), "who works for a call says so, and nobody else"
        if event["type"] == "itemStarted":
            calls[event["itemId"]] = session
        if event["type"] == "sessionInfo" and told[1] in calls:
            parent = event["data"].get("parentSessionId")
            assert parent in {None, calls[told[1]]}, "a child's call is its parent's"


def check_printed(arguments: Sequence[str], out: str, code: int) -> None:
    """What a process with these arguments printed until it ended, if it was to print events at all."""
    if ("--output", "jsonl") not in pairwise(arguments):
        return
    lines = [json.loads(line) for line in out.splitlines(keepends=True) if line.endswith("\n")]
    if code < 0:  # it was killed, perhaps behind its last word; the last line may be a part of one
        told = [line for line in lines[1:] if "type" in line]
        check_events(told[:-1] if told[-1:] and told[-1]["type"] == "fatal" else told, whole=False)
    elif lines:
        check_lines(lines)


def attached(events: Sequence[Event]) -> list[list[Event]]:
    """The events by session; who was detached may have missed some, and begins anew."""
    parts: list[list[Event]] = []
    current: dict[str, list[Event]] = {}
    for event in events:
        if event["sessionId"] not in current:
            parts.append(current.setdefault(event["sessionId"], []))
        current[event["sessionId"]].append(event)
        if _detached(event):
            del current[event["sessionId"]]
    return parts


def _detached(event: Event) -> bool:
    return event["type"] == "notice" and event["data"].get("kind") == "detached"


def check_lines(lines: Sequence[Event]) -> None:
    """The same for what `agls run --output jsonl` printed: `hello`, events and answers, the end."""
    assert lines[0]["type"] == "hello", "the first line is hello"
    ends = {"runEnded", "action", "fatal"}
    assert lines[-1].get("type") in ends, "the last line is runEnded, action or fatal"
    told = [line for line in lines[1:] if "type" in line]
    assert not {"action", "fatal"} & {line["type"] for line in told[:-1]}, "they are the last line"
    for answer in (line for line in lines if "type" not in line):
        check_answer(answer)
    if lines[-1]["type"] in {"action", "fatal"}:
        assert told == [lines[-1]], "they are told when no run began"
    else:
        check_events(told, headless=True)


def check_message(who: str, message: Event, asked: dict[Any, str]) -> None:
    """A message of the agent protocol is what the schema says; `asked` collects the requests."""
    method = message.get("method", "")
    if method:
        asked[who, message.get("id")] = method
        part, value = "params", message.get("params", {})
    else:
        method = asked["client" if who == "server" else "server", message["id"]]
        part, value = "result", message.get("result", {})
    if method in SCHEMA["methods"]:
        direction = "toServer" if who == ("client" if part == "params" else "server") else "toClient"
        assert SCHEMA["methods"][method]["direction"] == direction
        _validator("methods", method, part).validate(value)


def valid(method: str, params: Event) -> bool:
    """Whether the schema allows these params."""
    return _validator("methods", method, "params").is_valid(params)


@cache
def _validator(*path: str) -> Draft202012Validator:
    """The rule that stands at this place of the schema."""
    rule: Any = SCHEMA
    for name in path:
        rule = rule[name]
    return Draft202012Validator({"$defs": DEFS, **rule})


def check_shape(event: Event) -> None:
    """The envelope and the data are what the schema says; no member is unknown to it."""
    _validator("$defs", "Event").validate(event)
    assert event["type"] not in RESERVED, f"{event['type']} is told now: it is reserved no more"
    _validator("events", event["type"]).validate(event["data"])
    name = SCHEMA["events"][event["type"]]["$ref"].rpartition("/")[2]
    unknown = set(event["data"]) - set(DEFS[name]["properties"])
    assert not unknown, f"{event['type']} carries members the schema does not name: {unknown}"
    assert ("seq" in event) != ("after" in event), "a fact is numbered, everything else is placed"
    assert "after" in event or event["type"] not in SHOWN, f"{event['type']} is only shown"
    if event["type"] in DURABLE:
        assert "seq" in event, f"{event['type']} comes from a fact"


class Rules:
    """The rules over one session's events, in order."""

    def __init__(self) -> None:
        self.seq = 0
        self.items = Items()
        self.runs = Runs()
        self.questions: dict[str, str] = {}
        self.turn = ""
        self.state = "idle"
        self.tasks = 0  # how many the last sessionState said go on

    def check(self, events: list[Event]) -> None:
        """All of them."""
        for event in events:
            self._order(event)
            self._place(event)
            name = re.sub(r"[A-Z]", lambda upper: f"_{upper[0].lower()}", event["type"])
            getattr(self, f"_{name}", _anything)(event)
        if not self.runs.running:
            assert not self.items.blocking, "nothing is open when no run is"

    @property
    def settled(self) -> bool:
        """Whether the client was told that nothing runs, or will be when what runs or waits has ended."""
        return bool(self.runs.running or self.runs.waiting) or self.state in RESTING

    def _order(self, event: Event) -> None:
        if self.state == "closed":  # it was resumed: the answer holds what was recorded when it was opened
            self.seq = max(self.seq, event.get("after", event.get("seq", 1) - 1))
        if "seq" in event:
            assert event["seq"] in {self.seq, self.seq + 1} or not self.seq, "facts have no holes"
            self.seq = event["seq"]
        else:
            place = (event["type"], event["after"], self.seq)
            assert event["after"] == self.seq or not self.seq, f"shown stands behind the last fact: {place}"

    def _place(self, event: Event) -> None:
        """An event of an item says in which run and turn it is; only the start of a task is part of one."""
        known = self.items.open.get(event.get("itemId", ""), {})
        if event["type"] == "taskChanged" or (known.get("background") and "itemId" in event):
            assert not {"runId", "turnId"} & set(event), "what becomes of a task is not part of a run"
        elif event["type"].startswith("item"):
            assert event.get("runId", "") == self.runs.running, "an item belongs to the running run"
            assert event.get("turnId", "") == self.turn, "an item belongs to the turn that is on"

    def _item_started(self, event: Event) -> None:
        self.items.start(event["itemId"], event["data"]["item"])

    def _item_delta(self, event: Event) -> None:
        self.items.grow(event["itemId"], event["data"])

    def _item_updated(self, event: Event) -> None:
        self.items.update(event["itemId"], event["data"]["patch"])
        begins = event["data"]["patch"].get("status") == "running"
        asked = event["itemId"] in self.questions.values()
        assert not (begins and asked), "a tool never starts before its requestResolved"

    def _item_completed(self, event: Event) -> None:
        shortened = "shortened" in event.get("_meta", {})
        self.items.complete(event["itemId"], event["data"]["item"], shortened=shortened)

    def _gap(self, event: Event) -> None:
        self.items.skip(event["data"]["itemIds"])

    def _checkpoint(self, event: Event) -> None:
        maker = event["data"]["checkpointId"]
        by_call = event["data"]["reason"] != "restore"
        assert not by_call or maker in self.items.open, "what a call changed is kept while it is open"

    def _turn_diff(self, event: Event) -> None:
        assert event.get("runId") == self.runs.running, "a diff is the running run's"

    def _run_admitted(self, event: Event) -> None:
        self.runs.admit(event["runId"], event["data"]["admission"])

    def _run_started(self, event: Event) -> None:
        waited = not self.runs.knows(event["runId"])  # since before this log: a process died in between
        assert self.state not in RESTING or self.runs.fresh or waited, (
            "idle is told only when no queued run starts"
        )
        self.runs.start(event["runId"])

    def _run_ended(self, event: Event) -> None:
        run_id = event["runId"]
        if run_id == self.runs.running:
            assert not self.items.blocking, "everything that blocks the run completes before it ends"
            assert not self.questions, "no question outlives its run"
            assert not self.turn, "the turn ends before its run"
        self.runs.end(run_id)

    def _turn_started(self, event: Event) -> None:
        assert not self.turn, "one turn at a time"
        assert self.runs.running, "a turn is part of a run"
        self.turn = event["turnId"]

    def _turn_ended(self, event: Event) -> None:
        assert self.turn == event["turnId"]
        assert not self.items.blocking, "what the turn caused is done before it ends"
        self.turn = ""

    def _request_opened(self, event: Event) -> None:
        request_id = event["data"]["requestId"]
        assert request_id not in self.questions, "a question is opened once"
        self.questions[request_id] = event.get("itemId", "")

    def _request_resolved(self, event: Event) -> None:
        assert self.questions.pop(event["data"]["requestId"], None) is not None, "requestOpened comes first"

    def _queue_changed(self, event: Event) -> None:
        self.runs.queue([waiting["runId"] for waiting in event["data"]["queue"]])

    def _task_changed(self, event: Event) -> None:
        data = event["data"]
        self.items.change_task(data["itemId"], data["state"])

    def _session_state(self, event: Event) -> None:
        state = event["data"]["state"]
        again = state == self.state == "closed"  # it was resumed meanwhile: that is an answer, no event
        tasks = event["data"]["backgroundTasks"]
        assert state != self.state or tasks != self.tasks or again, "a state is told when it is another"
        assert tasks == len(self.items.tasks), "the tasks that go on are those whose items are open"
        self.tasks = tasks
        asks = state == "requiresAction"  # an action may ask, too: then no run is on
        assert asks or (state in RESTING) == (not self.runs.running), (
            "idle comes after runEnded, all else before"
        )
        assert (state == "requiresAction") == bool(self.questions), "requiresAction is: something is asked"
        self.state, self.runs.fresh = state, False


class Items:
    """The items: one start, what streams in without holes, one end that is enough by itself."""

    def __init__(self) -> None:
        self.open: dict[str, Event] = {}
        self._closed: set[str] = set()
        self._states: dict[str, str] = {}  # of tasks
        self._sizes: dict[str, int] = {}
        self._skipped: set[str] = set()

    @property
    def blocking(self) -> list[str]:
        """The open items that are no background work."""
        return [item_id for item_id, item in self.open.items() if not item.get("background")]

    @property
    def tasks(self) -> list[str]:
        """The background work that goes on."""
        return [item_id for item_id, item in self.open.items() if item["kind"] == "task"]

    def change_task(self, item_id: str, state: str) -> None:
        """`taskChanged`: behind the start of the item, and again before its end."""
        assert self._known(item_id)["kind"] == "task"
        assert self._states.get(item_id, "") == ("" if state == "running" else "running"), "once each"
        self._states[item_id] = state

    def start(self, item_id: str, item: Event) -> None:
        """`itemStarted`."""
        assert item_id not in self.open, "an item starts once"
        assert item_id not in self._closed, "itemCompleted is the last of an item"
        assert item["itemId"] == item_id
        self.open[item_id] = item

    def grow(self, item_id: str, data: Event) -> None:
        """`itemDelta`."""
        item = self._known(item_id)
        assert data["field"] == STREAMED[item["kind"]]
        assert data["offset"] == self._sizes.get(item_id, 0), "deltas follow each other"
        self._sizes[item_id] = data["offset"] + len(data["append"].encode())
        self.open[item_id] = {**item, data["field"]: item.get(data["field"], "") + data["append"]}

    def update(self, item_id: str, patch: Event) -> None:
        """`itemUpdated`."""
        self.open[item_id] = merged(self._known(item_id), patch)
        self._skipped.discard(item_id)
        for field in {"text", "output"} & set(patch):
            whole = LEFT_OUT.sub("", patch[field]) if "truncated" in patch else patch[field]
            self._sizes[item_id] = len(whole.encode()) + patch.get("truncated", 0)

    def complete(self, item_id: str, item: Event, *, shortened: bool = False) -> None:
        """`itemCompleted`; what is `shortened` has not the whole text, and `agent/item` gives it."""
        before = self._known(item_id)
        fixed = ("itemId", "kind", "name", "title", "content", "steer")
        assert [item.get(name) for name in fixed] == [before.get(name) for name in fixed]
        assert item["status"] in ENDED
        if not shortened:
            self._enough(item, before)
        del self.open[item_id]
        self._closed.add(item_id)
        assert item_id not in self._skipped, "an itemUpdated follows a gap"

    def skip(self, item_ids: list[str]) -> None:
        """`gap`."""
        self._skipped |= {item_id for item_id in item_ids if self._known(item_id)}

    def end(self) -> None:
        """Nothing more comes."""
        assert not self._skipped, "an itemUpdated follows a gap"

    def _known(self, item_id: str) -> Event:
        assert item_id not in self._closed, "itemCompleted is the last of an item"
        assert item_id in self.open, "itemStarted comes first"
        return self.open[item_id]

    def _enough(self, item: Event, before: Event) -> None:
        """The end says all: the whole text, which is what streamed in; how a call went."""
        if item["kind"] in {"message", "thought"}:
            streamed = before.get("text", "")
            assert item["text"].startswith(streamed) or item.get("discarded"), "deltas tell the same text"
        if item["kind"] == "toolCall":
            assert {"output", "effects", "input"} <= set(item), "a call says how it went"
        if item["kind"] == "task":
            assert {"output", "effects"} <= set(item), "a task says how it went"
            state = self._states.get(item["itemId"], "stopped" if item["status"] == "cancelled" else "")
            assert TASK_ENDS[state] == item["status"], "taskChanged says the same"


class Runs:
    """The runs: admitted, started, ended; one at a time, each once."""

    def __init__(self) -> None:
        self.running = ""
        self.waiting: set[str] = set()
        self.fresh = False  # whether one was admitted since the session's state was told
        self._admitted: set[str] = set()
        self._ended: set[str] = set()
        self._dropped: set[str] = set()  # taken out of the queue; their ends are told in a moment
        self._told: list[str] = []  # the queue as it was told last
        self._next = ""  # the one that left the queue when nothing ran: it begins, or was dropped

    def admit(self, run_id: str, admission: str) -> None:
        """`runAdmitted`."""
        assert run_id not in self._admitted, "a run is admitted once"
        if admission != "queued":
            assert not self.running, "the others come first"
            self._drop(self.waiting)  # else this one would wait behind them
        self._admitted.add(run_id)
        self.waiting.add(run_id)
        self.fresh = True

    def knows(self, run_id: str) -> bool:
        """Whether it was admitted in this log."""
        return run_id in self._admitted

    def start(self, run_id: str) -> None:
        """`runStarted`."""
        assert not self.running, "one run at a time"
        assert run_id not in self._ended, "a run that ended does not start"
        assert run_id not in self._dropped, "what was taken out of the queue does not start"
        self.running = run_id
        self.waiting.discard(run_id)

    def end(self, run_id: str) -> None:
        """`runEnded`."""
        assert run_id not in self._ended, "a run ends once"
        self._ended.add(run_id)
        self.waiting.discard(run_id)
        if run_id == self.running:
            self.running = ""

    def queue(self, run_ids: list[str]) -> None:
        """`queueChanged`: these wait. Those that waited and are not among them begin or were dropped."""
        assert self.running not in run_ids, "the running run does not wait"
        assert not self._ended & {*run_ids}, "a run that ended does not wait"
        assert not self._dropped & {*run_ids}, "what was taken out of the queue does not wait again"
        gone = [run_id for run_id in self._told if run_id not in run_ids and run_id in self.waiting]
        if gone and not self.running:
            self._next = gone.pop(0)
        self._drop(gone)
        self._told = run_ids

    def _drop(self, run_ids: Iterable[str]) -> None:
        self._dropped |= {*run_ids}
        self.waiting -= self._dropped

    @property
    def owed(self) -> set[str]:
        """The runs that were dropped and whose ends were not told."""
        return self._dropped - self._ended


def _anything(event: Event) -> None:
    """No rule beyond the general ones."""
