"""The parts of the door that have no process of their own: positions, batches, thinning, editing, waiting."""

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agls.doors import from_wire
from agls.doors.agent import publish
from agls.doors.agent.client import ClientCapabilities
from agls.doors.agent.flow.batches import (
    BATCH_EVENTS,
    BATCH_SIZE,
    ENVELOPE,
    MERGED_TEXT,
    Batch,
    Delta,
    EncodedEvent,
    Piece,
)
from agls.doors.agent.limits import ConnectionLimits
from agls.doors.agent.peer import Peer
from agls.doors.agent.publish import Publisher
from agls.doors.agent.stream.framing import Frames, Oversized, Untrusted
from agls.doors.agent.stream.transport import ATOMIC, Writer
from agls.doors.errors import to_bad
from agls.doors.lsp import editor as editing
from agls.doors.lsp import pending_edits, watchdog
from agls.doors.lsp.client import read_client
from agls.doors.lsp.editor import LspEditor
from agls.doors.lsp.plain.progress import ProgressReporter
from agls.doors.lsp.sync import Sync
from agls.doors.messages import Bad, parse
from agls.doors.positions import TextPosition, offset_at, place_at, smallest_edit, units
from agls.engine.admission import Refused
from agls.engine.facts import (
    Admitted,
    Entry,
    Notice,
    Replied,
    RunEnded,
    RunStarted,
    TextDelta,
    ToolDelta,
    ToolFinished,
    ToolStarted,
    Transient,
    TurnStarted,
)
from agls.engine.ports import JournalError, ModelError, Stale, WorkspaceError
from agls.engine.state import State
from agls.engine.state import fold as fold_state
from agls.engine.vocabulary import (
    Image,
    Option,
    Question,
    Resource,
    ResourceLink,
    Stop,
    StopReason,
    Text,
    ToolCall,
    ToolOutcome,
)
from agls.views.transcript import fold, merged
from agls.workspace.editor import Buffer
from support.patience import PATIENCE, become, wait_until
from support.wire_rules import check_events

Wire = dict[str, Any]
TEXTS = st.text(alphabet="ab\r\n\u2028\x0cé😋", max_size=24)
ENCODINGS = st.sampled_from(["utf-8", "utf-16", "utf-32"])


# --- positions -----------------------------------------------------------------------------------


@given(TEXTS, TEXTS, ENCODINGS)
def test_the_smallest_edit_turns_one_text_into_the_other(before: str, after: str, encoding: str) -> None:
    edit = smallest_edit(before, after, encoding)
    start, end = (offset_at(before, place, encoding) for place in (edit.start, edit.end))
    assert before[:start] + edit.text + before[end:] == after


@given(TEXTS, ENCODINGS, st.data())
def test_a_place_finds_its_offset_again(text: str, encoding: str, data: Any) -> None:
    offset = data.draw(st.integers(0, len(text)))
    if text[offset - 1 : offset + 1] != "\r\n":
        assert offset_at(text, place_at(text, offset, encoding), encoding) == offset


def test_positions_count_in_the_negotiated_units() -> None:
    assert [units("é😋", encoding) for encoding in ("utf-8", "utf-16", "utf-32")] == [6, 3, 2]
    assert offset_at("😋x", TextPosition(0, 2), "utf-16") == 1
    assert offset_at("ab\ncd", TextPosition(0, 99), "utf-16") == 2
    assert offset_at("éb\ncd", TextPosition(0, 99), "utf-16") == 2
    assert offset_at("ab\ncd", TextPosition(9, 0), "utf-16") == 5
    assert smallest_edit("a\r\nb", "a\nb", "utf-16") == (TextPosition(0, 1), TextPosition(1, 0), "\n")


# --- frames and messages -------------------------------------------------------------------------


def frames_of(data: bytes) -> list[bytes | Oversized]:
    """What is read of these bytes, in pieces of every size."""
    receiving, sending = os.pipe()

    def write() -> None:
        with suppress(BrokenPipeError):  # it was given up
            for start in range(0, len(data), 7):
                os.write(sending, data[start : start + 7])
        os.close(sending)

    writing = threading.Thread(target=write)
    writing.start()
    frames, found = Frames(receiving), []
    try:
        while (body := frames.next()) is not None:
            found.append(body)
    finally:
        os.close(receiving)
        writing.join()
    return found


