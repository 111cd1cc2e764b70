"""Tools that the client brings."""

from agls.features.client_tools.settings import Settings
from agls.room import Room, build_of
from agls.room.process_ports import ToolClient
from agls.room.run_ports import RunInfo, ToolNames

ROOM = Room("client_tools", Settings, build_of(__name__), needs=(ToolClient, RunInfo, ToolNames))
