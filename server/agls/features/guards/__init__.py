"""Loops that lead nowhere are named once and then stopped."""

from agls.features.guards.settings import Settings
from agls.room import Room, build_of

ROOM = Room("guards", Settings, build_of(__name__), lowered=True, heading="Going in circles")
