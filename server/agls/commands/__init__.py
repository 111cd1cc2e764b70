"""Commands as people type them: `/name words`, understood by the schema of the action that they name."""

from agls.commands.typed import (
    FIRST,
    Slot,
    TypedCommand,
    command_in,
    input_of,
    member_schema,
    named,
    near_names,
    quoted,
    raw_member,
    shorthand_in,
    slash,
    slot_at,
    unescaped,
    unknown_command,
    usage,
    values_of,
)
from agls.commands.values import CommandError

__all__ = [
    "FIRST",
    "CommandError",
    "Slot",
    "TypedCommand",
    "command_in",
    "input_of",
    "member_schema",
    "named",
    "near_names",
    "quoted",
    "raw_member",
    "shorthand_in",
    "slash",
    "slot_at",
    "unescaped",
    "unknown_command",
    "usage",
    "values_of",
]
