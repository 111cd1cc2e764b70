"""What the rooms make of what somebody types."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from agls.assembly.folder_texts import SessionTexts
from agls.assembly.needs import PORTS
from agls.assembly.services import RunServices
from agls.room import Completions, GivenText, Piece, Room, Typing


async def screen(rooms: Iterable[Room[Any]], run: RunServices, given: GivenText) -> Sequence[Piece]:
    """**Returns** what goes with a text that somebody gives. **Raises** `PromptRefused`."""
    found = [await room.screen(run.config.section(room), given, *_needs(room, run)) for room in rooms]
    return [piece for pieces in found for piece in pieces]


async def let_end(rooms: Iterable[Room[Any]], run: RunServices, reason: str) -> None:
    """Let the rooms do what they do at the end of a session."""
    for room in rooms:
        await room.at_end(run.config.section(room), reason, *_needs(room, run))


async def expand(rooms: Iterable[Room[Any]], run: RunServices, text: str) -> Sequence[Piece]:
    """**Returns** what a text means besides its words."""
    found = [await room.expand(run.config.section(room), text, *_needs(room, run)) for room in rooms]
    return [piece for pieces in found for piece in pieces]


async def complete(rooms: Iterable[Room[Any]], run: RunServices, typing: Typing) -> Completions:
    """**Returns** the ways to go on, room by room."""
    found = [await room.complete(run.config.section(room), typing, *_needs(room, run)) for room in rooms]
    items = [item for completions in found for item in completions.items]
    return Completions(items, any(completions.more for completions in found))


def withheld_file(rooms: Iterable[Room[Any]], run: RunServices, name: str) -> str:
    """**Returns** the file that makes a command of this name, in a folder that nobody trusts; else "".

    It is only looked whether there is one: nothing is opened.
    """
    if ".." in name:
        return ""
    files = [file for room in rooms for file in room.command_files(name)]
    places = (Path(root, file) for root in SessionTexts(run).folders.untrusted for file in files)
    return next((str(place) for place in places if _is_there(place)), "")


def _is_there(place: Path) -> bool:
    try:
        return place.is_file()
    except (OSError, ValueError):
        return False


def _needs(room: Room[Any], run: RunServices) -> Sequence[object]:
    return [PORTS[port](run) for port in room.needs]
