"""Sampling: how a model chooses its words in the runs of one agent."""

from agls.features.sampling.settings import Settings
from agls.room import Room, build_of

ROOM = Room("sampling", Settings, build_of(__name__), of_agent=(Settings, Settings.model_construct()))
