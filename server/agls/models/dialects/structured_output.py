"""Structured output: answers that follow a JSON Schema."""

import re
from typing import Any, cast

from agls.engine.vocabulary import JsonObject
from agls.json_values import list_in, object_in
from agls.regex import regex

NAME = "answer"  # what OpenAI's dialects call the schema
REFUSED = regex(  # the words of servers that cannot be held to a schema
    r"response.?format|json.?(schema|mode)|structured|output_(config|format)|response.?(json.?)?schema"
    r"|response.?mime.?type|grammar|\bformat\b",
    re.IGNORECASE,
)
MANY = ("properties", "$defs", "definitions")  # keywords that hold schemas by name
SOME = ("items", "additionalProperties", "anyOf", "oneOf", "allOf", "prefixItems", "not")


def is_closed(schema: object) -> bool:
    """Return whether every object in the schema lists and requires all its members, as `strict` needs."""
    if isinstance(schema, list):
        return all(is_closed(part) for part in cast("list[Any]", schema))
    part = object_in(schema)
    members = object_in(part.get("properties"))
    is_object = bool(members) or part.get("type") == "object"
    if is_object and not (part.get("additionalProperties") is False and _needed(part) == set(members)):
        return False
    inner = [value for key in MANY for value in object_in(part.get(key)).values()]
    return all(is_closed(value) for value in [*inner, *(part[key] for key in SOME if key in part)])


def _needed(schema: JsonObject) -> set[str]:
    return set(list_in(schema.get("required")))
