"""Shell: the tool that runs one command and waits for it."""

from agls.engine.background import Background
from agls.engine.ports import Asker
from agls.features.shell.settings import Settings
from agls.room import CallWords, Room, build_of
from agls.room.process_ports import HeldKeys
from agls.room.run_ports import RunInfo
from agls.room.whole_outputs import WholeOutputs

ROOM = Room(
    "shell",
    Settings,
    build_of(__name__),
    needs=(Asker, Background, RunInfo, HeldKeys, WholeOutputs),
    has_actions=True,
    tools=("shell", "shell_task"),
    words={
        "shell": CallWords("Ran", "Running", "command", "command"),
        "shell_task": CallWords("Looked at a background task", "Looking at a background task", "command"),
    },
)
