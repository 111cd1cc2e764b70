"""The wiring of the room."""

from functools import cache, partial

from agls.engine.actions import FoundActions
from agls.engine.feature import Feature
from agls.engine.ports import Workspace, WorkspaceError
from agls.features.mcp.settings import PROJECT_FILES, Settings
from agls.instruction_files import FolderReader
from agls.instruction_files.folder_texts import FolderTexts
from agls.room import OnUse
from agls.room.mcp_ports import McpServers
from agls.room.offers import Consents

ROOM = "mcp"
SERVERS = OnUse("agls.features.mcp.run_servers", "servers_of")  # a session without any begins without these
ACTIONS = OnUse("agls.features.mcp.actions", "actions_of")
ON_INPUTS = OnUse("agls.features.mcp.input_actions", "actions_on_inputs")
PROMPTS = OnUse("agls.features.mcp.prompt_command", "commands_of")


def build(
    settings: Settings,
    servers: McpServers,
    workspace: Workspace,
    texts: FolderTexts,
    consents: Consents,
) -> Feature:
    """Build the feature of a run; without servers nothing of it takes part."""
    find = cache(partial(SERVERS, settings, servers, workspace, texts, consents))
    if not may_have_any(settings, servers, texts):
        return Feature(name=ROOM, actions=FoundActions(lambda: (*ACTIONS(find), *ON_INPUTS(find))))
    of_run = find()
    servers.calls.serve(of_run)
    actions = FoundActions(lambda: (*ACTIONS(find), *ON_INPUTS(find), *PROMPTS(of_run)))
    return Feature(
        name=ROOM,
        actions=actions,
        late_tools=of_run.tools,
        before_turn=of_run.before_turn,
        around_run=of_run.around_run,
    )


def may_have_any(settings: Settings, servers: McpServers, texts: FolderTexts) -> bool:
    """**Returns** whether there may be servers: some are named, or there is a file that may name some."""

    def are_there(reader: FolderReader) -> bool:
        found = [_is_there(reader, f"{folder}/{name}") for folder in folders for name in PROJECT_FILES]
        return any(found)  # each was looked at, as any of them may come

    folders = texts.folders.project
    if not settings.enabled:
        return False
    named = (
        settings.servers
        or servers.given
        or servers.of_agent.entries
        or any(each.servers for each in texts.folders.plugins)
    )
    return bool(named) or texts.get((ROOM, "files"), [], are_there)


def _is_there(reader: FolderReader, path: str) -> bool:
    try:
        return reader.is_file(path)
    except WorkspaceError:  # it is there, and why it cannot be read is said where servers are listed
        return True
