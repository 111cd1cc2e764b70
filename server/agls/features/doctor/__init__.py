"""Looks for what keeps the agent from working, when the user asks for it."""

from agls.features.doctor.settings import Settings
from agls.room import Room, build_of
from agls.room.exposed import ProbePatience
from agls.room.process_ports import Examiner

ROOM = Room(
    "doctor",
    Settings,
    build_of(__name__),
    needs=(Examiner,),
    exposes=(ProbePatience,),
    has_actions=True,
    in_runs=False,
)
