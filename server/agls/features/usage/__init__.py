"""What a run and a session used, as doors show it, and a warning when a limit comes near."""

from agls.features.usage.settings import Settings
from agls.room import Room, build_of

ROOM = Room("usage", Settings, build_of(__name__), has_actions=True)
