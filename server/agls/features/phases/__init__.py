"""Runs in several phases, each with its own prompt, tier, tools and step limit."""

from agls.features.phases.feature import build
from agls.features.phases.settings import Phases
from agls.room import NoSettings, Room

ROOM = Room("phases", NoSettings, build, of_agent=(Phases, ()))
