"""Families: the tools that a model is offered and the advice on them, by its training."""

from agls.features.families.settings import Settings
from agls.room import Room, build_of
from agls.room.exposed import ModelAdvice
from agls.room.run_ports import RunInfo

__all__ = ["ROOM"]

ROOM = Room("families", Settings, build_of(__name__), needs=(RunInfo,), exposes=(ModelAdvice,))