def test_oversized_frames_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agls.doors.agent.stream.framing.BODY_LIMIT", 5)
    good = b"Content-Length: 2\r\n\r\n{}"
    monkeypatch.setattr("agls.doors.agent.stream.framing.ENDS", 3)
    large = b"Content-Length: 20\r\n\r\n" + b"x" * 17 + b"end"
    assert frames_of(good + large + good) == [b"{}", Oversized(20, b"xxxend"), b"{}"]
    assert frames_of(b"Content-Length: 20\r\n\r\nxxx") == []


@settings(deadline=None)  # a thread writes them
@given(st.binary(max_size=60))
def test_any_bytes_are_frames_or_untrusted(data: bytes) -> None:
    try:
        assert all(isinstance(body, bytes | Oversized) for body in frames_of(data))
    except Untrusted as problem:
        assert str(problem)


@given(st.binary(max_size=60))
def test_any_body_is_a_message_or_bad(body: bytes) -> None:
    with pytest.raises(Bad):
        parse(body)


# --- batches and the writer ----------------------------------------------------------------------


LIMITS = ConnectionLimits()
FULL, DRAINED = LIMITS.full, LIMITS.drained


def delta(text: str, item: str = "i", offset: int = 0, field: str = "text") -> Delta:
    data = {"field": field, "offset": offset, "append": text}
    return Delta({"type": "itemDelta", "sessionId": "s", "after": 3, "itemId": item, "data": data})


def fact(type: str = "runEnded", **data: Any) -> EncodedEvent:
    return EncodedEvent({"type": type, "sessionId": "s", "data": data})


def told(batch: Batch) -> list[Wire]:
    return json.loads(batch.frame().partition(b"\r\n\r\n")[2])["params"]["events"]


def test_deltas_of_one_item_merge_and_others_keep_their_place() -> None:
    batch = Batch([delta("a")])
    assert batch.take([delta("b", offset=1)])
    assert batch.take([delta("x", "other")])
    assert batch.take([delta("c", offset=2)])
    assert batch.take([delta("d", field="output")])
    assert batch.take([fact()])
    assert batch.take([delta("e", offset=3)])
    assert [event["data"].get("append") for event in told(batch)] == ["abc", "x", "d", None, "e"]
    assert told(batch)[0]["data"]["offset"] == 0
    assert batch.items == {"i": 3, "other": 3}


def test_of_usage_and_heartbeats_only_the_newest_waits() -> None:
    batch = Batch([fact("contextUsage", used=1), fact()])
    alone = batch.weight
    assert batch.take([fact("heartbeat", seq=1)])
    assert batch.take([fact("contextUsage", used=2), fact("heartbeat", seq=2)])
    assert [(e["type"], *e["data"].values()) for e in told(batch)] == [
        ("runEnded",), ("contextUsage", 2), ("heartbeat", 2),
    ]  # fmt: skip
    assert batch.weight == alone + fact("heartbeat", seq=2).weight


def test_batches_and_merged_deltas_stay_small() -> None:
    batch = Batch([delta("a" * MERGED_TEXT)])
    assert batch.take([delta("b")])
    assert len(told(batch)) == 2
    assert not batch.take([fact()] * BATCH_EVENTS)
    assert not Batch([fact()] * BATCH_EVENTS).take([fact()])
    assert not Batch([fact(text="x" * BATCH_SIZE)]).take([fact()])


