"""Answers that break the schema which their tool gives for them: shown all the same, with a remark.

The check of the SDK has no limit: a pattern that runs away, or parts that refer to each other often enough,
would stop the whole process. This one counts its steps, beside the event loop, and applies no patterns.
"""

import asyncio
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import mcp_types as types
from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import ValidationError
from mcp.client.session import ClientSession
from referencing.exceptions import Unresolvable
from referencing.jsonschema import EMPTY_REGISTRY

from agls.engine.vocabulary import JsonObject
from agls.json_values import is_list, is_object

MOST_STEPS = 50_000  # of one check: what has more is not checked to its end
DOES_NOT_FIT = "its structured answer does not fit its own schema"
MISSING = "its answer has no structured content, which its own schema asks for"
UNUSABLE = "its own schema for answers cannot be applied: {}"
TOO_DEEP = "it refers to itself, or is too deep"
ELSEWHERE = "it refers to what is not in it"
PATTERNS = {"pattern", "patternProperties"}
OF_THE_OTHERS = {"additionalProperties", "unevaluatedProperties"}  # than those of `patternProperties`
NOTHING = frozenset[str]()
UNREAD = {"const", "default", "enum", "examples"}  # values, no schemas
NAMED = {"properties", "$defs", "definitions", "dependentSchemas"}  # schemas by names of somebody's

_REMARKS: ContextVar[list[str] | None] = ContextVar("mcp_remarks", default=None)
_LEFT: ContextVar[list[int]] = ContextVar("mcp_steps")
Keyword = Callable[[Any, Any, Any, Any], Iterator[ValidationError] | None]


class _TooMuch(Exception):
    """A check takes more steps than it may."""


@contextmanager
def remarks_on_answers() -> Generator[list[str]]:
    """Collect for the block what is wrong with answers."""
    remarks: list[str] = []
    token = _REMARKS.set(remarks)
    try:
        yield remarks
    finally:
        _REMARKS.reset(token)


def let_through(session: ClientSession, schemas: Mapping[str, JsonObject]) -> None:
    """Let answers through that the session would refuse for their tool's schema: what was done is done."""

    async def examined(name: str, result: types.CallToolResult) -> None:
        schema, remarks = schemas.get(name), _REMARKS.get()
        if schema is None or remarks is None:
            return
        if "structured_content" not in result.model_fields_set:
            remarks.append(MISSING)
        elif remark := await asyncio.to_thread(_remark, result.structured_content, schema):
            remarks.append(remark)

    session.validate_tool_result = examined


def _remark(value: object, schema: JsonObject) -> str:
    """**Returns** what is wrong with an answer, "" for nothing."""
    token = _LEFT.set([MOST_STEPS])
    try:
        checks = _Counting(_without_patterns(schema), registry=EMPTY_REGISTRY)
        return "" if next(checks.iter_errors(value), None) is None else DOES_NOT_FIT
    except _TooMuch:
        return ""
    except RecursionError:
        return UNUSABLE.format(TOO_DEEP)
    except Unresolvable:
        return UNUSABLE.format(ELSEWHERE)
    finally:
        _LEFT.reset(token)


def _counted(name: str, keyword: Keyword) -> Keyword:
    """**Returns** a keyword of schemas whose use counts as steps."""

    def use(checks: Any, wanted: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
        size = _size(value)
        left = _LEFT.get()
        left[0] -= 1 + _size(wanted)
        left[0] -= size * size if name == "uniqueItems" else size
        if left[0] < 0:
            raise _TooMuch
        yield from keyword(checks, wanted, value, schema) or ()

    return use


def _size(value: object) -> int:
    return len(value) if is_list(value) or is_object(value) else 0


def _without_patterns(schema: object) -> Any:
    if is_list(schema):
        return [_without_patterns(each) for each in schema]
    if not is_object(schema):
        return schema
    others = OF_THE_OTHERS if "patternProperties" in schema else NOTHING
    left_out = PATTERNS | {"$schema"} | others
    made: JsonObject = {}
    for key, value in schema.items():
        if key in NAMED and is_object(value):
            made[key] = {name: _without_patterns(each) for name, each in value.items()}
        elif key not in left_out:
            made[key] = value if key in UNREAD else _without_patterns(value)
    return made


_extend: Callable[..., Any] = vars(validators)["extend"]  # whose types are not whole
_KEYWORDS: Mapping[str, Keyword] = Draft202012Validator.VALIDATORS
_Counting: Any = _extend(
    Draft202012Validator, {name: _counted(name, keyword) for name, keyword in _KEYWORDS.items()}
)
