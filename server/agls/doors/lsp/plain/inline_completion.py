"""`textDocument/inlineCompletion`: how the code could go on, where the user switched that on."""

from typing import Any

from agls.doors import from_wire
from agls.doors.agent.call import Call
from agls.doors.agent.methods.complete import session_of
from agls.doors.inline_edits import EditedText, complete_document, read_document
from agls.doors.lsp.connection import LspConnection
from agls.doors.messages import JsonObject
from agls.doors.positions import offset_at, place_of
from agls.json_values import is_object, object_in


async def inline_completion(connection: LspConnection, params: Any, call: Call) -> JsonObject:
    """Return what could be inserted, or nothing. The next key cancels it.

    **Raises** `Malformed`, `ConfigError`, `ActionError` and `WorkspaceError`.
    """
    call.interruptible = True
    given = params if is_object(params) else {}
    uri = str(object_in(given, "textDocument").get("uri", ""))
    position = place_of(object_in(given, "position"))
    async with session_of(connection, "") as session:
        buffer = connection.buffer(uri)
        if buffer is None or connection.prompt(uri) is not None:
            return {"items": []}
        if uri.startswith("file:"):
            document = await read_document(connection.world, session, from_wire.path(uri))
        else:
            document = EditedText(uri.rpartition("/")[2], buffer.text)
        cursor = offset_at(document.text, position, connection.client.encoding)
        text = await complete_document(connection.world, session, document, cursor)
    place = position._asdict()
    return {"items": [{"insertText": text, "range": {"start": place, "end": place}}] if text else []}
