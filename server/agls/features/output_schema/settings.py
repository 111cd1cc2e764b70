"""The `[output_schema]` section of the configuration, and the option of a run that holds the schema."""

import json
from collections.abc import Mapping
from typing import cast

from pydantic import NonNegativeInt

from agls.engine.vocabulary import JsonObject
from agls.room import Table
from agls.room.run_ports import OUTPUT_SCHEMA

OPTION = OUTPUT_SCHEMA
LARGEST = 65_536  # characters of a schema


class Settings(Table):
    """How often an answer that does not fit is sent back."""

    attempts: NonNegativeInt = 2


def schema_from(settings: Settings, options: Mapping[str, object]) -> JsonObject:
    """Return the schema that the options hold, {} when they hold none. **Raises** `ValueError`."""
    given = options.get(OPTION)
    if given is None:
        return {}
    if not isinstance(given, dict) or not given:
        raise ValueError(f"{OPTION} must be a JSON Schema: an object that is not empty")
    schema = cast("JsonObject", given)
    if len(json.dumps(schema)) > LARGEST:
        raise ValueError(f"{OPTION} may have at most {LARGEST} characters")
    from agls.features.output_schema.answers import check_schema  # noqa: PLC0415 - most runs have none

    check_schema(schema)
    return schema
