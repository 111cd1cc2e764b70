"""How sessions are filed: their tags, and whether they are put away."""

from agls.engine.ports import ModelResolver
from agls.features.history.settings import Settings
from agls.room import Room, build_of
from agls.room.process_ports import Tiers
from agls.room.session_ports import SessionRecord

ROOM = Room(
    "history", Settings, build_of(__name__), needs=(ModelResolver, SessionRecord, Tiers), has_actions=True
)
