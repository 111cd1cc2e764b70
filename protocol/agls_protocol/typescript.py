"""The schema as TypeScript: one interface per type, and maps from every name to what it carries."""

from typing import Any

JsonObject = dict[str, Any]
HEAD = """\
// Generated from the protocol's schema (`python protocol/generate.py`): do not edit.
// Strings that name a kind are open, and unknown members are ignored (protocol/README.md).
"""
TAIL = """\
/** An event together with the data of its type. */
export type AgentEvent = {
  [T in keyof Events]: Omit<Event, "type" | "data"> & { type: T; data: Events[T] };
}[keyof Events];
"""
PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def typescript(schema: JsonObject) -> str:
    """The whole file."""
    parts = [HEAD, f"export const PROTOCOL_VERSION = {schema['version']};\n"]
    parts += [_definition(name, body) for name, body in schema["$defs"].items()]
    parts += [_methods(schema["methods"]), _events(schema["events"]), TAIL, _errors(schema["errors"])]
    return "\n".join(parts)


def _definition(name: str, body: JsonObject) -> str:
    if "properties" not in body and body.get("type") != "object":
        return f"export type {name} = {_type(body)};\n"
    required = body.get("required", [])
    members = [
        f"  {member}{'' if member in required else '?'}: {_type(kind)};"
        for member, kind in body["properties"].items()
    ]
    return "\n".join([f"/** {body['description']} */", f"export interface {name} {{", *members, "}\n"])


def _type(kind: JsonObject) -> str:
    if "$ref" in kind:
        return kind["$ref"].rpartition("/")[2]
    if "anyOf" in kind:
        return " | ".join(_type(part) for part in kind["anyOf"])
    if "enum" in kind:
        return " | ".join(f'"{value}"' for value in kind["enum"])
    if kind.get("type") == "array":
        inner = _type(kind["items"])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if kind.get("type") == "object":
        return "Record<string, unknown>"
    return PLAIN.get(kind.get("type", ""), "unknown")


def _methods(methods: JsonObject) -> str:
    lines = ["/** Every method: who sends it, with what, and what comes back (never, for notifications). */"]
    lines += ["export interface Methods {"]
    for name, method in methods.items():
        result = _type(method["result"]) if "result" in method else "never"
        carried = f'params: {_type(method["params"])}; result: {result}; direction: "{method["direction"]}"'
        lines.append(f'  "{name}": {{ {carried} }};')
    return "\n".join([*lines, "}\n"])


def _events(events: JsonObject) -> str:
    members = [f"  {name}: {_type(data)};" for name, data in events.items()]
    return "\n".join(["/** The `data` of every event. */", "export interface Events {", *members, "}\n"])


def _errors(errors: list[JsonObject]) -> str:
    rows: list[str] = []
    for error in errors:
        again = str(error["retryable"]).lower()
        rows.append(f'  {{ code: {error["code"]}, kind: "{error["kind"]}", retryable: {again} }},')
    return "\n".join(["/** Every error. */", "export const ERRORS = [", *rows, "] as const;\n"])
