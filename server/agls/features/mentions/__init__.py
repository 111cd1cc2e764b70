"""What a prompt points at: `@path` in the text that somebody typed becomes a piece of the prompt."""

from agls.engine.ports import Workspace
from agls.features.mentions.completion import complete
from agls.features.mentions.expansion import expand
from agls.features.mentions.feature import build
from agls.features.mentions.settings import Settings
from agls.room import Room
from agls.room.ports import Diagnostics, FileSnapshots, Uncommitted

ROOM = Room(
    "mentions",
    Settings,
    build,
    needs=(Workspace, FileSnapshots, Uncommitted, Diagnostics),
    expand=expand,
    complete=complete,
)
