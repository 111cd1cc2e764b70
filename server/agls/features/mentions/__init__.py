"""What a prompt points at: `@path` in the text that somebody typed becomes a piece of the prompt."""

from agls.engine.ports import Workspace
from agls.features.mentions.settings import Settings
from agls.room import OnUse, Room, build_of
from agls.room.folder_ports import Diagnostics, FileSnapshots, Uncommitted

ROOM = Room(
    "mentions",
    Settings,
    build_of(__name__),
    needs=(Workspace, FileSnapshots, Uncommitted, Diagnostics),
    expand=OnUse(f"{__name__}.expansion", "expand"),
    complete=OnUse(f"{__name__}.completion", "complete"),
    in_runs=False,
)
