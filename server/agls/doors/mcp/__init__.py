"""agls as an MCP server, for other agents: `agls mcp serve`."""
