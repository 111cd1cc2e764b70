"""Plugins: those that the user installed, and the manifests in trusted folders."""

from agls.instruction_files.folder_texts import FolderTexts
from agls.room import NoSettings, OnUse, Room, build_of
from agls.room.process_ports import PluginShelf
from agls.room.run_ports import RunTools

PROJECT_FILES = (".codex-plugin/plugin.json", ".claw-plugin/plugin.json")  # and those in `plugins/`
ROOM = Room(
    "plugins",
    NoSettings,
    build_of(__name__),
    heading="Plugins",
    needs=(FolderTexts, RunTools, PluginShelf),
    check_files=OnUse(f"{__name__}.file_check", "check_files"),
    project_files=PROJECT_FILES,
    has_actions=True,
)
