"""Files: the tools that read, list, write and edit text files."""

from agls.features.files.feature import build
from agls.features.files.settings import Settings
from agls.room import Room
from agls.room.ports import OutputLimits

ROOM = Room("files", Settings, build, needs=(OutputLimits,))
