"""Code intelligence: language servers, the editor's or our own, or an outline answer questions about code."""

from agls.engine.ports import Workspace
from agls.features.code_intelligence.settings import Settings
from agls.instruction_files.folder_texts import FolderTexts
from agls.room import CallWords, OnUse, Room, build_of
from agls.room.code_ports import CodeServers, Outliner

NEEDS = (Workspace, CodeServers, Outliner, FolderTexts)
ROOM = Room(
    "code_intelligence",
    Settings,
    build_of(__name__),
    needs=NEEDS,
    check_files=OnUse(f"{__name__}.file_check", "check_files"),
    user_only=True,
    has_actions=True,
    tools=("code_intelligence", "rename_symbol"),
    words={
        "code_intelligence": CallWords("Looked up in the code", "Looking up in the code", "search", "symbol"),
        "rename_symbol": CallWords("Renamed", "Renaming", "edit", "symbol"),
    },
)
