"""What the rooms make of what somebody types."""

from collections.abc import Iterable, Sequence
from typing import Any

from agls.assembly.needs import PORTS
from agls.assembly.services import RunServices
from agls.room import Completions, Piece, Room, Typing


async def expand(rooms: Iterable[Room[Any]], run: RunServices, text: str) -> Sequence[Piece]:
    """**Returns** what a text means besides its words."""
    found = [await room.expand(run.config.section(room), text, *_needs(room, run)) for room in rooms]
    return [piece for pieces in found for piece in pieces]


async def complete(rooms: Iterable[Room[Any]], run: RunServices, typing: Typing) -> Completions:
    """**Returns** the ways to go on, room by room."""
    found = [await room.complete(run.config.section(room), typing, *_needs(room, run)) for room in rooms]
    items = [item for completions in found for item in completions.items]
    return Completions(items, any(completions.more for completions in found))


def _needs(room: Room[Any], run: RunServices) -> Sequence[object]:
    return [PORTS[port](run) for port in room.needs]
