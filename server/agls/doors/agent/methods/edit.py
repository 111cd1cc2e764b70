"""`agent/edit`: the text for a place in a document, by a wish of the user."""

from collections.abc import Callable
from urllib.parse import unquote, urlsplit

from agls.doors import from_wire
from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls.doors.agent.methods.complete import session_of
from agls.doors.errors import bad
from agls.doors.inline_edits import EditedText, edit_document, read_document
from agls.doors.positions import offset_at, place_at, place_of
from agls.engine.session import Session
from agls.engine.vocabulary import JsonObject
from agls.inline_edit import EditTry, EditWish
from agls.json_values import object_in
from agls.views import values
from agls_protocol.editing import EditParams, EditResult

STALE = "The document is not at version {} any more. Ask again."
MOST_PROBLEMS = 20


async def edit(connection: Connection, params: EditParams, call: Call) -> EditResult:
    """Ask the model and return its text, piece by piece, too. Nothing is changed, and a cancel ends it."""
    call.interruptible = True
    encoding = connection.client.encoding
    async with session_of(connection, params.session_id, params.cwd) as session:
        document = await _document(connection, session, params)
        start = offset_at(document.text, place_of(object_in(params.range, "start")), encoding)
        end = offset_at(document.text, place_of(object_in(params.range, "end")), encoding)
        if end < start:
            raise from_wire.Malformed("params.range: it ends before it starts")
        attempts = [EditTry(one.instruction, one.text) for one in params.attempts or ()]
        wish = EditWish(params.instruction, _problems(params.diagnostics or []), attempts)
        show = _shower(connection, params.edit_id)
        span, edited = await edit_document(connection.world, session, document, (start, end), wish, show)
    first, last = (place_at(document.text, offset, encoding)._asdict() for offset in span)
    return EditResult(
        edited.text,
        {"start": first, "end": last},
        edited.model,
        dict(values.usage(edited.usage)),
        document.version,
        edited.cost,
    )


async def _document(connection: Connection, session: Session, params: EditParams) -> EditedText:
    """**Returns** the document. **Raises** `Bad` (it is another by now) and `WorkspaceError`."""
    if params.text is not None:
        return EditedText(unquote(urlsplit(params.uri).path).rpartition("/")[2], params.text, params.version)
    document = await read_document(connection.world, session, from_wire.path(params.uri, "params.uri"))
    if params.version not in {None, document.version}:
        raise bad("contentModified", STALE.format(params.version))
    return document


def _shower(connection: Connection, edit_id: str) -> Callable[[str], None]:
    def show(text: str) -> None:
        if edit_id:
            connection.peer.notify("agent/editDelta", {"editId": edit_id, "text": text})

    return show


def _problems(diagnostics: list[JsonObject]) -> list[str]:
    """**Returns** a line for each diagnostic."""
    lines: list[str] = []
    for one in diagnostics[:MOST_PROBLEMS]:
        line = place_of(object_in(object_in(one, "range"), "start")).line + 1
        lines.append(f"line {line}: {str(one.get('message', ''))[:500]}")
    return lines
