"""The schema as LuaCATS annotations, in a module that also holds the names a client compares with."""

from typing import Any

JsonObject = dict[str, Any]
HEAD = """\
-- Generated from the protocol's schema (`python protocol/generate.py`): do not edit.
-- Strings that name a kind are open, and unknown members are ignored (protocol/README.md).
"""
PLAIN = {"string": "string", "integer": "integer", "number": "number", "boolean": "boolean", "null": "nil"}


def luacats(schema: JsonObject) -> str:
    """The whole file."""
    parts = [HEAD]
    parts += [_definition(name, body) for name, body in schema["$defs"].items()]
    parts.append(_values(schema))
    return "\n".join(parts)


def _definition(name: str, body: JsonObject) -> str:
    if "properties" not in body and body.get("type") != "object":
        return f"---@alias agls.{name} {_type(body)}\n"
    required = body.get("required", [])
    fields = [
        f"---@field {member}{'' if member in required else '?'} {_type(kind)}"
        for member, kind in body["properties"].items()
    ]
    return "\n".join([f"---{body['description']}", f"---@class agls.{name}", *fields, ""])


def _type(kind: JsonObject) -> str:
    if "$ref" in kind:
        return f"agls.{kind['$ref'].rpartition('/')[2]}"
    if "anyOf" in kind:
        return "|".join(_type(part) for part in kind["anyOf"])
    if "enum" in kind:
        return "|".join(f'"{value}"' for value in kind["enum"])
    if kind.get("type") == "array":
        inner = _type(kind["items"])
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if kind.get("type") == "object":
        return "table<string, any>"
    return PLAIN.get(kind.get("type", ""), "any")


def _values(schema: JsonObject) -> str:
    lines = ["local M = {}", "", f"M.version = {schema['version']}", ""]
    lines += ["---Every method, and who sends it.", "M.methods = {"]
    lines += [f'  ["{name}"] = "{method["direction"]}",' for name, method in schema["methods"].items()]
    lines += ["}", "", "---Every type of event, and the class of its data.", "M.events = {"]
    lines += [f'  {name} = "{_type(data)}",' for name, data in schema["events"].items()]
    lines += ["}", "", "---Every error.", "M.errors = {"]
    for error in schema["errors"]:
        again = str(error["retryable"]).lower()
        lines.append(f'  {{ code = {error["code"]}, kind = "{error["kind"]}", retryable = {again} }},')
    return "\n".join([*lines, "}", "", "return M", ""])
