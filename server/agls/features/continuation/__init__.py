"""Replies that broke off, or never came, are asked to go on."""

from agls.features.continuation.settings import Settings
from agls.room import Room, build_of

ROOM = Room("continuation", Settings, build_of(__name__), heading="Asked to go on")
