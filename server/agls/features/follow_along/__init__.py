"""The user is shown where the agent works."""

from agls.features.follow_along.feature import build
from agls.features.follow_along.settings import Settings
from agls.room import Room
from agls.room.ports import Revealer

ROOM = Room("follow_along", Settings, build, needs=(Revealer,))
