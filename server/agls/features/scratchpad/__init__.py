"""A folder of the session's own for what nobody wants to keep."""

from agls.features.scratchpad.settings import Settings
from agls.room import Room, build_of
from agls.room.exposed import ScratchChoice
from agls.room.session_ports import ScratchFolder

ROOM = Room("scratchpad", Settings, build_of(__name__), needs=(ScratchFolder,), exposes=(ScratchChoice,))
