"""How a room declares itself, and the ports that it may ask for."""

from agls.room.declaration import Arrivals, Build, NoSettings, Room, RunOption

__all__ = ["Arrivals", "Build", "NoSettings", "Room", "RunOption"]
