"""What the model is told before it hears the user: the system prompt and where it is."""

from agls.engine.ports import Workspace
from agls.features.instructions.feature import build
from agls.features.instructions.settings import Settings
from agls.room import Room
from agls.room.ports import RunInfo, Surroundings

ROOM = Room("instructions", Settings, build, needs=(RunInfo, Workspace, Surroundings))
