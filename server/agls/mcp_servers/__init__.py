"""MCP servers of this process: started on need, shared by all sessions, ended with the process."""

from agls.mcp_servers.pins import Pins
from agls.mcp_servers.registry import SharedServers

__all__ = ["Pins", "SharedServers"]
