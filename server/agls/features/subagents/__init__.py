"""Subagents: pieces of work are handed to children, which work side by side."""

from agls.engine.spawning import Spawner
from agls.features.subagents.feature import build
from agls.features.subagents.lineage import NOTES
from agls.features.subagents.settings import Settings
from agls.room import Room
from agls.room.ports import KnownAgents, Remaining

ROOM = Room("subagents", Settings, build, needs=(Spawner, KnownAgents, Remaining), notes=NOTES)
