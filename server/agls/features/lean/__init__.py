"""Fewer tools with short descriptions, for models with a small context."""

from agls.features.lean.settings import Settings
from agls.room import Room, build_of
from agls.room.exposed import SmallContext
from agls.room.run_ports import RunInfo

ROOM = Room("lean", Settings, build_of(__name__), needs=(RunInfo,), exposes=(SmallContext,))
