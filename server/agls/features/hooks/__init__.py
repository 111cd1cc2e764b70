"""Hooks: programs and services of the user's own that see what a run does, and may refuse or change it."""

from agls.features.hooks.settings import PROJECT_FILES, Settings
from agls.instruction_files.folder_texts import FolderTexts
from agls.room import OnUse, Room, build_of
from agls.room.hook_ports import HookPorts
from agls.room.offers import Consents
from agls.room.run_ports import HookPoints

ROOM = Room(
    "hooks",
    Settings,
    build_of(__name__),
    heading="Hooks",
    needs=(HookPorts, FolderTexts, Consents, HookPoints),
    check_files=OnUse(f"{__name__}.file_check", "check_files"),
    screen=OnUse(f"{__name__}.prompt_hooks", "screen"),
    at_end=OnUse(f"{__name__}.session_end", "at_end"),
    project_files=PROJECT_FILES,
    user_only=True,
    managed_keys=("managed", "only_managed"),
    has_actions=True,
)
