"""What a crash left behind is removed, and what it cut off can be gone on with."""

from agls.features.recovery.settings import Settings
from agls.room import Room, build_of
from agls.room.exposed import StartChoice
from agls.room.process_ports import Leftovers
from agls.room.run_ports import RunInfo

ROOM = Room("recovery", Settings, build_of(__name__), needs=(RunInfo, Leftovers), exposes=(StartChoice,))
