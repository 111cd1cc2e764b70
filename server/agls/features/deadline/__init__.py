"""A run has only so much time."""

from agls.features.deadline.feature import build
from agls.features.deadline.settings import Settings
from agls.room import Room

ROOM = Room("deadline", Settings, build)
