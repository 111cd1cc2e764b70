"""Redaction: what tools give is without the user's keys."""

from agls.features.redaction.feature import build
from agls.room import NoSettings, Room
from agls.room.ports import HeldKeys

ROOM = Room("redaction", NoSettings, build, needs=(HeldKeys,))
