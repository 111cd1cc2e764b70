"""Schemas of tools as every provider takes them: an object at the root, and no alternatives beside it.

OpenAI and Anthropic refuse a whole request for one tool whose schema has `anyOf`, `oneOf`, `allOf` or `$ref`
at its root. The flat schema allows what any alternative allows; the tool itself still checks its own, and
tells the model what is wrong.
"""

from collections.abc import Sequence
from typing import Any, cast

from agls.engine.vocabulary import JsonObject
from agls.models.values import object_in, objects_in

ALTERNATIVES = ("anyOf", "oneOf")
REFUSED = frozenset({*ALTERNATIVES, "allOf", "$ref", "not", "enum", "const", "if", "then", "else"})
DEEPEST = 8  # references and alternatives, one in the other


def flat(schema: JsonObject) -> JsonObject:
    """The same schema, or where providers would refuse it one with everything in its root."""
    if schema.get("type") == "object" and not REFUSED & schema.keys():
        return schema
    members, needed = _object_of(schema, schema, DEEPEST)
    kept = {key: value for key, value in schema.items() if key not in REFUSED}
    made = {**kept, "type": "object", "properties": members}
    return {**made, "required": needed} if needed else {k: v for k, v in made.items() if k != "required"}


def _object_of(part: JsonObject, root: JsonObject, deep: int) -> tuple[JsonObject, list[str]]:
    """The members that an object of this schema may have, and those that it must have."""
    members, needed = dict(object_in(part.get("properties"))), _names(part.get("required"))
    if not deep:
        return members, needed
    target = _target(part.get("$ref"), root)
    for always in [*([target] if target else []), *objects_in(part.get("allOf"))]:
        more, also = _object_of(always, root, deep - 1)
        members = _joined(members, more)
        needed += [name for name in also if name not in needed]
    for key in ALTERNATIVES:
        found = [_object_of(one, root, deep - 1) for one in objects_in(part.get(key))]
        for more, _ in found:
            members = _joined(members, more)
        common = [name for name in found[0][1] if all(name in also for _, also in found)] if found else []
        needed += [name for name in common if name not in needed]
    return members, needed


def _joined(members: JsonObject, more: JsonObject) -> JsonObject:
    """All members; one that two alternatives describe differently may be as either says."""
    joined = dict(members)
    for name, schema in more.items():
        known = joined.get(name, schema)
        either = [*objects_in(object_in(known).get("anyOf"))] or [known]
        joined[name] = known if schema in (known, *either) else {"anyOf": [*either, schema]}
    return joined


def _target(reference: object, root: JsonObject) -> JsonObject:
    """What a reference within the schema (`#/$defs/…`) means, {} when it leads nowhere."""
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return {}
    found: object = root
    for name in reference.removeprefix("#/").split("/"):
        found = object_in(found).get(name.replace("~1", "/").replace("~0", "~"))
    return object_in(found)


def _names(required: object) -> list[str]:
    names = cast("Sequence[Any]", required) if isinstance(required, list) else ()
    return [name for name in names if isinstance(name, str)]