def read_all(descriptor: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        data += os.read(descriptor, 65_536)
    return data


def test_a_writer_never_blocks_and_lets_urgent_answers_overtake() -> None:
    receiving, sending = os.pipe()
    writer = Writer(sending)
    large = {"text": "x" * 300_000}
    writer.send(large)
    wait_until(lambda: writer.others == 0)  # its thread is in the middle of it
    for number in range(3):
        assert not writer.put([delta(str(number), offset=number)])
    writer.send({"urgent": True}, urgent=True)
    assert writer.backlog == ENVELOPE + 3
    data = read_all(receiving, 300_000 + 200)
    data += os.read(receiving, ATOMIC) if b"012" not in data else b""
    assert data.index(b"urgent") < data.index(b'"append":"012"')
    writer.close(1)
    os.close(receiving)
    os.close(sending)


def test_message_that_fits_into_an_empty_pipe_is_written_at_once() -> None:
    """A pipe in which something is may have no room: then the thread writes."""
    receiving, sending = os.pipe()
    os.set_blocking(receiving, False)
    writer = Writer(sending)
    writer.send({"text": "x" * 40_000})
    assert len(os.read(receiving, 65_536)) > 40_000
    writer.send({"text": "y"})
    for number in range(3):
        writer.send({"text": f"{number}" * 40_000})
    os.set_blocking(receiving, True)
    data = read_all(receiving, 120_000)
    places = [data.index(sign) for sign in (b'"y"', b"0000000", b"1111111", b"2222222")]
    assert places == sorted(places)
    writer.close(1)
    os.close(receiving)
    os.close(sending)


def test_writer_without_a_reader_discards_its_output() -> None:
    receiving, sending = os.pipe()
    writer = Writer(sending)
    os.close(receiving)
    for _ in range(100):
        writer.send({"text": "x" * 10_000})
    writer.close(2)
    assert writer.lost
    assert writer.backlog == 0
    os.close(sending)


# --- a client that does not read -----------------------------------------------------------------


class FakePeer:
    """Takes everything; its backlog is what a test says."""

    def __init__(self, client: ClientCapabilities) -> None:
        self.client = client
        self.limits = LIMITS
        self.backlog = 0
        self.events: list[Wire] = []
        self.sent: list[tuple[str, Wire]] = []

    def flush(self) -> None:
        """Nothing waits here."""

    def send_events(self, events: list[Piece]) -> None:
        self.events += [json.loads(piece.text) for piece in events]

    def notify(self, method: str, params: Wire) -> None:
        self.sent.append((method, params))


class FakeSession:
    """What a publisher needs of a session."""

    def __init__(self) -> None:
        self.session_id = "ses"
        self.state = State()
        self.log = SimpleNamespace(journal=SimpleNamespace(epoch="e"))

    @property
    def outline(self) -> State:
        return self.state


CLIENT = read_client({"capabilities": {"experimental": {"agent": {"events": {}}}}})


class LoggedPublisher(Publisher):
    """A publisher that is given the state after each fact, as the log gives it."""

    def take(self, event: Entry | Transient) -> None:
        """Publish what the log would publish."""
        if isinstance(event, Entry):
            self.state = fold_state(self.state, event)
        self.publish(event, self.state)

    state = State()


def publishing(client: ClientCapabilities = CLIENT) -> tuple[LoggedPublisher, FakePeer]:
    """A publisher in the middle of a turn."""
    peer: Any = FakePeer(client)
    session: Any = FakeSession()
    publisher = LoggedPublisher(session, peer, ProgressReporter(peer, client).show)
    begun = (Admitted("run", "item_u", (Text("go"),)), RunStarted("run"), TurnStarted("turn", "m"))
    for seq, fact in enumerate(begun, 1):
        publisher.take(Entry(seq, 1.0, fact))
    return publisher, peer


def say(publisher: LoggedPublisher, *texts: str) -> None:
    for text in texts:
        publisher.take(TextDelta("item", text))


def types_of(peer: FakePeer) -> list[str]:
    return [event["type"] for event in peer.events][6:]  # behind what the run began with


async def test_short_tool_call_is_sent_with_the_turn_that_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publish, "GATHERING", 3600.0)  # on a busy machine two milliseconds are nothing
    publisher, peer = publishing()
    sent = len(peer.events)
    turn = (
        Replied("item", "", tool_calls=(ToolCall("c", "look", {}),)),
        ToolStarted("c", "look", {}),
        ToolFinished("c", ToolOutcome("seen")),
        TurnStarted("next", "m"),
    )
    for seq, fact in enumerate(turn, 4):
        publisher.take(Entry(seq, 1.0, fact))
        await asyncio.sleep(0)
    assert len(peer.events) == sent
    say(publisher, "Done")
    assert types_of(peer) == [
        "itemStarted", "itemUpdated", "itemCompleted", "turnEnded", "turnStarted", "itemStarted", "itemDelta",
    ]  # fmt: skip


