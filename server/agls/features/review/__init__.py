"""The single changes that the agent made: which wait for the user, and keeping or undoing them."""

from agls.features.review.notes import NOTES
from agls.room import NoSettings, Room, build_of
from agls.room.folder_ports import FileSnapshots
from agls.room.notebook_ports import EditorNotebooks
from agls.room.session_ports import SessionFacts

ROOM = Room(
    "review",
    NoSettings,
    build_of(__name__),
    needs=(SessionFacts, FileSnapshots, EditorNotebooks),
    notes=NOTES,
    has_actions=True,
    in_runs=False,
)
