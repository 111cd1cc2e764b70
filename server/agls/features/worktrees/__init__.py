"""Worktrees: the user's sessions in worktrees of the repository: begun, listed, and their folders removed."""

from agls.room import NoSettings, Room, build_of
from agls.room.folder_ports import Surroundings
from agls.room.session_ports import SessionControl

ROOM = Room(
    "worktrees",
    NoSettings,
    build_of(__name__),
    needs=(SessionControl, Surroundings),
    has_actions=True,
    in_runs=False,
)
