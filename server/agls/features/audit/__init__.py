"""One record for each run: who asked, what was done, what it used, how it ended."""

from agls.features.audit.settings import Settings
from agls.room import CallWords, Room, RunOption, build_of
from agls.room.process_ports import AuditFile, Tiers
from agls.room.run_ports import RunInfo
from agls.room.session_ports import SessionRecord

ROOM = Room(
    "audit",
    Settings,
    build_of(__name__),
    needs=(RunInfo, SessionRecord, AuditFile, Tiers),
    options=(RunOption("parentRun", is_text=True),),
    has_actions=True,
    tools=("run_status",),
    words={
        "run_status": CallWords("Looked at its own work", "Looking at its own work", "read"),
    },
)
