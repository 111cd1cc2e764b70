"""Subagents: pieces of work are handed to children, which work side by side."""

from agls.engine.background import Background
from agls.engine.spawning import Spawner
from agls.features.subagents.lineage import NOTES
from agls.features.subagents.settings import Settings
from agls.room import CallWords, Room, build_of
from agls.room.folder_ports import Surroundings
from agls.room.process_ports import KnownAgents
from agls.room.run_ports import Remaining

ROOM = Room(
    "subagents",
    Settings,
    build_of(__name__),
    heading="Helpers",
    needs=(Spawner, KnownAgents, Remaining, Surroundings, Background),
    notes=NOTES,
    has_actions=True,
    tools=("delegate", "helper_task"),
    words={
        "delegate": CallWords("Handed work to helpers", "Working with helpers", "helper"),
        "helper_task": CallWords("Looked at a helper", "Looking at a helper", "helper"),
    },
)
