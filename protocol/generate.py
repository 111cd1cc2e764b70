"""Writes `aglet_protocol/schema.json` from the types; with `--check` it only says whether it is fresh.

The schema is JSON Schema 2020-12: one definition per type, and under `methods` and `events` what each
carries. Objects are open, because unknown members are ignored both ways (protocol 4.3).
"""

import json
import sys
import types
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import attrs

from aglet_protocol import PROTOCOL_VERSION
from aglet_protocol.converter import camel
from aglet_protocol.events import EVENTS
from aglet_protocol.methods import METHODS

OUTPUT = Path(__file__).parent / "aglet_protocol" / "schema.json"
PRIMITIVES = {str: "string", int: "integer", float: "number", bool: "boolean"}
JsonObject = dict[str, Any]


class Schema:
    """Collects the definitions of all types that are asked for."""

    def __init__(self) -> None:
        self.definitions: dict[str, JsonObject] = {}

    def of(self, kind: Any) -> JsonObject:
        """The schema of a type."""
        origin = get_origin(kind)
        if kind is Any:
            return {}
        if origin is Annotated:
            return self.of(get_args(kind)[1])
        if origin in {Union, types.UnionType}:
            return {"anyOf": [self.of(part) for part in get_args(kind) if part is not type(None)]}
        if origin is Literal:
            return {"enum": list(get_args(kind))}
        if origin is list:
            return {"type": "array", "items": self.of(get_args(kind)[0])}
        return self._named(kind)

    def _named(self, kind: Any) -> JsonObject:
        if attrs.has(kind):
            return self._reference(kind)
        return {"type": PRIMITIVES.get(kind, "object")}

    def _reference(self, kind: Any) -> JsonObject:
        name: str = kind.__name__
        if name not in self.definitions:
            self.definitions[name] = {}  # so that a type may contain itself
            self.definitions[name] = self._object(kind)
        return {"$ref": f"#/$defs/{name}"}

    def _object(self, kind: Any) -> JsonObject:
        hints = get_type_hints(kind, include_extras=True)
        fields = attrs.fields(kind)
        required = [camel(field.name) for field in fields if _required(field, hints[field.name])]
        return {
            "type": "object",
            "description": " ".join((kind.__doc__ or "").split()),
            "properties": {camel(field.name): self._member(field, hints[field.name]) for field in fields},
            **({"required": required} if required else {}),
        }

    def _member(self, field: Any, kind: Any) -> JsonObject:
        parts = [part for part in get_args(kind) if part is not type(None)]
        nullable = type(None) in get_args(kind)
        schema = self.of(parts[0]) if nullable and len(parts) == 1 else self.of(kind)
        return (
            {"anyOf": [schema, {"type": "null"}]} if nullable and field.default is attrs.NOTHING else schema
        )


def _required(field: Any, kind: Any) -> bool:
    """Members without a default, and the ones that say which kind of thing this is."""
    return field.default is attrs.NOTHING or get_origin(kind) is Literal


def generate() -> str:
    """The whole document."""
    schema = Schema()
    methods: dict[str, JsonObject] = {}
    for name, method in METHODS.items():
        methods[name] = {"direction": method.direction, "params": schema.of(method.params)}
        if method.result is not None:
            methods[name]["result"] = schema.of(method.result)
    events = {name: schema.of(data) for name, data in EVENTS.items()}
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"The aglet protocol, version {PROTOCOL_VERSION}",
        "version": PROTOCOL_VERSION,
        "methods": methods,
        "events": events,
        "$defs": dict(sorted(schema.definitions.items())),
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    """Write the schema, or check it. Gives the exit code."""
    fresh = generate()
    if "--check" not in arguments:
        OUTPUT.write_text(fresh, encoding="utf-8")
        return 0
    if OUTPUT.exists() and OUTPUT.read_text(encoding="utf-8") == fresh:
        return 0
    print(f"{OUTPUT.name} is stale: run `python protocol/generate.py`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
