"""The servers that an agent's definition brings: for its runs alone, each with the user's consent."""

from agls.features.mcp.entries import setting_of, usual_or_codex
from agls.features.mcp.folder_servers import BrokenEntry, FolderServerFiles, OfferedServer, offered_server
from agls.room.mcp_ports import AgentServers


def with_agent_servers(
    files: FolderServerFiles, agent: AgentServers, folder: str, home: str
) -> FolderServerFiles:
    """**Returns** these servers behind those of the agent of a run."""
    if not agent.entries:
        return files
    shown = f"the agent {agent.agent}"
    offered: list[OfferedServer] = []
    broken: list[BrokenEntry] = []
    for name, entry in agent.entries.items():
        setting = setting_of(entry, usual_or_codex, folder, home)
        if isinstance(setting, str):
            broken.append(BrokenEntry(shown, name, setting))
        else:
            offered.append(offered_server(name, setting, shown, holder=agent.holder))
    return FolderServerFiles([*offered, *files.offered], [*broken, *files.broken], files.resources)
