"""Room in the model's context: old results taken out, the beginning of a conversation summarised."""

from agls.engine.ports import Clock, ModelResolver
from agls.features.compaction.feature import build
from agls.features.compaction.settings import Settings
from agls.room import Room
from agls.room.ports import RunInfo, SessionRecord

ROOM = Room("compaction", Settings, build, needs=(ModelResolver, SessionRecord, Clock, RunInfo))
