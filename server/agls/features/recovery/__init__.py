"""What a crash left behind is removed, and what it cut off can be gone on with."""

from agls.features.recovery.feature import build
from agls.features.recovery.settings import Settings
from agls.room import Room
from agls.room.ports import Leftovers, RunInfo

ROOM = Room("recovery", Settings, build, needs=(RunInfo, Leftovers))
