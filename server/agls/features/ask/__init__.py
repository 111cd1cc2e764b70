"""Ask: the tool with which the model asks the user something."""

from agls.features.ask.feature import build
from agls.features.ask.settings import Settings
from agls.room import Room
from agls.room.ports import Forms

ROOM = Room("ask", Settings, build, needs=(Forms,))
