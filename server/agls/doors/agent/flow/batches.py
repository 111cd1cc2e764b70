"""Events on their way to the pipe: kept in order, deltas of one item merged (protocol#flow)."""

from collections.abc import Sequence

from agls.doors.messages import JsonObject, dumps, framed

MERGED_TEXT = 4_096  # bytes of text of one merged delta
BATCH_EVENTS = 256
BATCH_SIZE = 262_144  # bytes; a batch that has them takes no more
ENVELOPE = 400  # bytes of an event besides its text, roughly
REPLACEABLE = ("contextUsage", "heartbeat", "turnDiff", "commands")  # only the newest that waits counts


class EncodedEvent:
    """An event that is written out already; a newer one of the same `kind` takes its place."""

    __slots__ = ("kind", "text", "weight")

    def __init__(self, event: JsonObject) -> None:
        self.text = dumps(event)
        self.weight = len(self.text)
        self.kind = (event["sessionId"], event["type"]) if event["type"] in REPLACEABLE else None


class Delta:
    """Text that appends to an item; as long as it waits it can grow."""

    __slots__ = ("_colours", "_event", "_texts", "place", "size")

    def __init__(self, event: JsonObject) -> None:
        data = event["data"]
        text: str = data["append"]
        self._event, self._texts = event, [text]
        self._colours: list[str] = [data.get("coloured", "")]
        self.place = (event["sessionId"], event["itemId"], data["field"])
        self.size = _bytes(text) + _bytes(self._colours[0])

    @property
    def weight(self) -> int:
        """Its size in bytes, roughly."""
        return ENVELOPE + self.size

    @property
    def after(self) -> int:
        """The fact behind which it stands."""
        return self._event["after"]

    @property
    def text(self) -> str:
        """Return the event, written out."""
        if len(self._texts) == 1:
            return dumps(self._event)
        data = {**self._event["data"], "append": "".join(self._texts)}
        if any(self._colours):
            pairs = zip(self._colours, self._texts, strict=True)
            data["coloured"] = "".join(coloured or text for coloured, text in pairs)
        return dumps({**self._event, "data": data})

    def grow(self, more: "Delta") -> bool:
        """Take in the delta that follows; False when it would get too large."""
        if self.size + more.size > MERGED_TEXT:
            return False
        self._texts += more._texts
        self._colours += more._colours
        self.size += more.size
        return True


Piece = EncodedEvent | Delta


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


class Batch:
    """The events of one `agent/event` that was not written yet; `weight` is their size in bytes, roughly."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._pieces: dict[int, Piece] = {}  # by number, in order
        self._numbers = 0
        self._growing: dict[object, Delta] = {}  # by place: deltas nothing but deltas came after
        self._latest: dict[object, int] = {}  # by kind: numbers of pieces that may be replaced
        self.weight = 0
        self._add(pieces)

    @property
    def pieces(self) -> list[Piece]:
        """The events, in order."""
        return list(self._pieces.values())

    @property
    def items(self) -> dict[str, int]:
        """The items whose deltas are in here, with the fact behind which the first of them stands."""
        first: dict[str, int] = {}
        for piece in self._pieces.values():
            if isinstance(piece, Delta):
                first.setdefault(piece.place[1], piece.after)
        return first

    def frame(self) -> bytes:
        """Return the notification as a frame."""
        texts = ",".join([piece.text for piece in self._pieces.values()])
        return framed(f'{{"jsonrpc":"2.0","method":"agent/event","params":{{"events":[{texts}]}}}}')

    def take(self, pieces: Sequence[Piece]) -> bool:
        """Take in events that follow; False when they have to wait for a batch of their own."""
        if len(pieces) == 1 and self._grow(pieces[0]):
            return True
        if len(self._pieces) + len(pieces) > BATCH_EVENTS or self.weight > BATCH_SIZE:
            return False
        self._add(pieces)
        return True

    def _grow(self, piece: Piece) -> bool:
        if isinstance(piece, EncodedEvent):
            return False
        growing = self._growing.get(piece.place)
        if growing is None or not growing.grow(piece):
            return False
        self.weight += piece.size
        return True

    def _add(self, pieces: Sequence[Piece]) -> None:
        for piece in pieces:
            if isinstance(piece, Delta):
                self._growing[piece.place] = piece
            else:
                self._growing.clear()
                self._replace(piece)
            self._pieces[self._numbers] = piece
            self._numbers += 1
            self.weight += piece.weight

    def _replace(self, piece: EncodedEvent) -> None:
        if piece.kind is None:
            return
        if (old := self._latest.get(piece.kind)) is not None:
            self.weight -= self._pieces.pop(old).weight
        self._latest[piece.kind] = self._numbers
