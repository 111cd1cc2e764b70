"""The order of the rooms: the one place that names them all.

The first is asked first at the gates and is outermost in the wrappers. What guards calls (keys, permissions,
checkpoints) stands before the rooms that bring tools, so that it holds for those that arrive as well.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from agls.engine.note_items import NoteTable
from agls.features import (
    accounts,
    agents,
    ask,
    attachments,
    audit,
    budget,
    checkpoints,
    client_tools,
    code_intelligence,
    commands,
    compaction,
    continuation,
    conversation,
    critic,
    deadline,
    delivery,
    doctor,
    environment,
    families,
    files,
    follow_along,
    guards,
    guide,
    history,
    hooks,
    inline_edit,
    instructions,
    lean,
    mcp,
    memory,
    mentions,
    output_schema,
    outputs,
    permissions,
    phases,
    plan,
    plugins,
    policy,
    recovery,
    redaction,
    repository,
    review,
    sampling,
    sandbox,
    scoped_instructions,
    scratchpad,
    search,
    settings,
    shell,
    side_question,
    skills,
    subagents,
    timed_prompts,
    tools,
    usage,
    web,
    worktrees,
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
    plugins.ROOM,
    policy.ROOM,
    budget.ROOM,
    instructions.ROOM,
    environment.ROOM,
    continuation.ROOM,
    phases.ROOM,
    compaction.ROOM,
    tools.ROOM,
    hooks.ROOM,
    permissions.ROOM,
    sandbox.ROOM,
    scoped_instructions.ROOM,
    checkpoints.ROOM,
    review.ROOM,
    conversation.ROOM,
    worktrees.ROOM,
    side_question.ROOM,
    guide.ROOM,
    settings.ROOM,
    accounts.ROOM,
    usage.ROOM,
    audit.ROOM,
    doctor.ROOM,
    scratchpad.ROOM,
    files.ROOM,
    search.ROOM,
    code_intelligence.ROOM,
    shell.ROOM,
    repository.ROOM,
    web.ROOM,
    ask.ROOM,
    plan.ROOM,
    memory.ROOM,
    follow_along.ROOM,
    timed_prompts.ROOM,
    subagents.ROOM,
    agents.ROOM,
    mentions.ROOM,
    PLUGINS,
    mcp.ROOM,
    MCP,
    output_schema.ROOM,
    attachments.ROOM,
    recovery.ROOM,
    history.ROOM,
    client_tools.ROOM,
    families.ROOM,
    sampling.ROOM,
    lean.ROOM,
    skills.ROOM,
    commands.ROOM,
    inline_edit.ROOM,
)
ROOMS: tuple[Room[Any], ...] = tuple(each for each in ORDER if isinstance(each, Room))

TOOLS = frozenset(name for room in ROOMS for name in room.tools)
"""The names of all tools that rooms may offer."""

NOTES = NoteTable(
    {(room.name, kind): row for room in ROOMS for kind, row in room.notes.items()},
    {room.name: room.heading for room in ROOMS if room.heading},
)
"""What the notes and messages of rooms show."""

WORDS = {name: words for room in ROOMS for name, words in room.words.items()}
"""What the calls of tools are called for people."""


@cache
def exposing(port: type) -> Room[Any]:
    """**Returns** the room whose settings implement this protocol (`room/exposed.py`)."""
    return next(room for room in ROOMS if port in room.exposes)


def in_order(arrived: Mapping[Arrivals, Sequence[Room[Any]]]) -> Iterator[Room[Any]]:
    """**Returns** all rooms, with those that arrived at their place."""
    for each in ORDER:
        if isinstance(each, Room):
            yield each
        else:
            yield from arrived.get(each, ())
