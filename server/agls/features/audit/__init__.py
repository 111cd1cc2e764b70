"""One record for each run: who asked, what was done, what it used, how it ended."""

from agls.features.audit.feature import build
from agls.features.audit.settings import Settings
from agls.room import Room, RunOption
from agls.room.ports import AuditFile, RunInfo, SessionRecord, Tiers

ROOM = Room(
    "audit",
    Settings,
    build,
    needs=(RunInfo, SessionRecord, AuditFile, Tiers),
    options=(RunOption("parentRun", is_text=True),),
)
