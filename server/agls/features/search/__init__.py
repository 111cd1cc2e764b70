"""Search: the tools that find files by name and by content."""

from agls.features.search.feature import build
from agls.features.search.settings import Settings
from agls.room import Room

ROOM = Room("search", Settings, build)
