"""The order of the rooms: the one place that names them all.

The first is asked first at the gates and is outermost in the wrappers. What guards calls (keys, permissions,
checkpoints) stands before the rooms that bring tools, so that it holds for those that arrive as well.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agls.engine.note_items import NoteTable
from agls.features import (
    ask,
    attachments,
    audit,
    budget,
    checkpoints,
    client_tools,
    compaction,
    continuation,
    critic,
    deadline,
    delivery,
    doctor,
    families,
    files,
    follow_along,
    guards,
    history,
    instructions,
    lean,
    mentions,
    output_schema,
    outputs,
    permissions,
    phases,
    plan,
    recovery,
    redaction,
    review,
    scratchpad,
    search,
    shell,
    subagents,
    usage,
)
from agls.room import Arrivals, Room

PLUGINS = Arrivals("plugins")
MCP = Arrivals("mcp")

ORDER: tuple[Room[Any] | Arrivals, ...] = (
    outputs.ROOM,
    redaction.ROOM,
    delivery.ROOM,
    deadline.ROOM,
    critic.ROOM,
    guards.ROOM,
    budget.ROOM,
    instructions.ROOM,
    continuation.ROOM,
    phases.ROOM,
    compaction.ROOM,
    permissions.ROOM,
    checkpoints.ROOM,
    review.ROOM,
    usage.ROOM,
    audit.ROOM,
    doctor.ROOM,
    scratchpad.ROOM,
    files.ROOM,
    search.ROOM,
    shell.ROOM,
    ask.ROOM,
    plan.ROOM,
    follow_along.ROOM,
    subagents.ROOM,
    mentions.ROOM,
    PLUGINS,
    MCP,
    output_schema.ROOM,
    attachments.ROOM,
    recovery.ROOM,
    history.ROOM,
    client_tools.ROOM,
    families.ROOM,
    lean.ROOM,
)
ROOMS: tuple[Room[Any], ...] = tuple(each for each in ORDER if isinstance(each, Room))

NOTES: NoteTable = {(room.name, kind): row for room in ROOMS for kind, row in room.notes.items()}
"""What the notes of rooms show."""


def in_order(arrived: Mapping[Arrivals, Sequence[Room[Any]]]) -> Iterator[Room[Any]]:
    """**Returns** all rooms, with those that arrived at their place."""
    for each in ORDER:
        if isinstance(each, Room):
            yield each
        else:
            yield from arrived.get(each, ())
