"""MCP: tools of servers that the user configured, or that a folder offers."""

from agls.engine.ports import Workspace
from agls.features.mcp.settings import PROJECT_FILES, Settings
from agls.instruction_files.folder_texts import FolderTexts
from agls.room import OnUse, Room, build_of
from agls.room.exposed import ServerReading
from agls.room.mcp_ports import McpServers
from agls.room.offers import Consents

ROOM = Room(
    "mcp",
    Settings,
    build_of(__name__),
    heading="MCP servers",
    needs=(McpServers, Workspace, FolderTexts, Consents),
    expand=OnUse(f"{__name__}.mention", "expand"),
    complete=OnUse(f"{__name__}.mention", "complete"),
    check_files=OnUse(f"{__name__}.file_check", "check_files"),
    project_files=PROJECT_FILES,
    exposes=(ServerReading,),
    user_only=True,
    has_actions=True,
    actions_vary=True,
)
