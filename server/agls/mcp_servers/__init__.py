"""MCP servers of this process: started on need, shared by all sessions, ended with the process."""

from agls.mcp_servers.logins import Logins
from agls.mcp_servers.pins import Pins
from agls.mcp_servers.registry import SharedServers
from agls.mcp_servers.switches import Switches

__all__ = ["Logins", "Pins", "SharedServers", "Switches"]
