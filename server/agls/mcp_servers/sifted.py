"""Lists of a server, sifted before the SDK reads them: one broken tool would cost all of them."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

import mcp_types as types
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from mcp.shared._stream_protocols import ReadStream
from mcp.shared.message import SessionMessage
from pydantic import BaseModel, ValidationError

from agls.engine.vocabulary import JsonObject
from agls.json_values import is_list, is_object, list_in
from agls.mcp_servers.listing import examined_size
from agls.mcp_servers.mended import mend
from agls.mcp_servers.older_schemas import newer
from agls.mcp_servers.open_requests import OpenRequests
from agls.mcp_servers.read_stream import Incoming, SeenStream

MOST_PROBLEMS = 50
MOST_SIFTED = 5_000  # entries of one list; how many are used is said elsewhere
KINDS: Mapping[str, tuple[str, type[BaseModel]]] = {
    "tools": ("tool", types.Tool),
    "prompts": ("prompt", types.Prompt),
    "resources": ("resource", types.Resource),
    "resourceTemplates": ("template of resources", types.ResourceTemplate),
}
NO_TYPE = 'has arguments whose schema is not of the type "object"'


class SiftedStream(SeenStream):
    """What comes in, without what is broken in lists, which `problems` tell; `requests` note answers."""

    def __init__(self, stream: ReadStream[Incoming], problems: list[str], requests: OpenRequests) -> None:
        super().__init__(stream)
        self._problems, self._requests = problems, requests

    async def _seen(self, incoming: Incoming) -> Incoming:
        if isinstance(incoming, SessionMessage):
            self._requests.came(incoming.message)
        if isinstance(incoming, SessionMessage) and isinstance(incoming.message, types.JSONRPCResponse):
            result = incoming.message.result
            mend(result)
            for name in KINDS.keys() & result.keys():
                if is_list(rows := result[name]) and "content" not in result:
                    result[name] = [row async for row in self._good(name, rows[:MOST_SIFTED])]
        return incoming

    async def _good(self, name: str, rows: list[Any]) -> AsyncIterator[object]:
        kind, model = KINDS[name]
        for row in rows:
            await asyncio.sleep(0)  # a schema takes up to a third of a second
            problem = _problem(row, model)
            if not problem:
                yield row
            elif len(self._problems) < MOST_PROBLEMS:
                called = row.get("name") if is_object(row) else None
                self._problems.append(f"the {kind} {str(called or 'without a name')[:80]!r} {problem}")


def _problem(row: object, model: type[BaseModel]) -> str:
    """**Returns** what is wrong with an entry of a list, "" for nothing."""
    if not is_object(row):
        return "is no object"
    if model is types.Tool and (problem := _of_schemas(row)):
        return problem
    try:
        model.model_validate(row, by_name=False)
    except (ValidationError, RecursionError) as error:
        where = error.errors(include_url=False)[0]["loc"] if isinstance(error, ValidationError) else ()
        return f"is described wrongly at {'.'.join(map(str, where)) or 'some place'}"
    return ""


def _of_schemas(tool: JsonObject) -> str:
    """**Returns** what is wrong with the schemas of a tool; those of older drafts become newer ones."""
    schema = tool.get("inputSchema")
    if is_object(schema) and "object" in list_in(schema.get("type")):
        schema["type"] = "object"  # some allow null, too
    if not is_object(schema) or schema.get("type") != "object":
        return NO_TYPE
    for name in ("inputSchema", "outputSchema"):
        if is_object(found := tool.get(name)) and not examined_size(found)[0]:  # else nobody uses it
            try:
                if _fault(found):
                    tool[name] = found = newer(found)
                if fault := _fault(found):
                    return f"has a broken schema: {fault}"
            except RecursionError:
                return "has a schema that is too deep"
    return ""


def _fault(schema: JsonObject) -> str:
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return " ".join(error.message.split())[:120]
    return ""
