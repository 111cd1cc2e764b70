"""Loops that lead nowhere are named once and then stopped."""

from agls.features.guards.feature import build
from agls.features.guards.settings import Settings
from agls.room import Room

ROOM = Room("guards", Settings, build, lowered=True)
