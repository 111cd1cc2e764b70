"""What is wrong with values that somebody wrote, such as arguments of a call: one line for each fault."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from agls.engine.vocabulary import JsonObject
from agls.short_text import cut, number_of

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

SHOWN = 10  # faults that are reported at once
LONGEST = 80  # characters of a wrong value
SHOULD = "Input should be "
KINDS: Mapping[str, str] = {  # how a type of pydantic's is written
    "string": "a text",
    "float": "a number",
    "int": "a whole number",
    "bool": "true or false",
    "tuple": "a list",
    "list": "a list",
    "set": "a list",
    "dict": "an object",
    "mapping": "an object",
    "model": "an object",
}
GROUPS: Mapping[str, str] = {  # what holds others, by the type of its fault
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
}


def faults_in(name: str, schema: JsonObject, error: "ValidationError") -> str:
    """Return the faults: the path of each member, what was expected, and what came."""
    found = error.errors(include_url=False)
    empty = [each for each in found if each["type"] == "too_short" and _is_of_its_items(each, found)]
    lines = [_fault(schema, detail) for detail in found if detail not in empty][:SHOWN]
    return "\n".join([f"{name} was not run, its arguments are wrong:", *lines])


def plain_fault(error: "ValidationError", names: Mapping[str, str] | None = None) -> str:
    """Return the first fault in plain words; `names` are the keys as their author writes them, by ours."""
    first = error.errors(include_url=False)[0]
    key, *inside = map(str, first["loc"]) if first["loc"] else ("",)
    where = ".".join([(names or {}).get(key, key), *inside])
    if first["type"] == "value_error":
        said = first["msg"].removeprefix("Value error, ")
        return f"{where}: {said}" if where else said
    came = cut(json.dumps(first["input"], ensure_ascii=False, default=repr), LONGEST)
    if wanted := KINDS.get(first["type"].partition("_")[0]) if _is_of_type(first["type"]) else None:
        return f"its {where} is {came}: write {wanted}"
    if first["type"] == "extra_forbidden":
        return f"there is no {where} here: leave it out"
    said = first["msg"].replace(SHOULD, "it has to be ")
    return f"its {where} is {came}: {said[0].lower()}{said[1:]}"


def _is_of_type(kind: str) -> bool:
    return kind.endswith(("_type", "_parsing", "_from_float"))


def _is_of_its_items(detail: "ErrorDetails", found: "Sequence[ErrorDetails]") -> bool:
    """Return whether a list is only too short because what is in it is wrong, which has its own line."""
    place = detail["loc"]
    return any(len(each["loc"]) > len(place) and each["loc"][: len(place)] == place for each in found)


def _fault(schema: JsonObject, detail: "ErrorDetails") -> str:
    where = ".".join(map(str, detail["loc"])) or "arguments"
    if detail["type"] == "missing":
        return f"- {where}: is required{_type_of(_member(schema, detail['loc']))}"
    if detail["type"] == "extra_forbidden":
        known = ", ".join(_member(schema, detail["loc"][:-1]).get("properties", {}))
        return f"- {where}: there is no such argument ({f'there are: {known}' if known else 'it takes none'})"
    came = cut(json.dumps(detail["input"], ensure_ascii=False, default=repr), LONGEST)
    return f"- {where}: {_wanted(detail)}, got {came}"


def _wanted(detail: "ErrorDetails") -> str:
    """Return what the check of a value says, as what was expected."""
    if detail["type"] in GROUPS:
        is_text = isinstance(detail["input"], str) and detail["input"].lstrip().startswith(("[", "{"))
        return f"expected {GROUPS[detail['type']]}{' itself, not a text that is one' if is_text else ''}"
    if detail["type"] == "too_short":
        return f"expected at least {number_of(detail.get('ctx', {}).get('min_length', 1), 'item')}"
    said = detail["msg"].partition(", unable to parse")[0].removeprefix("Value error, ")
    return f"expected {said.removeprefix(SHOULD)}" if said.startswith(SHOULD) else said


def _member(schema: JsonObject, path: Sequence[int | str]) -> JsonObject:
    """Return the schema of the member at this path, empty where there is none."""
    for part in path:
        inner: JsonObject = schema.get("properties", {}).get(part, {})
        schema = schema.get("items", {}) if isinstance(part, int) else inner
    return schema


def _type_of(schema: JsonObject) -> str:
    """Return what a member may be, in brackets; "" where the schema does not say it."""
    choices = [json.dumps(choice, ensure_ascii=False) for choice in schema.get("enum", ())]
    said = " or ".join(choices) or str(schema.get("type", ""))
    return f" ({said})" if said else ""
