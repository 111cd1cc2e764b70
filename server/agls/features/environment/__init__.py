"""Where and when a session works, in a message, so that the system prompt can stay as it is."""

from agls.engine.ports import Workspace
from agls.features.environment.settings import Settings
from agls.room import Room, build_of
from agls.room.folder_ports import Machine, Repository, Surroundings
from agls.room.run_ports import RunInfo

ROOM = Room(
    "environment",
    Settings,
    build_of(__name__),
    needs=(RunInfo, Workspace, Surroundings, Machine, Repository),
    has_actions=True,
)
