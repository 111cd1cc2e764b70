"""Somebody watches whether a run gets anywhere."""

from agls.engine.ports import ModelResolver
from agls.features.critic.feature import build
from agls.features.critic.settings import Settings
from agls.room import Room
from agls.room.ports import Ceilings, SessionRecord

ROOM = Room(
    "critic", Settings, build, needs=(ModelResolver, SessionRecord, Ceilings), of_agent=(Settings, Settings())
)
