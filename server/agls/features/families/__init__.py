"""Families: which tools a model is offered and what it is told of them, by what it was trained with."""

from agls.features.families.feature import build
from agls.features.families.settings import Settings
from agls.room import Room
from agls.room.ports import RunInfo

__all__ = ["ROOM"]

ROOM = Room("families", Settings, build, needs=(RunInfo,))
