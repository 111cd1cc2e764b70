"""Somebody watches whether a run gets anywhere."""

from agls.engine.ports import ModelResolver
from agls.features.critic.settings import Settings
from agls.room import Room, build_of
from agls.room.run_ports import Ceilings
from agls.room.session_ports import SessionRecord

ROOM = Room(
    "critic",
    Settings,
    build_of(__name__),
    heading="Remarks of the critic",
    needs=(ModelResolver, SessionRecord, Ceilings),
    of_agent=(Settings, Settings.model_construct()),
)
