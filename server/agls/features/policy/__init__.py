"""Policy: what an administrator, the user or a trusted folder forbids, limits and wants the model to know."""

from agls.features.policy.settings import PROJECT_FILES, Settings
from agls.instruction_files.folder_texts import FolderTexts
from agls.room import OnUse, Room, build_of
from agls.room.exposed import ToolPolicy

ROOM = Room(
    "policy",
    Settings,
    build_of(__name__),
    heading="Policy",
    needs=(FolderTexts,),
    check_files=OnUse(f"{__name__}.file_check", "check_files"),
    project_files=PROJECT_FILES,
    exposes=(ToolPolicy,),
    user_only=True,
    managed_keys=("managed",),
    has_actions=True,
)
