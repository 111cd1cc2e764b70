"""Side question: what the user asks beside the work, and the conversation does not keep."""

from agls.features.side_question.record import NOTES
from agls.room import NoSettings, Room, build_of
from agls.room.process_ports import HeldKeys
from agls.room.session_ports import SessionControl, SessionRecord

ROOM = Room(
    "side_question",
    NoSettings,
    build_of(__name__),
    needs=(SessionRecord, SessionControl, HeldKeys),
    notes=NOTES,
    has_actions=True,
    in_runs=False,
)
