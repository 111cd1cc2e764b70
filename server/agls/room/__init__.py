"""How a room declares itself, and the ports that it may ask for."""

from agls.room.declaration import Arrivals, Build, NoSettings, Piece, Room, RunOption, Table

__all__ = ["Arrivals", "Build", "NoSettings", "Piece", "Room", "RunOption", "Table"]
