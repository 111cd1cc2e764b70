"""Commands of one's own: a Markdown file of the user or of a trusted project becomes `/name`."""

from agls.features.commands.settings import Settings
from agls.instruction_files.folder_texts import FolderTexts
from agls.prompt_files.command_places import PROJECT_FILES, command_files
from agls.room import OnUse, Room, build_of
from agls.room.offers import Consents
from agls.room.session_ports import KnownModels, TakenNames

ROOM = Room(
    "commands",
    Settings,
    build_of(__name__),
    heading="Commands in files",
    needs=(FolderTexts, TakenNames, KnownModels, Consents),
    check_files=OnUse(f"{__name__}.file_check", "check_files"),
    project_files=PROJECT_FILES,
    command_files=command_files,
    has_actions=True,
    actions_vary=True,
)
