"""A run has only so much time."""

from agls.features.deadline.settings import Settings
from agls.room import Room, build_of
from agls.room.exposed import RunCeiling

ROOM = Room("deadline", Settings, build_of(__name__), exposes=(RunCeiling,))
