"""A folder of the session's own for what nobody wants to keep."""

from agls.features.scratchpad.feature import build
from agls.features.scratchpad.settings import Settings
from agls.room import Room
from agls.room.ports import ScratchFolder

ROOM = Room("scratchpad", Settings, build, needs=(ScratchFolder,))
