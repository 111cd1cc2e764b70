"""How much of a tool's output the model gets, and where it finds the rest."""

from agls.features.outputs.settings import Settings
from agls.room import Room, build_of
from agls.room.exposed import OutputShare
from agls.room.session_ports import OutputFolder, OutputLimits

ROOM = Room(
    "outputs", Settings, build_of(__name__), needs=(OutputFolder, OutputLimits), exposes=(OutputShare,)
)
