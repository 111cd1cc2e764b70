"""Room in the model's context: old results taken out, the beginning of a conversation summarised."""

from agls.engine.ports import Clock, ModelResolver
from agls.features.compaction.settings import Settings
from agls.room import Room, build_of
from agls.room.run_ports import HookPoints, RunInfo
from agls.room.session_ports import SessionRecord

ROOM = Room(
    "compaction",
    Settings,
    build_of(__name__),
    needs=(ModelResolver, SessionRecord, Clock, RunInfo, HookPoints),
    has_actions=True,
)
