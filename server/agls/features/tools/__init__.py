"""Tools: which of them the model is shown from the start, and how it finds the others."""

from agls.features.tools.settings import Settings
from agls.room import CallWords, Room, build_of
from agls.room.run_ports import RunInfo

ROOM = Room(
    "tools",
    Settings,
    build_of(__name__),
    needs=(RunInfo,),
    tools=("find_tools",),
    words={
        "find_tools": CallWords("Looked for tools", "Looking for tools", "search", "query"),
    },
)
