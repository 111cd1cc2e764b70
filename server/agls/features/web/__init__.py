"""Web: the tools that fetch pages and search, and the choice of the service that searches."""

from agls.features.web.settings import Settings
from agls.room import CallWords, Room, build_of
from agls.room.exposed import PageBounds
from agls.room.run_ports import RunInfo
from agls.room.web_ports import KeyFinder, PageReader, ServiceCaller

ROOM = Room(
    "web",
    Settings,
    build_of(__name__),
    needs=(RunInfo, PageReader, ServiceCaller, KeyFinder),
    exposes=(PageBounds,),
    user_only=True,
    has_actions=True,
    tools=("web_fetch", "web_search"),
    words={
        "web_fetch": CallWords("Fetched", "Fetching", "web", "url"),
        "web_search": CallWords("Searched the web", "Searching the web", "web", "query"),
    },
)
