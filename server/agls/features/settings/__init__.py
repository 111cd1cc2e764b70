"""Settings: what holds, who said it, and a change of it."""

from agls.room import NoSettings, Room, build_of
from agls.room.process_ports import SettingsStore
from agls.room.run_ports import HookPoints

ROOM = Room(
    "settings",
    NoSettings,
    build_of(__name__),
    needs=(SettingsStore, HookPoints),
    has_actions=True,
    in_runs=False,
)
