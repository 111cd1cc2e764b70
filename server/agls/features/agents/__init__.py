"""Agents as files: which there are, what is wrong with any, and making, changing and deleting them."""

from agls.prompt_files.agent_places import PROJECT_FILES
from agls.prompt_files.agent_store import AgentStore
from agls.room import NoSettings, OnUse, Room, build_of
from agls.room.run_ports import RunInfo
from agls.room.session_ports import SessionControl

ROOM = Room(
    "agents",
    NoSettings,
    build_of(__name__),
    needs=(AgentStore, RunInfo, SessionControl),
    check_files=OnUse(f"{__name__}.file_check", "check_files"),
    project_files=PROJECT_FILES,
    has_actions=True,
)
