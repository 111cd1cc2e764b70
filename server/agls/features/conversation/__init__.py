"""Conversation: the session as a whole, in the hands of its user."""

from agls.room import NoSettings, Room, build_of
from agls.room.folder_ports import Surroundings
from agls.room.run_ports import RunInfo
from agls.room.session_ports import SessionControl, SessionRecord

ROOM = Room(
    "conversation",
    NoSettings,
    build_of(__name__),
    needs=(SessionControl, SessionRecord, RunInfo, Surroundings),
    has_actions=True,
    in_runs=False,
)
