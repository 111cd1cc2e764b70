"""Looks for what keeps the agent from working, when the user asks for it."""

from agls.features.doctor.feature import build
from agls.features.doctor.settings import Settings
from agls.room import Room
from agls.room.ports import Examiner

ROOM = Room("doctor", Settings, build, needs=(Examiner,))
