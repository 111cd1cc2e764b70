"""Help: which commands there are, which tools the model has, which version this is."""

from agls.room import NoSettings, Room, build_of
from agls.room.session_ports import SessionOffer

ROOM = Room("guide", NoSettings, build_of(__name__), needs=(SessionOffer,), has_actions=True, in_runs=False)
