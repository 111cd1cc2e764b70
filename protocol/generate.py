"""Writes what is generated from the types; with `--check` it only says whether that is fresh.

The schema is JSON Schema 2020-12: one definition per type, and under `methods`, `events` and `hello` what
each carries. Objects are open, because unknown members are ignored both ways. From the schema
come the names (`meta.json`), the types of the VS Code client, and the annotations of the Neovim client.
"""

import json
import sys
import types
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from agls_protocol import PROTOCOL_VERSION, SCHEMA_REVISION, events, hello, methods
from agls_protocol.errors import ERRORS, ErrorData
from agls_protocol.events import DURABLE, EVENTS
from agls_protocol.hello import ClientBlock, ServerBlock
from agls_protocol.items import Content, Item
from agls_protocol.luacats import luacats
from agls_protocol.members import Member, has_members, members
from agls_protocol.methods import METHODS
from agls_protocol.names import meta
from agls_protocol.typescript import typescript

ROOT = Path(__file__).parents[1]
NAMED = {Item: "Item", Content: "Content"}  # the unions that have a name of their own
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
        if kind in NAMED:
            return self._union(kind)
        if origin in {Union, types.UnionType}:
            return {"anyOf": [self.of(part) for part in get_args(kind) if part is not type(None)]}
        if origin is Literal:
            return {"enum": list(get_args(kind))}
        if origin is list:
            return {"type": "array", "items": self.of(get_args(kind)[0])}
        return self._named(kind)

    def _union(self, kind: Any) -> JsonObject:
        self.definitions.setdefault(NAMED[kind], {"anyOf": [self.of(part) for part in get_args(kind)]})
        return {"$ref": f"#/$defs/{NAMED[kind]}"}

    def _named(self, kind: Any) -> JsonObject:
        if has_members(kind):
            return self._reference(kind)
        return {"type": PRIMITIVES.get(kind, "object")}

    def _reference(self, kind: Any) -> JsonObject:
        name: str = kind.__name__
        if name not in self.definitions:
            self.definitions[name] = {}  # so that a type may contain itself
            self.definitions[name] = self._object(kind)
        return {"$ref": f"#/$defs/{name}"}

    def _object(self, kind: Any) -> JsonObject:
        required = [member.name for member in members(kind) if member.required]
        return {
            "type": "object",
            "description": " ".join((kind.__doc__ or "").split()),
            "properties": {member.name: self._member(member) for member in members(kind)},
            **({"required": required} if required else {}),
        }

    def _member(self, member: Member) -> JsonObject:
        parts = [part for part in get_args(member.type) if part is not NoneType]
        optional = NoneType in get_args(member.type) and len(parts) == 1
        schema = self.of(parts[0] if optional else member.type)
        return {"anyOf": [schema, {"type": "null"}]} if member.nullable else schema


def generate() -> str:
    """The schema."""
    schema = Schema()
    exchanged: dict[str, JsonObject] = {}
    for name, method in METHODS.items():
        exchanged[name] = {"direction": method.direction, "params": schema.of(method.params)}
        if method.result is not None:
            exchanged[name]["result"] = schema.of(method.result)
    told = {name: schema.of(data) for name, data in EVENTS.items()}
    schema.of(ErrorData)
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"The agls protocol, version {PROTOCOL_VERSION}",
        "version": PROTOCOL_VERSION,
        "revision": SCHEMA_REVISION,
        "methods": exchanged,
        "events": told,
        "facts": sorted(DURABLE),
        "reserved": {
            "methods": sorted(methods.RESERVED),
            "events": sorted(events.RESERVED),
            "client": sorted(hello.RESERVED),
        },
        "hello": {"client": schema.of(ClientBlock), "server": schema.of(ServerBlock)},
        "errors": [vars(error) for error in ERRORS],
        "$defs": dict(sorted(schema.definitions.items())),
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def files() -> dict[str, str]:
    """Everything that is generated, by its place in the project."""
    schema = generate()
    document = json.loads(schema)
    return {
        "protocol/agls_protocol/schema.json": schema,
        "protocol/agls_protocol/meta.json": meta(schema),
        "clients/vscode/src/protocol.gen.ts": typescript(document),
        "clients/neovim/lua/agls/protocol_gen.lua": luacats(document),
    }


def main(arguments: list[str], root: Path = ROOT) -> int:
    """Write the files, or check them. Gives the exit code."""
    stale = {name: text for name, text in files().items() if not _is(root / name, text)}
    if "--check" in arguments:
        for name in stale:
            print(f"{name} is stale: run .venv/bin/python protocol/generate.py", file=sys.stderr)
        return 1 if stale else 0
    for name, text in stale.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return 0


def _is(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