async def test_held_facts_are_part_of_the_status_and_are_sent_later_in_their_order() -> None:
    publisher, peer = publishing()
    sent = len(peer.events)
    with publisher.held():
        publisher.take(Entry(4, 1.0, Replied("item", "", tool_calls=(ToolCall("c", "look", {}),))))
        publisher.take(Entry(5, 1.0, ToolStarted("c", "look", {})))
        assert [item["status"] for item in publisher.open_items()] == ["running"]
        publisher.take(Entry(6, 1.0, ToolFinished("c", ToolOutcome("seen"))))
        publisher.take(Entry(7, 1.0, RunEnded("run", Stop(StopReason.END_TURN))))
        assert publisher.status == "idle"
        assert len(peer.events) == sent
    assert types_of(peer)[:3] == ["itemStarted", "itemUpdated", "itemCompleted"]
    assert types_of(peer)[-2:] == ["runEnded", "sessionState"]
    assert [event["seq"] for event in peer.events if "seq" in event] == sorted(
        event["seq"] for event in peer.events if "seq" in event
    )


async def test_facts_before_a_request_to_a_model_become_events_when_it_is_sent() -> None:
    publisher, _ = publishing()
    made: list[str] = []
    events = publisher._projection.events  # pyright: ignore[reportPrivateUsage]

    def noted(entry: Entry, after: State) -> list[Wire]:
        made.append(type(entry.fact).__name__)
        return events(entry, after)

    publisher._projection.events = noted  # type: ignore[method-assign]  # pyright: ignore
    with publisher.held():
        publisher.take(Entry(4, 1.0, Replied("item", "", tool_calls=(ToolCall("c", "look", {}),))))
        publisher.take(Entry(5, 1.0, ToolStarted("c", "look", {})))
        publisher.take(Entry(6, 1.0, ToolFinished("c", ToolOutcome("seen"))))
        publisher.take(Entry(7, 1.0, TurnStarted("next", "m")))
        assert made == []
        await asyncio.sleep(0)
        assert made == ["Replied", "ToolStarted", "ToolFinished", "TurnStarted"]


async def test_unread_deltas_are_left_out_and_replaced_later() -> None:
    publisher, peer = publishing()
    say(publisher, "é", "b")
    peer.backlog = FULL + 1
    say(publisher, "c", "d")
    peer.backlog = DRAINED + 1
    say(publisher, "e")
    peer.backlog = 0
    say(publisher, "f", "g")
    assert types_of(peer) == [
        "itemStarted", "itemDelta", "itemDelta", "gap", "itemUpdated", "itemDelta", "itemDelta",
    ]  # fmt: skip
    assert fold(peer.events).items["item"]["text"] == "ébcdefg"
    assert next(e for e in peer.events if e["type"] == "gap")["data"] == {
        "from": 3, "to": 3, "itemIds": ["item"],
    }  # fmt: skip
    publisher.take(Entry(4, 1.0, Replied("item", "ébcdefg")))
    publisher.take(Entry(5, 1.0, RunEnded("run", Stop(StopReason.END_TURN))))
    check_events(peer.events)


async def test_item_that_completed_while_the_reader_was_slow_needs_no_gap_event() -> None:
    publisher, peer = publishing()
    say(publisher, "a")
    peer.backlog = FULL + 1
    say(publisher, "b")
    publisher.take(Entry(4, 1.0, Replied("item", "ab")))
    peer.backlog = 0
    publisher.take(Notice("info", "Hello"))
    assert "gap" not in types_of(peer)
    assert fold(peer.events).items["item"]["text"] == "ab"


async def test_client_that_reads_again_gets_its_events_in_an_idle_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("agls.doors.agent.flow.queue.PAUSE", 0.01)
    publisher, peer = publishing()
    say(publisher, "a")
    peer.backlog = FULL + 1
    say(publisher, "b", "c")
    await asyncio.sleep(0.05)
    assert "gap" not in types_of(peer)
    peer.backlog = DRAINED
    await become(lambda: "itemUpdated" in types_of(peer))
    assert types_of(peer) == ["itemStarted", "itemDelta", "gap", "itemUpdated"]
    assert fold(peer.events).items["item"]["text"] == "abc"


