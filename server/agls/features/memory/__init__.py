"""Memory: what the user wants models to know in every session, in files that they read and edit."""

from agls.engine.ports import Asker, Clock
from agls.features.memory.settings import Settings
from agls.room import CallWords, Room, build_of
from agls.room.memory_ports import MemoryFiles
from agls.room.process_ports import HeldKeys
from agls.room.run_ports import RunInfo

ROOM = Room(
    "memory",
    Settings,
    build_of(__name__),
    heading="Memory",
    needs=(RunInfo, MemoryFiles, HeldKeys, Clock, Asker),
    user_only=True,
    has_actions=True,
    tools=("remember", "write_own_memory"),
    actions_vary=True,
    words={
        "remember": CallWords("Remembered", "Remembering", "other"),
        "write_own_memory": CallWords("Wrote its notes", "Writing its notes", "other"),
    },
)
