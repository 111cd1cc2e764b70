"""Search: the tools that find files by name and by content."""

from agls.features.search.settings import Settings
from agls.room import CallWords, Room, build_of

ROOM = Room(
    "search",
    Settings,
    build_of(__name__),
    tools=("glob", "grep"),
    words={
        "glob": CallWords("Found files", "Finding files", "search", "pattern"),
        "grep": CallWords("Searched", "Searching", "search", "pattern"),
    },
)
