"""`textDocument/completion` in a prompt that is a document of any editor (protocol#agentcomplete)."""

from typing import Any

from agls.doors.agent.call import Call
from agls.doors.agent.methods.complete import session_of
from agls.doors.completion import completions
from agls.doors.lsp.connection import LspConnection
from agls.doors.messages import JsonObject
from agls.doors.positions import offset_at, place_at, place_of
from agls.json_values import is_object, object_in
from agls.room import Completion

TRIGGERS = ["@", "/"]
KINDS = {
    "file": 17,
    "folder": 19,
    "symbol": 18,
    "source": 18,
    "command": 3,
    "argument": 10,
    "value": 12,
}  # CompletionItemKind: File, Folder, Reference, Function, Property, Value
NOTHING: JsonObject = {"isIncomplete": False, "items": []}


async def complete_document(connection: LspConnection, params: Any, call: Call) -> JsonObject:
    """List the ways to go on at a position of a prompt; in other documents there are none.

    **Raises** `Malformed`, `Bad` and `ConfigError`.
    """
    call.interruptible = True
    given = params if is_object(params) else {}
    text = connection.prompt(str(object_in(given, "textDocument").get("uri", "")))
    if text is None:
        return NOTHING
    encoding = connection.client.encoding
    cursor = offset_at(text, place_of(object_in(given, "position")), encoding)
    async with session_of(connection, connection.latest) as session:
        found = await completions(connection.world, session, text, cursor)
    items = [_item(item, order, text, encoding) for order, item in enumerate(found.items)]
    return {"isIncomplete": True, "items": items}  # what fits is judged here, not by the start of a word


def _item(item: Completion, order: int, text: str, encoding: str) -> JsonObject:
    start, end = (place_at(text, offset, encoding)._asdict() for offset in (item.start, item.end))
    return {
        "label": item.label,
        "kind": KINDS[item.kind],
        "textEdit": {"range": {"start": start, "end": end}, "newText": item.text},
        "filterText": text[item.start : item.end],  # editors would compare the word with the label
        "sortText": f"{order:03}",
        **({"detail": item.detail} if item.detail else {}),
    }
