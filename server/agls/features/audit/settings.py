"""The `[audit]` section of the configuration."""

from typing import Annotated

from pydantic import Field

from agls.room import Table


class Settings(Table):
    """Whether the records of ended runs are also written to `audit/audit.jsonl` in the state folder.

    Each line has the SHA-256 of the one before it, so that a change shows (`agls sessions verify`). A file
    that has `max_bytes` is put aside, the latest `keep` of them stay. With `tool` the model may ask
    how its own run stands.
    """

    file: bool = False
    max_bytes: Annotated[int, Field(ge=10_000)] = 10_000_000
    keep: Annotated[int, Field(ge=1, le=100)] = 5
    tool: bool = False
