"""Edits at the cursor: which model is asked, and whether it is asked while somebody types."""

from agls.features.inline_edit.settings import Settings
from agls.room import Room, build_of
from agls.room.exposed import InlineModels

ROOM = Room(
    "inline_edit", Settings, build_of(__name__), exposes=(InlineModels,), user_only=True, in_runs=False
)
