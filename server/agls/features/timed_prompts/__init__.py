"""Timed prompts: a prompt that is repeated, or sent at a time, while its session stays open."""

from agls.engine.background import Background
from agls.features.timed_prompts.record import NOTES
from agls.features.timed_prompts.settings import Settings
from agls.room import Room, build_of
from agls.room.folder_ports import Surroundings
from agls.room.session_ports import SessionControl, SessionOffer, SessionRecord

ROOM = Room(
    "timed_prompts",
    Settings,
    build_of(__name__),
    needs=(Background, SessionControl, SessionRecord, SessionOffer, Surroundings),
    has_actions=True,
    notes=NOTES,
    in_runs=False,
)
