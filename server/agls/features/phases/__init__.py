"""Runs in several phases, each with its own prompt, tier, tools and step limit."""

from agls.features.phases.settings import Phases
from agls.room import NoSettings, Room, build_of

ROOM = Room("phases", NoSettings, build_of(__name__), heading="Next phase", of_agent=(Phases, ()))
