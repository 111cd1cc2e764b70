"""Skills: folders with instructions that the model loads when a task needs them."""

from agls.features.skills.places import PROJECT_FILES, command_files
from agls.features.skills.settings import Preload, Settings
from agls.instruction_files.folder_texts import FolderTexts
from agls.room import CallWords, OnUse, Room, build_of
from agls.room.permission_memory import PermissionMemory
from agls.room.run_ports import RunInfo
from agls.room.session_ports import KnownModels, TakenNames

ROOM = Room(
    "skills",
    Settings,
    build_of(__name__),
    heading="Skills",
    needs=(RunInfo, FolderTexts, TakenNames, KnownModels, PermissionMemory),
    check_files=OnUse(f"{__name__}.file_check", "check_files"),
    project_files=PROJECT_FILES,
    command_files=command_files,
    of_agent=(Preload, Preload.model_construct()),
    has_actions=True,
    actions_vary=True,
    tools=("skill",),
    words={
        "skill": CallWords("Used the skill", "Using the skill", "read", "name"),
    },
)
