"""The items that are open: what streams into them, and their completion, exactly once."""

from collections.abc import Mapping
from typing import Any, Literal, cast

from agls.engine.vocabulary import JsonObject
from agls.views.events import EventWriter
from agls.views.wire_json import INLINE_BYTES, ends, joined, utf8_length
from agls_protocol.events import EventData, GapData, ItemDeltaData
from agls_protocol.items import Item, MessageItem, SideAnswerItem, ThoughtItem

ReplyKind = Literal["message", "thought"]
REPLY_KINDS: tuple[ReplyKind, ReplyKind] = ("thought", "message")
Texts = Mapping[ReplyKind, str]


class OpenItem:
    """An item that was started and not completed, with the text that streamed into its `field`.

    What the model says is kept whole; of what a command prints, head and tail, however much it is.
    """

    __slots__ = ("_head", "_kept", "_pieces", "background", "field", "item", "omitted", "reply_id", "size")

    def __init__(self, item: Item, field: str, reply_id: str = "") -> None:
        self.item = item
        self.field = field
        self.reply_id = reply_id
        self.size = 0  # UTF-8 bytes that streamed in
        self.background = "background" in item  # then nothing but its start is part of a run
        self.omitted = 0  # bytes of the middle that are not kept
        self._head = ""
        self._kept = 0
        self._pieces: list[str] = []

    def append(self, text: str) -> ItemDeltaData:
        """Append text. **Returns** the delta, with the offset in UTF-8 bytes at which it stands."""
        delta: ItemDeltaData = {"field": self.field, "offset": self.size, "append": text}
        length = utf8_length(text)
        self.size += length
        self._kept += length
        self._pieces.append(text)
        if self.field == "output" and self._kept > 2 * INLINE_BYTES:
            self._shorten()
        return delta

    @property
    def text(self) -> str:
        """What streamed in so far."""
        if self.field == "output" and self.size > INLINE_BYTES:
            self._shorten()
        self._pieces = ["".join(self._pieces)]
        return joined(self._head, self._pieces[0], self.omitted)

    def streamed(self) -> JsonObject:
        """Return what streamed in so far, as members of the item."""
        members: JsonObject = {self.field: self.text} if self.size else {}
        return members | ({"truncated": self.omitted} if self.omitted else {})

    def with_members(self, members: JsonObject) -> Item:
        """Return the item with these members in place of its own."""
        return cast(Item, {**self.item, **members})

    def _shorten(self) -> None:
        head, tail = ends("".join(self._pieces))
        self._head = self._head or head
        self._pieces = [tail]
        self._kept = utf8_length(tail)
        self.omitted = self.size - utf8_length(self._head) - self._kept


