"""Tool schemas that every provider accepts: an object at the root, without alternatives beside it.

OpenAI and Anthropic refuse a whole request for one tool whose schema has `anyOf`, `oneOf`, `allOf` or `$ref`
at its root. The flat schema allows what any alternative allows; the tool itself checks its own schema, and
returns an error to the model.
"""

from agls.engine.vocabulary import JsonObject
from agls.json_values import list_in, object_in, objects_in

ALTERNATIVES = ("anyOf", "oneOf")
REFUSED = frozenset({*ALTERNATIVES, "allOf", "$ref", "not", "enum", "const", "if", "then", "else"})
DEEPEST = 8  # references and alternatives, one in the other


def flat(schema: JsonObject) -> JsonObject:
    """Return the schema, flattened into its root where providers would refuse it."""
    if schema.get("type") == "object" and not REFUSED & schema.keys():
        return schema
    members, needed = _object_of(schema, schema, DEEPEST)
    kept = {key: value for key, value in schema.items() if key not in REFUSED}
    made = {**kept, "type": "object", "properties": members}
    return {**made, "required": needed} if needed else {k: v for k, v in made.items() if k != "required"}


def _object_of(part: JsonObject, root: JsonObject, deep: int) -> tuple[JsonObject, list[str]]:
    """Return the allowed and the required members of an object of this schema."""
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
    """Return the members of all alternatives; different schemas of one member become `anyOf`."""
    joined = dict(members)
    for name, schema in more.items():
        known = joined.get(name, schema)
        either = [*objects_in(object_in(known).get("anyOf"))] or [known]
        joined[name] = known if schema in (known, *either) else {"anyOf": [*either, schema]}
    return joined


def _target(reference: object, root: JsonObject) -> JsonObject:
    """Resolve a reference within the schema (`#/$defs/…`); {} when it has no target."""
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return {}
    found: object = root
    for name in reference.removeprefix("#/").split("/"):
        found = object_in(found).get(name.replace("~1", "/").replace("~0", "~"))
    return object_in(found)


def _names(required: object) -> list[str]:
    return [name for name in list_in(required) if isinstance(name, str)]
