"""Shell: the tool that runs one command and waits for it."""

from agls.engine.background import Background
from agls.engine.ports import Asker
from agls.features.shell.feature import build
from agls.features.shell.settings import Settings
from agls.room import Room
from agls.room.ports import RunInfo

ROOM = Room("shell", Settings, build, needs=(Asker, Background, RunInfo))
