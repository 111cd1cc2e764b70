"""Plugins: those that the user installed, Python packages, and the manifests in trusted folders."""

from agls.features.plugins.settings import Settings
from agls.instruction_files.folder_texts import FolderTexts
from agls.room import OnUse, Room, build_of
from agls.room.exposed import NamedPackages
from agls.room.process_ports import PluginShelf
from agls.room.run_ports import RunTools

PROJECT_FILES = (".codex-plugin/plugin.json", ".claw-plugin/plugin.json")  # and those in `plugins/`
ROOM = Room(
    "plugins",
    Settings,
    build_of(__name__),
    heading="Plugins",
    needs=(FolderTexts, RunTools, PluginShelf),
    check_files=OnUse(f"{__name__}.file_check", "check_files"),
    project_files=PROJECT_FILES,
    exposes=(NamedPackages,),
    user_only=True,
    has_actions=True,
)
