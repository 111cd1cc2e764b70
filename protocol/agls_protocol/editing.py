"""Edits at the cursor: what the client asks for, and what it gets. Written as `items.py` is."""

from agls_protocol.items import JsonObject
from agls_protocol.record import record


@record
class EditAttempt:
    """An edit that was asked for before: what was wanted, and the text that came."""

    instruction: str
    text: str


@record
class EditParams:
    """`agent/edit`: the text that shall take the place of `range` (LSP 3.17) in the file with this `uri`.

    `version` is that of the open document that the range is of; `text` is the whole text of a document
    that is no file (untitled, a cell of a notebook). `editId` is the client's name for this request: with
    it, the text comes piece by piece, too. `diagnostics` are those of LSP, near the range; `attempts` are
    earlier answers that were not what was wanted, the oldest first.
    """

    uri: str
    range: JsonObject
    instruction: str
    version: int | None = None
    text: str | None = None
    edit_id: str = ""
    diagnostics: list[JsonObject] | None = None
    attempts: list[EditAttempt] | None = None
    session_id: str = ""
    cwd: str = ""


@record
class EditResult:
    """`text` for `range`, which has the whole lines that were meant; nothing is changed yet.

    `version` is the version of the document that this is for; it is left out where none is open.
    """

    text: str
    range: JsonObject
    model: str
    usage: JsonObject
    version: int | None = None
    cost: float | None = None


@record
class EditDeltaParams:
    """`agent/editDelta`: more of the text of an edit that is under way."""

    edit_id: str
    text: str
