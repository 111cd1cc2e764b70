"""Tools that the client brings."""

from agls.features.client_tools.feature import build
from agls.features.client_tools.settings import Settings
from agls.room import Room
from agls.room.ports import RunInfo, ToolClient, ToolNames

ROOM = Room("client_tools", Settings, build, needs=(ToolClient, RunInfo, ToolNames))
