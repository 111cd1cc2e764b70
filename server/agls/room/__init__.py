"""How a room declares itself, and the ports that it may ask for."""

from agls.room.declaration import (
    Arrivals,
    Build,
    Completion,
    Completions,
    NoSettings,
    Piece,
    Room,
    RunOption,
    Table,
    Typing,
)

__all__ = [
    "Arrivals",
    "Build",
    "Completion",
    "Completions",
    "NoSettings",
    "Piece",
    "Room",
    "RunOption",
    "Table",
    "Typing",
]
