"""Few tools in few words, for models with a small context."""

from agls.features.lean.feature import build
from agls.features.lean.settings import Settings
from agls.room import Room
from agls.room.ports import RunInfo

ROOM = Room("lean", Settings, build, needs=(RunInfo,))
