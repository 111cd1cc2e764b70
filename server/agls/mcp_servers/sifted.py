"""Lists of a server, sifted before the SDK reads them: one broken tool would cost all of them."""

from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any

import mcp_types as types
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from mcp.shared._stream_protocols import ReadStream
from mcp.shared.message import SessionMessage
from pydantic import BaseModel, ValidationError

from agls.engine.vocabulary import JsonObject
from agls.json_values import is_list, is_object

MOST_PROBLEMS = 50
MOST_SIFTED = 5_000  # entries of one list; how many are used is said elsewhere
KINDS: Mapping[str, tuple[str, type[BaseModel]]] = {
    "tools": ("tool", types.Tool),
    "prompts": ("prompt", types.Prompt),
    "resources": ("resource", types.Resource),
    "resourceTemplates": ("template of resources", types.ResourceTemplate),
}
NO_TYPE = 'has arguments whose schema is not of the type "object"'


class SiftedStream:
    """Implements `ReadStream`: what comes in, without what is broken in lists, which `problems` tell."""

    def __init__(self, stream: ReadStream[SessionMessage | Exception], problems: list[str]) -> None:
        self._stream = stream
        self._problems = problems

    @property
    def last_context(self) -> Any:
        """The context that the last message came in, where the transport knows one."""
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        """**Returns** the next message."""
        return self._sifted(await self._stream.receive())

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()

    def __aiter__(self) -> "SiftedStream":
        """Read all messages."""
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        """**Returns** the next message."""
        return self._sifted(await self._stream.__anext__())

    async def __aenter__(self) -> "SiftedStream":
        """Open the stream."""
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> bool | None:
        """Close the stream."""
        return await self._stream.__aexit__(exc_type, exc_val, exc_tb)

    def _sifted(self, came: SessionMessage | Exception) -> SessionMessage | Exception:
        if isinstance(came, SessionMessage) and isinstance(came.message, types.JSONRPCResponse):
            result = came.message.result
            for name in KINDS.keys() & result.keys():
                if is_list(rows := result[name]) and "content" not in result:
                    result[name] = list(self._good(name, rows[:MOST_SIFTED]))
        return came

    def _good(self, name: str, rows: list[Any]) -> Iterator[object]:
        kind, model = KINDS[name]
        for row in rows:
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
    schema = tool.get("inputSchema")
    if not is_object(schema) or schema.get("type") != "object":
        return NO_TYPE
    for name in ("inputSchema", "outputSchema"):
        if is_object(found := tool.get(name)):
            try:
                Draft202012Validator.check_schema(found)
            except SchemaError as error:
                return f"has a broken schema: {' '.join(error.message.split())[:120]}"
            except RecursionError:
                return "has a schema that is too deep"
    return ""
