"""Replies that broke off, or never came, are asked to go on."""

from agls.features.continuation.feature import build
from agls.features.continuation.settings import Settings
from agls.room import Room

ROOM = Room("continuation", Settings, build)
