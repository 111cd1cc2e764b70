"""How much of a tool's output the model gets, and where it finds the rest."""

from agls.features.outputs.feature import build
from agls.features.outputs.settings import Settings
from agls.room import Room
from agls.room.ports import OutputFolder, OutputLimits

ROOM = Room("outputs", Settings, build, needs=(OutputFolder, OutputLimits))
