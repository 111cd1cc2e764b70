"""Instructions of deeper folders and rules for some files: sent when the model reads or edits such a file."""

from agls.engine.ports import Workspace
from agls.instruction_files import InstructionFiles
from agls.room import NoSettings, Room, build_of

ROOM = Room(
    "scoped_instructions",
    NoSettings,
    build_of(__name__),
    heading="Instructions for these files",
    needs=(Workspace, InstructionFiles),
)
