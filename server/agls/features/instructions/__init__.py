"""What the model reads before the user's first words: the system prompt with the instruction files."""

from agls.engine.ports import Workspace
from agls.features.instructions.settings import Settings
from agls.instruction_files import InstructionFiles
from agls.instruction_files.names import PLACES
from agls.room import Room, build_of
from agls.room.exposed import InstructionLimits
from agls.room.process_ports import HeldKeys
from agls.room.run_ports import RunInfo

ROOM = Room(
    "instructions",
    Settings,
    build_of(__name__),
    heading="Project instructions",
    needs=(RunInfo, Workspace, InstructionFiles, HeldKeys),
    exposes=(InstructionLimits,),
    project_files=PLACES,
    has_actions=True,
)
