"""The user is shown where the agent works."""

from agls.features.follow_along.settings import Settings
from agls.room import Room, build_of
from agls.room.folder_ports import Revealer

ROOM = Room("follow_along", Settings, build_of(__name__), needs=(Revealer,))
