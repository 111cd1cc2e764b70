"""How sessions are filed: their tags, and whether they are put away."""

from agls.engine.ports import ModelResolver
from agls.features.history.feature import build
from agls.features.history.settings import Settings
from agls.room import Room
from agls.room.ports import SessionRecord, Tiers

ROOM = Room("history", Settings, build, needs=(ModelResolver, SessionRecord, Tiers))