async def test_bytes_left_out_of_an_output_are_counted() -> None:
    publisher, peer = publishing()
    call = ToolCall("call", "shell", {})
    publisher.take(Entry(4, 1.0, Replied("item", "", tool_calls=(call,))))
    publisher.take(Entry(5, 1.0, ToolStarted("call", "shell", {})))
    peer.backlog = FULL + 1
    for number in range(20):
        publisher.take(ToolDelta("call", f"{number:02d}" + "é" * 10_000))
    assert publisher.open_items()[0]["truncated"] > 300_000
    peer.backlog = 0
    publisher.take(ToolDelta("call", "end"))
    item = fold(peer.events).items["call"]
    assert item["output"].startswith("00é")
    assert item["output"].endswith("éend")
    assert len(item["output"].encode()) < 66_000
    publisher.take(Entry(6, 1.0, ToolFinished("call", ToolOutcome("done"))))
    publisher.take(Entry(7, 1.0, RunEnded("run", Stop(StopReason.END_TURN))))
    check_events(peer.events)


def test_held_events_keep_their_order() -> None:
    publisher, peer = publishing()
    done: list[str] = []
    with publisher.held(), publisher.held():
        say(publisher, "a")
        publisher.then(lambda: done.append(f"after {len(types_of(peer))}"))
        say(publisher, "b")
        assert not types_of(peer)
        assert not done
    assert types_of(peer) == ["itemStarted", "itemDelta", "itemDelta"]
    assert done == ["after 2"]


async def test_excluded_types_are_not_sent_to_make_up_for_deltas() -> None:
    publisher, peer = publishing(CLIENT._replace(excluded=frozenset({"gap", "itemDelta"})))
    say(publisher, "a")
    peer.backlog = FULL + 1
    say(publisher, "b")
    peer.backlog = 0
    say(publisher, "c")
    assert types_of(peer) == ["itemStarted", "itemUpdated"]


# --- the editor ----------------------------------------------------------------------------------


class Editing:
    """An editor with one document, in a connection without a process."""

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        answer: Callable[["Editing", Wire], Any],
        patience: float = PATIENCE,
    ) -> None:
        monkeypatch.setattr(editing, "ANSWER_PATIENCE", patience)
        monkeypatch.setattr(pending_edits, "CHANGE_PATIENCE", patience)
        monkeypatch.setattr(editing, "CANCEL_PATIENCE", patience)
        capabilities = {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}
        client = read_client({"capabilities": {"workspace": capabilities}})
        self.messages: list[Wire] = []
        self.answer = answer
        writer: Any = self
        self.peer = Peer(writer, LIMITS, client)
        self.editor = LspEditor(self.peer, client)
        self.sync = Sync(client.encoding, self.editor)
        self.uri = "file:///w/a%20b.txt"
        document = {"uri": self.uri, "languageId": "x", "version": 1, "text": "old\n"}
        self.notify("didOpen", {"textDocument": document})

    def notify(self, method: str, params: Wire) -> None:
        self.sync.take({"jsonrpc": "2.0", "method": f"textDocument/{method}", "params": params})

    def change(self, text: str, version: int) -> None:
        identifier = {"uri": self.uri, "version": version}
        self.notify("didChange", {"textDocument": identifier, "contentChanges": [{"text": text}]})

    def send(self, message: Wire, *, urgent: bool = False) -> None:
        self.messages.append(message)
        if message["method"] == "workspace/applyEdit":
            asyncio.get_running_loop().call_soon(self._reply, message)

    def _reply(self, message: Wire) -> None:
        result = self.answer(self, message)
        if result is not None:
            self.peer.take_response({"jsonrpc": "2.0", "id": message["id"], **result})

    @property
    def buffer(self) -> Buffer:
        found = self.editor.buffer("file:///w/a b.txt")
        assert found
        return found


def applied(editor: Editing, message: Wire) -> Wire:
    editor.change("new\n", 2)
    return {"result": {"applied": True}}


