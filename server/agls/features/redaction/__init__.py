"""Redaction: what tools give is without the user's keys, and without what terminals obey."""

from agls.room import NoSettings, Room, build_of
from agls.room.process_ports import HeldKeys

ROOM = Room("redaction", NoSettings, build_of(__name__), needs=(HeldKeys,))