class OpenItems:
    """All open items of a session, in the order in which they were started."""

    def __init__(self, out: EventWriter) -> None:
        self._out = out
        self._open: dict[str, OpenItem] = {}
        self._failures: dict[str, int] = {}  # how often a reply was broken off and begun again

    def __contains__(self, item_id: str) -> bool:
        return item_id in self._open

    def folded(self) -> list[JsonObject]:
        """Return the open items as they stand."""
        return [cast(Any, opened.with_members(opened.streamed())) for opened in self._open.values()]

    def catch_up(self, behind: Mapping[str, int]) -> None:
        """Write these items, as far as they are open, as they stand: their deltas were left out.

        `behind` says for each the fact behind which the first delta was left out.
        """
        still_open = {item_id: place for item_id, place in behind.items() if item_id in self._open}
        if still_open:
            gap: GapData = {
                "from": min(still_open.values()),
                "to": self._out.seq,
                "itemIds": list(still_open),
            }
            self._out.write("gap", gap)
        for item_id in still_open:
            opened = self._open[item_id]
            self._write(opened, "itemUpdated", {"patch": opened.streamed()})

    def adopt(self, item: Item, field: str) -> None:
        """Take over an item whose start was written before."""
        self._open[item["itemId"]] = OpenItem(item, field)

    def start(self, item: Item, field: str, reply_id: str = "") -> None:
        """Write that an item began."""
        self._out.write("itemStarted", {"item": item}, item["itemId"])
        self._open[item["itemId"]] = OpenItem(item, field, reply_id)

    def start_aside(self, item_id: str, question: str) -> None:
        """Write that an answer beside the work began, unless it did already."""
        if item_id not in self._open:
            item: SideAnswerItem = {
                "itemId": item_id,
                "kind": "sideAnswer",
                "status": "running",
                "title": question,
                "text": "",
                "background": True,
            }
            self.start(item, "text")

    def append(self, item_id: str, text: str, coloured: str = "") -> None:
        """Write that text streamed into an open item; what comes too late is left out."""
        if opened := self._open.get(item_id):
            delta = opened.append(text)
            if coloured:
                delta["coloured"] = coloured
            self._write(opened, "itemDelta", delta)

    def patch(self, item_id: str, patch: JsonObject) -> None:
        """Write that members of an open item changed."""
        if opened := self._open.get(item_id):
            opened.item = opened.with_members(patch)
            self._write(opened, "itemUpdated", {"patch": patch})

    def complete(self, item_id: str, members: JsonObject) -> None:
        """Write how an open item ended, whole."""
        opened = self._open.pop(item_id)
        self._write(opened, "itemCompleted", {"item": opened.with_members(members)})

    def printed(self, call_id: str) -> tuple[str, int]:
        """Return what an open call printed so far, and how many bytes are left out of it."""
        opened = self._open[call_id]
        return opened.text, opened.omitted

    def _write(self, opened: OpenItem, type: str, data: EventData) -> None:
        if opened.background:
            self._out.write_for("", type, data, opened.item["itemId"])
        else:
            self._out.write(type, data, opened.item["itemId"])

    # --- replies ---

    def append_reply(self, kind: ReplyKind, reply_id: str, text: str) -> None:
        """Write that a reply went on, and that it began if it did."""
        item_id = self._reply_item(kind, reply_id)
        if item_id not in self._open:
            self._start_reply(kind, reply_id)
        self.append(item_id, text)

    def finish_reply(self, reply_id: str, texts: Texts, members: JsonObject) -> None:
        """Write how a reply ended. What is open of other replies was given up for this one."""
        for kind in REPLY_KINDS:
            if not (texts[kind] or self._open):
                continue
            item_id, text = self._reply_item(kind, reply_id), texts[kind]
            if item_id not in self._open and text:
                self._start_reply(kind, reply_id)
            if item_id in self._open:
                self.complete(item_id, {"text": text, **members})
        self.discard_replies()

    def discard_replies(self) -> bool:
        """Close replies that broke off and do not count. **Returns** whether there were any.

        What comes of them after this is another attempt, with items of its own.
        """
        if not self._open:
            return False
        broken = {i: opened for i, opened in self._open.items() if opened.reply_id}
        for item_id, opened in broken.items():
            self.complete(item_id, {"text": opened.text, "status": "failed", "discarded": True})
        self._count_failures({opened.reply_id for opened in broken.values()})
        return bool(broken)

    def cancel_replies(self) -> None:
        """Close replies that the end of their run left open; their text stays."""
        for item_id in [i for i, opened in self._open.items() if opened.reply_id]:
            self.complete(item_id, {"text": self._open[item_id].text, "status": "cancelled"})

    def fail_reply(self, reply_id: str, texts: Texts) -> None:
        """Write that a reply broke off, unless its retry was written already."""
        if reply_id not in self._failures:
            self.finish_reply(reply_id, texts, {"status": "failed", "discarded": True})
            self._count_failures({reply_id})
        self.discard_replies()

    def forget_failures(self) -> None:
        """Begin a new turn: replies have ids of their own again."""
        self._failures.clear()

    def _count_failures(self, reply_ids: set[str]) -> None:
        for reply_id in reply_ids:
            self._failures[reply_id] = self._failures.get(reply_id, 0) + 1

    def _start_reply(self, kind: ReplyKind, reply_id: str) -> None:
        item_id = self._reply_item(kind, reply_id)
        message: MessageItem = {"itemId": item_id, "kind": "message", "status": "running"}
        thought: ThoughtItem = {"itemId": item_id, "kind": "thought", "status": "running"}
        self.start(message if kind == "message" else thought, "text", reply_id)

    def _reply_item(self, kind: ReplyKind, reply_id: str) -> str:
        base = reply_id if kind == "message" else f"{reply_id}.thought"
        failures = self._failures.get(reply_id, 0)
        return f"{base}~{failures + 1}" if failures else base