async def test_an_edit_comes_back_as_the_document_it_made(monkeypatch: pytest.MonkeyPatch) -> None:
    editor = Editing(monkeypatch, applied)
    buffer = editor.buffer
    assert await editor.editor.replace(buffer, "new\n", "Edit") == Buffer(editor.uri, 2, "new\n")
    assert await editor.editor.replace(editor.buffer, "new\n", "Edit") == editor.buffer
    assert len(editor.messages) == 1
    assert editor.editor.buffers() == [editor.buffer]
    with pytest.raises(Stale, match="was changed"):
        await editor.editor.replace(buffer, "newer\n", "Edit")


async def test_an_answer_before_the_change_waits_for_the_change(monkeypatch: pytest.MonkeyPatch) -> None:
    def later(editor: Editing, message: Wire) -> Wire:
        asyncio.get_running_loop().call_later(0.05, editor.change, "new\n", 2)
        return {"result": {"applied": True}}

    editor = Editing(monkeypatch, later)
    assert (await editor.editor.replace(editor.buffer, "new\n", "Edit")).version == 2


@pytest.mark.parametrize("what", ["nothing came", "another text came", "it was closed"])
async def test_a_document_that_does_not_hold_the_text_is_stale(
    monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    def answer(editor: Editing, message: Wire) -> Wire:
        if what == "another text came":
            editor.change("formatted\n", 2)
        elif what == "it was closed":
            editor.notify("didClose", {"textDocument": {"uri": editor.uri}})
        return {"result": {"applied": True}}

    editor = Editing(monkeypatch, answer, 0.1)
    with pytest.raises(Stale) as caught:
        await editor.editor.replace(editor.buffer, "new\n", "Edit")
    assert caught.value.effects == ("none" if what == "nothing came" else "partial")


async def test_a_final_line_end_that_the_editor_adds_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    def neovim(editor: Editing, message: Wire) -> Wire:
        editor.change("no end\n", 2)
        return {"result": {"applied": True}}

    editor = Editing(monkeypatch, neovim)
    after = await editor.editor.replace(editor.buffer, "no end", "Edit")
    assert (after.version, after.text) == (2, "no end\n")


async def test_an_editor_that_does_not_answer_may_still_do_it(monkeypatch: pytest.MonkeyPatch) -> None:
    editor = Editing(monkeypatch, lambda editor, message: None, 0.1)
    with pytest.raises(Stale) as caught:
        await editor.editor.replace(editor.buffer, "new\n", "Edit")
    assert caught.value.effects == "unknown"
    assert editor.messages[-1]["method"] == "$/cancelRequest"


async def test_two_edits_of_one_document_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def later(editor: Editing, message: Wire) -> Wire:
        asyncio.get_running_loop().call_later(0.01, editor.change, "new\n", 2)
        return {"result": {"applied": True}}

    editor = Editing(monkeypatch, later)
    both = [editor.editor.replace(editor.buffer, text, "Edit") for text in ("new\n", "other\n")]
    first, second = await asyncio.gather(*both, return_exceptions=True)
    assert first == Buffer(editor.uri, 2, "new\n")
    assert isinstance(second, Stale)
    assert len(editor.messages) == 1


async def test_a_refusal_because_the_user_typed_is_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(editor: Editing, message: Wire) -> Wire:
        editor.change("typed\n", 2)
        return {"result": {"applied": False}}

    editor = Editing(monkeypatch, answer)
    with pytest.raises(Stale):
        await editor.editor.replace(editor.buffer, "new\n", "Edit")


@pytest.mark.parametrize(
    "response", [{"error": {"code": 1}}, {"result": None}, {"result": {"applied": 1}}, None]
)
async def test_an_edit_that_is_not_clearly_applied_is_an_error(
    monkeypatch: pytest.MonkeyPatch, response: Wire | None
) -> None:
    editor = Editing(monkeypatch, lambda editor, message: response, 0.1)
    with pytest.raises(WorkspaceError):
        await editor.editor.replace(editor.buffer, "new\n", "Edit")


async def test_a_cancelled_edit_waits_for_its_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    arrived: list[Wire] = []

    def later(editor: Editing, message: Wire) -> None:
        def reply() -> None:
            arrived.append(message)
            editor.peer.take_response({"id": message["id"], "result": {"applied": True}})

        asyncio.get_running_loop().call_later(0.1, reply)

    editor = Editing(monkeypatch, later)
    task = asyncio.ensure_future(editor.editor.replace(editor.buffer, "new\n", "Edit"))
    await become(lambda: editor.messages)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert arrived, "an edit that was sent cannot be taken back"


# --- what clients write --------------------------------------------------------------------------


def test_content_is_read_block_by_block() -> None:
    assert from_wire.content("") == ()
    assert from_wire.content("hi") == (Text("hi"),)
    blocks = [
        {"type": "image", "data": "aGk=", "mimeType": "image/png"},
        {"type": "resource", "uri": "file:///a", "text": "x"},
        {"type": "resourceLink", "uri": "file:///b"},
    ]
    assert from_wire.content(blocks) == (
        Image("aGk=", "image/png"), Resource("file:///a", "x"), ResourceLink("file:///b"),
    )  # fmt: skip


@pytest.mark.parametrize("uri", ["file:///a%00b", "file://host/a", "file:a", "untitled:1", "/a"])
def test_only_file_uris_of_this_machine_are_paths(uri: str) -> None:
    with pytest.raises(from_wire.Malformed):
        from_wire.path(uri)


def test_answers_are_read_strictly() -> None:
    options = (Option("yes", "Yes", "allow"),)
    permission, form = Question("permission", "May I?", options=options), Question("form", "Which?")
    chosen = from_wire.answer(permission, {"outcome": "selected", "optionId": "yes", "input": {"a": 1}}, "me")
    assert (chosen.option_id, chosen.input, chosen.by) == ("yes", {"a": 1}, "me")
    unhashable = {"outcome": "selected", "optionId": ["yes"]}
    assert from_wire.answer(permission, unhashable, "me").outcome == "unanswered"
    assert from_wire.answer(form, {"outcome": "accept", "content": {"a": 1}}, "me").content == {"a": 1}
    assert from_wire.answer(form, {"outcome": "accept"}, "me") == from_wire.NOT_UNDERSTOOD


def test_merge_patches_follow_rfc_7396() -> None:
    assert merged({"a": {"b": 1, "c": 2}, "d": 1}, {"a": {"b": None}, "d": {"e": 1}, "f": None}) == {
        "a": {"c": 2}, "d": {"e": 1},
    }  # fmt: skip


# --- errors and watching -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "code", "kind"),
    [
        (Refused("no", "noActiveRun"), -33002, "noActiveRun"),
        (Refused("no", "somethingNew"), -32803, "somethingNew"),
        (JournalError("disk"), -32803, "journal"),
        (ModelError("key", kind="auth", hint="Log in."), -33008, "authRequired"),
        (WorkspaceError("no"), -32803, "failed"),
        (KeyError("/home/me/secret"), -32603, "internal"),
    ],
)
def test_every_error_has_a_code_and_a_kind(error: Exception, code: int, kind: str) -> None:
    reply = to_bad(error).reply()["error"]
    assert (reply["code"], reply["data"]["kind"]) == (code, kind)
    assert "secret" not in reply["message"]


@pytest.mark.parametrize("blind", [False, True], ids=["pidfd", "without pidfd"])
def test_the_death_of_a_process_is_noticed(monkeypatch: pytest.MonkeyPatch, blind: bool) -> None:
    if blind:
        monkeypatch.setattr(watchdog, "LOOK", 20)
        monkeypatch.delattr(os, "pidfd_open")
    receiving, sending = os.pipe()
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    gone = threading.Event()
    watchdog.watch(process.pid, 0, sending, gone.set)
    assert not gone.wait(0.1)
    process.communicate()
    assert gone.wait(PATIENCE)
    os.close(receiving)
    os.close(sending)


def test_a_closed_reading_end_is_noticed() -> None:
    receiving, sending = os.pipe()
    gone = threading.Event()
    watchdog.watch(None, 0, sending, gone.set)
    assert not gone.wait(0.05)
    os.close(receiving)
    assert gone.wait(PATIENCE)
    os.close(sending)
