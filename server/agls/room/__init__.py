"""How a room declares itself, and the ports that it may ask for."""

from agls.room.declaration import (
    Arrivals,
    Build,
    CallWords,
    Completion,
    Completions,
    GivenText,
    NoSettings,
    Piece,
    PromptRefused,
    Room,
    RunOption,
    Table,
    Typing,
)
from agls.room.on_use import OnUse, build_of

__all__ = [
    "Arrivals",
    "Build",
    "CallWords",
    "Completion",
    "Completions",
    "GivenText",
    "NoSettings",
    "OnUse",
    "Piece",
    "PromptRefused",
    "Room",
    "RunOption",
    "Table",
    "Typing",
    "build_of",
]
