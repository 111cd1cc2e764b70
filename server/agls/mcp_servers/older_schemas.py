"""Schemas in the spelling of older drafts, as the draft that models and checks know has them."""

import re

from agls.engine.vocabulary import JsonObject
from agls.json_values import is_list, is_object

LIMITS = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
UNREAD = {"const", "default", "enum", "example", "examples"}  # values, no schemas


def newer(schema: JsonObject) -> JsonObject:
    """**Returns** a schema as draft 2020-12 writes it, without patterns that Python cannot read."""
    made = {key: value if key in UNREAD else _newer(value) for key, value in schema.items()}
    if is_list(items := made.get("items")):
        rest = made.pop("additionalItems", None)
        del made["items"]
        made |= {"prefixItems": items} | ({} if rest is None else {"items": rest})
    for exclusive, limit in LIMITS.items():
        if isinstance(is_exclusive := made.get(exclusive), bool):
            del made[exclusive]
            if is_exclusive and limit in made:
                made[exclusive] = made.pop(limit)
    if isinstance(pattern := made.get("pattern"), str) and not _can_be_read(pattern):
        del made["pattern"]
    for key in [key for key in ("properties", "required") if key in made and made[key] is None]:
        del made[key]
    if isinstance(made.get("$schema"), str):
        del made["$schema"]
    return made


def _newer(value: object) -> object:
    if is_object(value):
        return newer(value)
    return [_newer(each) for each in value] if is_list(value) else value


def _can_be_read(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return False
    return True
