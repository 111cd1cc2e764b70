"""The checker of the wire's order is itself checked: every rule is broken once, and must be noticed."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import ValidationError

from agls.engine.facts import (
    Admitted,
    Answered,
    Asked,
    Entry,
    Noted,
    Replied,
    RunDiff,
    RunEnded,
    RunStarted,
    SessionChanged,
    TextDelta,
    ToolDelta,
    ToolFinished,
    ToolStarted,
    TurnStarted,
)
from agls.engine.vocabulary import (
    Answer,
    Option,
    Question,
    Stop,
    StopReason,
    Text,
    ToolCall,
    ToolOutcome,
)
from agls.order import NOTES
from agls.views.project import Projection
from support.message_rules import check_messages
from support.wire import Wire
from support.wire_rules import check_events, check_lines

Event = dict[str, Any]
Events = list[Event]
SAID = (Text("go"),)
FACTS: tuple[Any, ...] = (
    SessionChanged("/project"),
    Admitted("run_1", "item_1", SAID),
    RunStarted("run_1", item_ids=("item_1",)),
    TurnStarted("turn_1", "m"),
    TextDelta("item_2", "I "),
    TextDelta("item_2", "look"),
    Replied("item_2", "I look", tool_calls=(ToolCall("call_1", "look", {}),)),
    Asked("ask_1", Question("permission", "May I?", "", "call_1", options=(Option("y", "Yes", "allow"),))),
    Answered("ask_1", Answer("selected", "y")),
    ToolStarted("call_1", "look", {}),
    ToolDelta("call_1", "seen"),
    Noted("checkpoints", "made", {"by": "call_1", "runId": "run_1", "files": [{"uri": "file:///a"}]}),
    RunDiff("+a\n"),
    Admitted("run_2", "item_3", SAID),
    ToolFinished("call_1", ToolOutcome("seen")),
    TurnStarted("turn_2", "m"),
    Replied("item_4", "done"),
    RunEnded("run_1", Stop(StopReason.END_TURN)),
    RunStarted("run_2"),
    RunEnded("run_2", Stop(StopReason.CANCELLED)),
)


def recorded() -> Events:
    """Two runs with everything in them: a call, a question, a queue."""
    projection, events, seq = Projection(NOTES, "ses", "epoch"), Events(), 0
    for told in FACTS:
        if isinstance(told, TextDelta | ToolDelta | RunDiff):
            events += projection.transient(told, 1.0)
        else:
            seq += 1
            events += projection.events(Entry(seq, 1.0, told))
    return copy.deepcopy(events)


def at(events: Events, type: str, nth: int = 0) -> int:
    return [place for place, event in enumerate(events) if event["type"] == type][nth]


def without(type: str, nth: int = 0) -> Callable[[Events], Events]:
    def left_out(events: Events) -> Events:
        del events[at(events, type, nth)]
        return events

    return left_out


def twice(type: str, nth: int = 0) -> Callable[[Events], Events]:
    def repeated(events: Events) -> Events:
        place = at(events, type, nth)
        return [*events[: place + 1], copy.deepcopy(events[place]), *events[place + 1 :]]

    return repeated


def swapped(type: str, nth: int = 0, *, by: int = 1) -> Callable[[Events], Events]:
    """One event changes places with another; the numbers stay, so only the meaning is wrong."""

    def turned(events: Events) -> Events:
        here = at(events, type, nth)
        there = here + by
        kept = [{name: e[name] for name in ("seq", "after") if name in e} for e in events]
        events[here], events[there] = events[there], events[here]
        bare = [{n: v for n, v in event.items() if n not in ("seq", "after")} for event in events]
        return [event | place for event, place in zip(bare, kept, strict=True)]

    return turned


def changed(type: str, nth: int = 0, **members: Any) -> Callable[[Events], Events]:
    def other(events: Events) -> Events:
        event = events[at(events, type, nth)]
        for name, value in members.items():
            inside = event["data"] if name in event["data"] else event["data"].get("item", event)
            inside[name] = value
        return events

    return other


def outside(type: str, nth: int = 0, **members: Any) -> Callable[[Events], Events]:
    def other(events: Events) -> Events:
        events[at(events, type, nth)] |= members
        return events

    return other


def unnumbered(type: str) -> Callable[[Events], Events]:
    def shown(events: Events) -> Events:
        event = events[at(events, type)]
        event["after"] = event.pop("seq") - 1
        return events

    return shown


def inserted(before: str, nth: int = 0, **event: Any) -> Callable[[Events], Events]:
    def more(events: Events) -> Events:
        place = at(events, before, nth)
        last = events[place - 1]
        head = {name: last[name] for name in ("v", "sessionId", "epoch", "ts", "agentId")}
        here = {name: last[name] for name in ("runId", "turnId") if name in last}
        where = {"after": last.get("seq", last.get("after"))}
        return [*events[:place], {**head, **here, **where, **event}, *events[place:]]

    return more


def emptied(events: Events) -> Events:
    """The run that waits is taken out of the queue."""
    place = at(events, "queueChanged")
    return [*events[: place + 1], {**events[place], "data": {"queue": []}}, *events[place + 1 :]]


def put_back(events: Events) -> Events:
    """It is taken out of the queue, and put there again."""
    told, place = emptied(events), at(events, "queueChanged")
    return [*told[: place + 2], *told[place:]]


def never_ended(events: Events) -> Events:
    """It is taken out of the queue, and then nothing more is told of it."""
    told = emptied(events)
    place = at(told, "runStarted", 1)
    idle = {"type": "sessionState", "data": {"state": "idle", **STATE}}
    return inserted("runStarted", 1, **idle)(told)[: place + 1]


def overtaken(events: Events) -> Events:
    """Another run is to begin at once, although the first has not begun."""
    place = at(events, "runAdmitted")
    return [*events[: place + 1], {**events[place], "runId": "run_9"}, *events[place + 1 :]]


RUNNING = {"status": "running"}
STATE = {"queued": 0, "backgroundTasks": 0}
BROKEN: dict[str, tuple[Callable[[Events], Events], str]] = {
    "a hole": (outside("runEnded", 1, seq=99), "holes"),
    "a fact that is missing": (without("turnStarted"), "behind the last fact"),
    "an old fact again": (twice("itemStarted"), "starts once"),
    "a glimpse of the future": (outside("itemDelta", after=9), "last fact"),
    "both numbers": (outside("itemDelta", seq=5), "numbered"),
    "a fact without a number": (unnumbered("turnStarted"), "comes from a fact"),
    "a run admitted twice": (twice("runAdmitted"), "admitted once"),
    "a run that overtakes": (changed("runAdmitted", 1, admission="started"), "the others come first"),
    "a checkpoint of no call": (changed("checkpoint", checkpointId="call_9"), "while it is open"),
    "a diff of another run": (outside("turnDiff", runId="run_2"), "the running run's"),
    "a run started twice": (twice("runStarted"), "one run at a time"),
    "a run ended twice": (twice("runEnded", 1), "ends once"),
    "an ended run started": (outside("runStarted", 1, runId="run_1"), "does not start"),
    "a run that waits and runs": (
        changed("queueChanged", queue=[{"runId": "run_1", "itemId": "item_1", "content": []}]),
        "running run does not wait",
    ),
    "a run that was dropped and runs": (emptied, "taken out of the queue does not start"),
    "a run that was dropped and waits again": (put_back, "does not wait again"),
    "a run that was dropped and never ends": (never_ended, "ends, too"),
    "a run that begins before one that waits": (overtaken, "taken out of the queue does not start"),
    "idle too early": (inserted("turnStarted", type="sessionState", data={"state": "idle", **STATE}), "idle"),
    "idle before the queued run": (
        inserted("runStarted", 1, type="sessionState", data={"state": "idle", **STATE}), "idle",
    ),
    "the same state again": (twice("sessionState"), "another"),
    "action required by nothing": (
        inserted("turnStarted", type="sessionState", data={"state": "requiresAction", **STATE}), "asked",
    ),
    "running while something is asked": (changed("sessionState", 1, state="idle"), "idle"),
    "no idle at the end": (without("sessionState", 3), "idle is told"),
    "an item completed twice": (twice("itemCompleted"), "last of an item"),
    "an item completed and not started": (outside("itemCompleted", itemId="item_9"), "comes first"),
    "an item that is not completed": (without("itemCompleted", 3), ""),
    "an item of another run": (outside("itemDelta", runId="run_2"), "the running run"),
    "an item of another turn": (outside("itemDelta", turnId="turn_9"), "the turn that is on"),
    "an item that changes its kind": (changed("itemCompleted", 1, kind="thought"), ""),
    "an item that is not over": (changed("itemCompleted", 1, status="running"), ""),
    "a delta before its item": (swapped("itemDelta", by=-1), "comes first"),
    "a delta with a hole": (changed("itemDelta", 1, offset=3), "follow each other"),
    "a delta that is repeated": (twice("itemDelta", 1), "follow each other"),
    "a delta of another field": (changed("itemDelta", 1, field="output"), ""),
    "an end that says something else": (changed("itemCompleted", 1, text="You look"), "same text"),
    "a call that does not say how it went": (changed("itemCompleted", 2, item={
        "itemId": "call_1", "kind": "toolCall", "status": "completed", "name": "look", "title": "look",
        "input": {}}), "how it went"),
    "a tool that starts while it is asked about": (
        inserted("requestResolved", type="itemUpdated", itemId="call_1", data={"patch": RUNNING}),
        "never starts",
    ),
    "a question opened twice": (twice("requestOpened"), "opened once"),
    "a question resolved twice": (twice("requestResolved"), "comes first"),
    "a turn that begins in a turn": (twice("turnStarted"), "one turn"),
    "a turn that ends while a call is open": (swapped("turnEnded", by=-1), ""),
    "a turn that never ends": (without("turnEnded", 1), "the turn ends"),
    "a gap that nothing follows": (
        inserted("itemCompleted", 1, type="gap", data={"from": 1, "to": 1, "itemIds": ["item_2"]}),
        "follows a gap",
    ),
    "another agent": (outside("turnStarted", agentId="helper"), "one agent"),
    "a call it does not work for": (outside("turnStarted", parentItemId="call_0"), "one agent"),
    "an unknown member": (changed("turnStarted", data={"model": "m", "secret": 1}), "does not name"),
}  # fmt: skip


@pytest.mark.item(35)
def test_projection_of_random_facts_keeps_every_rule() -> None:
    check_events(recorded())


@pytest.mark.item(35)
@pytest.mark.parametrize(("breach", "words"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_rule_is_noticed(breach: Callable[[Events], Events], words: str) -> None:
    with pytest.raises((AssertionError, ValidationError)) as noticed:
        check_events(breach(recorded()))
    assert words in str(noticed.value)


# --- what stands around the events ---------------------------------------------------------------

HELLO: Event = {"type": "hello", "v": 1}
FATAL: Event = {"type": "fatal", "v": 1, "error": {}}
REFUSED: Event = {"jsonrpc": "2.0", "id": 1, "error": {"code": -33002, "message": "", "data": {}}}


def printed() -> Events:
    """What a headless run would print."""
    events = recorded()
    return [HELLO, *(event for event in events if event["type"] != "sessionState")]


PRINTED: dict[str, tuple[Callable[[Events], Events], str]] = {
    "no hello": (lambda lines: lines[1:], "first line"),
    "no end": (lambda lines: lines[:-1], "last line"),
    "an event behind the end": (lambda lines: [*lines, lines[1]], "last line"),
    "fatal in the middle": (lambda lines: [*lines[:5], FATAL, *lines[5:]], "they are the last line"),
    "an answer behind the end": (lambda lines: [*lines, {"id": 1, "result": {}}], "last line"),
    "an answer without a kind": (lambda lines: [HELLO, REFUSED, *lines[1:]], "kind"),
    "a hole": (lambda lines: [*lines[:5], *lines[8:]], ""),
}


def test_lines_of_a_headless_run_keep_every_rule() -> None:
    check_lines(printed())
    check_lines([HELLO, {"jsonrpc": "2.0", "id": 1, "result": {}}, *printed()[1:]])
    check_lines([HELLO, FATAL])


@pytest.mark.item(35)
@pytest.mark.parametrize(("breach", "words"), PRINTED.values(), ids=PRINTED.keys())
def test_a_broken_rule_of_lines_is_noticed(breach: Callable[[Events], Events], words: str) -> None:
    with pytest.raises((AssertionError, KeyError)) as noticed:
        check_lines(breach(printed()))
    assert words in str(noticed.value)


def test_holes_are_legal_only_where_types_were_excluded() -> None:
    events = [event for event in recorded() if event["type"] != "turnStarted"]
    check_events(events, excluded=("turnStarted",))
    with pytest.raises(AssertionError, match="did not want"):
        check_events(recorded(), excluded=("turnStarted",))


def test_only_a_killed_server_may_stop_in_the_middle() -> None:
    events = recorded()[:-1]
    check_events(events, whole=False)
    with pytest.raises(AssertionError, match="idle is told"):
        check_events(events)


def test_detached_client_may_have_gaps() -> None:
    events = recorded()
    place = at(events, "itemDelta")
    last = events[place - 1]
    told = {"severity": "warning", "title": "Detached", "text": "", "kind": "detached"}
    notice = {**events[place], "type": "notice", "data": told, "after": last.get("seq", last.get("after"))}
    notice.pop("itemId")
    idle = {**events[-1], "after": 40}
    check_events(
        [*events[:place], notice, {**idle, "type": "contextUsage", "data": {"used": 1, "sure": "told"}}]
    )
    with pytest.raises(AssertionError, match="last fact"):
        check_events([*events[:place], {**idle, "type": "contextUsage", "data": {"used": 1, "sure": "told"}}])


TASK = {"itemId": "task_1", "kind": "task", "status": "running", "title": "make", "background": True}
BUILD = {"taskId": "task_1", "itemId": "task_1", "title": "make"}


def test_work_in_the_background_may_outlive_its_run() -> None:
    begun = inserted("turnEnded", type="itemStarted", itemId="task_1", data={"item": dict(TASK)})(recorded())
    with pytest.raises(AssertionError, match="those whose items are open"):
        check_events(begun)
    (idle,) = (e for e in begun if e["type"] == "sessionState" and e["data"]["state"] == "idle")
    idle["data"] = {**idle["data"], "backgroundTasks": 1}
    check_events(begun)
    item = {**TASK, "status": "completed", "output": "", "effects": "unknown"}
    item["terminal"] = {"command": "make", "cwd": "/", "exitCode": 0}
    last = {name: value for name, value in begun[-1].items() if name not in {"runId", "after"}}
    last["seq"] = max(event.get("seq", 0) for event in begun) + 1
    changed = [
        {**last, "type": "taskChanged", "data": {**BUILD, "state": state}}
        for state in ("running", "completed")
    ]
    changed[0]["seq"] -= 1
    end = {**last, "type": "itemCompleted", "itemId": "task_1", "data": {"item": item}}
    rest = {**idle, "after": last["seq"], "data": {**idle["data"], "backgroundTasks": 0}}
    check_events([*begun, *changed, end, rest])
    with pytest.raises(AssertionError, match="how many tasks go on"):
        check_events([*begun, *changed, end])
    with pytest.raises(AssertionError, match="taskChanged says the same"):
        check_events([*begun, changed[0], {**changed[1], "data": {**BUILD, "state": "failed"}}, end, rest])
    with pytest.raises(AssertionError, match="not part of a run"):
        check_events([*begun, {**changed[0], "runId": "run_1"}])
    with pytest.raises(AssertionError, match="once each"):
        check_events([*begun, changed[0], changed[0]])


def test_blocking_item_ends_before_its_run() -> None:
    item = {**TASK, "background": False}
    with pytest.raises(AssertionError, match="before it ends"):
        check_events(
            inserted("turnEnded", type="itemStarted", itemId="task_1", data={"item": item})(recorded())
        )


def child(events: Events, **members: Any) -> Events:
    """The same as the log of a child: it works for a call of another session."""
    return [{**event, "agentId": "helper", "parentItemId": "call_0", **members} for event in events]


def called(session_id: str) -> Events:
    """The call that a child works for, begun in this session."""
    seen = recorded()
    start = seen[: at(seen, "itemStarted", 2) + 1]
    start[-1]["data"] = {"item": {**start[-1]["data"]["item"], "itemId": "call_0"}}
    start[-1]["itemId"] = "call_0"
    return [{**event, "sessionId": session_id} for event in start]


@pytest.mark.item(38)
def test_a_child_belongs_to_one_call_of_its_parent() -> None:
    first = child(recorded())
    first[0]["data"]["parentSessionId"] = "above"
    check_events([*called("above"), *first], whole=False)
    with pytest.raises(AssertionError, match="its parent's"):
        check_events([*called("elsewhere"), *first], whole=False)
    with pytest.raises(AssertionError, match="who works for a call"):
        check_events(child(recorded(), agentId="main"))
    with pytest.raises(AssertionError, match="who works for a call"):
        check_events([{**event, "agentId": "helper"} for event in recorded()])


# --- the rules over all that is said -------------------------------------------------------------


def tells(*events: Event) -> Event:
    return {"method": "agent/event", "params": {"events": [{"sessionId": "s", **event} for event in events]}}


def request(method: str, id: Any, **params: Any) -> Event:
    return {"method": method, "id": id, "params": params}


def client(message: Event) -> Event:
    return {**message, "who": "client"}


def refusal(**data: Any) -> Event:
    return {"id": 2, "error": {"code": -33001, "message": "", "data": data}}


def said(*messages: Event, wait: bool = False) -> list[tuple[str, Event]]:
    """What went both ways, beginning with a run."""
    run = client(request("agent/run", 1, wait=wait))
    return [
        (message.get("who", "server"), {name: value for name, value in message.items() if name != "who"})
        for message in (run, *messages)
    ]


ADMITTED, ENDED = tells({"type": "runAdmitted", "runId": "r"}), tells({"type": "runEnded", "runId": "r"})
OPENED = tells({"type": "requestOpened", "runId": "r", "data": {"requestId": "q"}})
RESOLVED = tells({"type": "requestResolved", "runId": "r", "data": {"requestId": "q", "outcome": "selected"}})
WITHDRAWN = tells(
    {"type": "requestResolved", "runId": "r", "data": {"requestId": "q", "outcome": "cancelled"}}
)
ASKED = request("agent/requestPermission", "a1", requestId="q")
REPLIED = client({"id": "a1", "result": {"outcome": "selected"}})
ELSEWHERE = client(request("agent/respond", 3, requestId="q"))
ANSWER = {"id": 1, "result": {"runId": "r", "outcome": "started"}}
END = {"id": 1, "result": {"runId": "r", "outcome": "started", "stopReason": "endTurn"}}
CALL = {"itemId": "c", "data": {"item": {"kind": "toolCall"}}}
EDIT = request("workspace/applyEdit", "a2", edit={})
EDITED = tells({"type": "itemCompleted", "itemId": "c", "data": {"item": {"kind": "toolCall", "changes": [
    {"uri": "file:///a", "via": "editor", "result": {"version": 2, "hash": ""}}]}}})  # fmt: skip
CHANGED = client(
    {"method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///a", "version": 2}}}
)
HEARD: dict[str, tuple[list[tuple[str, Event]], str]] = {
    "two answers": (said(ANSWER, ADMITTED, ANSWER), "answered once"),
    "an event before the admission": (said(ADMITTED, ANSWER), "precedes the first event"),
    "an end without wait": (said(END), ""),
    "an answer before the end": (said(ADMITTED, END, ENDED, wait=True), "follows runEnded"),
    "a fact in two notifications": (
        said(ANSWER, tells({"type": "x", "seq": 1}), tells({"type": "x", "seq": 1})), "one notification",
    ),
    "an old fact": (
        said(ANSWER, tells({"type": "x", "seq": 2}), tells({"type": "x", "seq": 1})), "one notification",
    ),
    "a question nobody opened": (said(ANSWER, ADMITTED, ASKED), "precedes the request"),
    "a question before it is opened": (said(ANSWER, ASKED, OPENED), "precedes the request"),
    "a question after its answer": (said(ANSWER, OPENED, RESOLVED, ASKED), "follows it"),
    "an answer nobody gave": (said(ANSWER, OPENED, ASKED, RESOLVED, REPLIED), "follows its answer"),
    "an edit of no call": (said(ANSWER, ADMITTED, EDIT), "part of a call"),
    "an edit of a call that is over": (
        said(ANSWER, tells({"type": "itemStarted", **CALL}, {"type": "itemCompleted", **CALL}), EDIT),
        "part of a call",
    ),
    "an edit that ends before its change is told": (said(ANSWER, EDITED, CHANGED), "that was seen"),
    "a result and an error": (said({"id": 1, "result": 1, "error": {}}), ""),
    "an error without a kind": (said(refusal()), "kind"),
    "an error nobody knows": (said(refusal(kind="shy", retryable=True)), "none of the protocol's"),
    "an error that changes its mind": (said(refusal(kind="runActive", retryable=False)), "fixed"),
    "a bug": (said({"id": 2, "error": {"code": -32603, "data": {"kind": "internal", "retryable": False}}}),
        "internal"),
}  # fmt: skip


@pytest.mark.item(35)
@pytest.mark.parametrize(("heard", "words"), HEARD.values(), ids=HEARD.keys())
def test_a_broken_rule_of_messages_is_noticed(heard: list[tuple[str, Event]], words: str) -> None:
    with pytest.raises((AssertionError, KeyError)) as noticed:
        check_messages(heard)
    assert words in str(noticed.value)


def test_legal_messages_keep_every_rule() -> None:
    call = tells({"type": "itemStarted", **CALL})
    check_messages(
        said(ANSWER, ADMITTED, call, OPENED, ASKED, REPLIED, RESOLVED, EDIT, CHANGED, EDITED, ENDED)
    )
    check_messages(said(ANSWER, ADMITTED, OPENED, ASKED, ELSEWHERE, RESOLVED, ENDED))
    check_messages(said(ANSWER, ADMITTED, OPENED, ASKED, WITHDRAWN, REPLIED, ENDED))
    check_messages(said(ADMITTED, ENDED, END, wait=True))


# --- nobody has to remember to check -------------------------------------------------------------


@pytest.mark.item(35)
def test_a_log_is_checked_when_the_server_ends(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="answered once"), Wire(tmp_path) as wire:
        wire.initialize()
        answer = next(message for message in wire.messages if message.get("id") == 1)
        wire.said.append(("server", answer))


def test_exception_for_a_broken_log_needs_a_reason(tmp_path: Path) -> None:
    with Wire(tmp_path) as wire:
        wire.unchecked = "this test breaks it"
        wire.said.append(("server", {"id": 1, "error": {}}))
