"""What the facts of one part of a session came to, as bytes that are kept beside its journal, and back."""

import json
import zlib
from typing import cast

from pydantic_core import from_json

from agls.engine.vocabulary import JsonObject
from agls.views.transcript import Transcript

VERSION = 3  # to be raised when a fact is shown in another way (`tests/views/test_packed_parts.py` notices)
LARGEST = 1 << 20  # characters of a part; what is longer would cost more to keep than to make again
Row = tuple[JsonObject, int, int, str]  # an item, the facts it began and ended with, the run it is of

_as_json = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


def packed(part: Transcript) -> bytes | None:
    """Return a part as bytes; `None` when it is too long, or has text that is no Unicode.

    `part` is read by itself: nothing is open, rewound or set in it.
    """
    rows: list[Row] = [
        (item, part.began.get(item_id, 0), part.ended.get(item_id, 0), part.run_of.get(item_id, ""))
        for item_id, item in part.items.items()
    ]
    text = _as_json([part.seq, rows, part.runs, part.usage, part.queue])
    try:
        return zlib.compress(text.encode()) if len(text) <= LARGEST else None
    except UnicodeEncodeError:
        return None


def unpacked(data: bytes) -> Transcript:
    """Return the part of these bytes, which `packed` made."""
    seq, rows, runs, usage, queue = from_json(zlib.decompress(data))
    part = Transcript(seq, runs=runs, usage=usage, queue=queue)
    for item, began, ended, run_id in cast(list[Row], rows):
        item_id: str = item["itemId"]
        part.items[item_id] = item
        if began:
            part.began[item_id] = began
        if ended:
            part.ended[item_id] = ended
        if run_id:
            part.run_of[item_id] = run_id
    return part
