"""From the text of an answer to the value that fits the schema, or to what is wrong with it."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import Draft202012Validator, validator_for
from referencing.exceptions import Unresolvable
from referencing.jsonschema import EMPTY_REGISTRY

from agls.engine.vocabulary import JsonObject
from agls.short_text import cut

FENCE = "```"
SHOWN = 5  # problems
LONGEST = 200  # characters of a problem


def check_schema(schema: JsonObject) -> None:
    """Check the JSON Schema. **Raises** `ValueError` when it is none, or one that cannot be applied."""
    validator = _validator(schema)
    try:
        validator.check_schema(schema)
    except SchemaError as error:
        raise ValueError(f"outputSchema is not a JSON Schema: {_shown(error)}") from None
    for probe in ("{}", "[]", '""', "0", "null"):
        problems_of(json.loads(probe), schema)


def fitting(text: str, schema: JsonObject) -> Any:
    """Return the value in the text, when it fits the schema."""
    if not text.strip():
        raise ValueError("it is empty")
    try:
        value = json.loads(_unfenced(text.strip()), parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"it is not JSON ({error})") from None
    if problems := problems_of(value, schema):
        raise ValueError("; ".join(problems))
    return value


def _unfenced(text: str) -> str:
    """Return the text between the fences of a Markdown block, or the whole text when it is none."""
    first, _, rest = text.partition("\n")
    inside, end, last = rest.rpartition("\n")
    is_block = first.strip().lower() in {FENCE, f"{FENCE}json"} and end and last.strip() == FENCE
    return inside if is_block else text


def problems_of(value: object, schema: JsonObject) -> list[str]:
    """Return where the value does not fit, the first few.

    **Raises** `ValueError` when the schema cannot be applied.
    """
    errors: Iterator[ValidationError] = _validator(schema)(schema, registry=EMPTY_REGISTRY).iter_errors(value)
    try:
        return [_shown(error) for error, _ in zip(errors, range(SHOWN), strict=False)]
    except Unresolvable as error:
        raise ValueError(f"outputSchema refers to what is not in it: {error}") from None
    except RecursionError:
        raise ValueError("outputSchema cannot be applied: it is nested too deeply") from None


def _validator(schema: JsonObject) -> Any:
    """Return the validator of the draft that the schema names; nothing is ever fetched."""
    choose: Callable[..., Any] = validator_for
    return choose(schema, default=Draft202012Validator)


def _shown(error: ValidationError | SchemaError) -> str:
    place = "/".join(str(step) for step in error.absolute_path)
    message = cut(error.message, LONGEST)
    return f"at {place}: {message}" if place else message


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
