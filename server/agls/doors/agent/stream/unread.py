"""What stands in the place of a message that could not be read: it may have been about a document."""

import json
import re
from contextlib import suppress

from agls.doors.messages import JsonObject

UNREAD = "$/agls/unread"
TELLS = rb'"method"\s*:\s*"textDocument\\?/did(?:Open|Change)"'
URI = rb'"uri"\s*:\s*("(?:[^"\\]|\\.)*")'


def unread(body: bytes) -> JsonObject | None:
    """A notification that names the document whose text nobody knows now, "" for any; `None` for none."""
    if not re.search(TELLS, body):
        return None
    uri, found = "", re.search(URI, body)
    if found:
        with suppress(ValueError):
            uri = json.loads(found[1].decode(errors="replace"))
    return {"jsonrpc": "2.0", "method": UNREAD, "params": {"uri": uri}}
