"""The servers that an agent's definition brings: for its runs alone, each with the user's consent."""

from agls.features.mcp.entries import of_codex, setting_of, usual
from agls.features.mcp.folder_servers import BrokenEntry, FolderServerFiles, OfferedServer, offered_server
from agls.room.mcp_ports import AgentServers

OF_CODEX = frozenset(
    {
        "bearer_token_env_var",
        "enabled_tools",
        "disabled_tools",
        "env_http_headers",
        "env_vars",
        "http_headers",
        "startup_timeout_sec",
        "tool_timeout_sec",
    }
)
"""Keys by which an entry is read as Codex writes it, any other as in `.mcp.json`."""


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
        reading = of_codex if OF_CODEX & entry.keys() else usual
        setting = setting_of(entry, reading, folder, home)
        if isinstance(setting, str):
            broken.append(BrokenEntry(shown, name, setting))
        else:
            offered.append(offered_server(name, setting, shown, holder=agent.holder))
    return FolderServerFiles([*offered, *files.offered], [*broken, *files.broken])
