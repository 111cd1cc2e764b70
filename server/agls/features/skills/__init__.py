"""Skills: folders with instructions that the model loads when a task needs them."""

from agls.features.skills.places import PROJECT_FILES, command_files
from agls.features.skills.settings import Preload, Settings
from agls.instruction_files.folder_texts import FolderTexts
from agls.room import CallWords, OnUse, Room, build_of
from agls.room.run_ports import ToolNames
from agls.room.session_ports import TakenNames
from agls.room.skill_ports import SkillPorts

ROOM = Room(
    "skills",
    Settings,
    build_of(__name__),
    heading="Skills",
    needs=(SkillPorts, FolderTexts, TakenNames, ToolNames),
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
