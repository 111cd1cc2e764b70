"""The check of the servers of tools in the user's own settings."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence

from agls.checkup.case import Case
from agls.config import ConfigError, GuardedFiles, Seal, Setup
from agls.mcp_servers import Pins
from agls.room.exposed import ServerReading
from agls.room.findings import Finding

TOPIC = "MCP servers"
FIX = "Correct it in your config file; docs/mcp.md has the settings. /mcp lists all servers."
LEFT_OUT = "Tell whoever makes the server; its other tools are used. /mcp.tools shows them."


async def own_servers(case: Case) -> AsyncGenerator[Finding, None]:
    """Check that nothing is missing which they need to start. None is started."""
    if isinstance(case.setup, ConfigError):
        return
    try:
        settings = case.setup.load(case.folder).config.exposed(ServerReading)
    except ConfigError:  # the check of the configuration says so
        return
    keys = tuple(case.setup.held_keys)
    found = await asyncio.to_thread(settings.missing, case.folder, case.environment, keys)
    for name, problem in found.items():
        if problem:
            yield Finding(TOPIC, "warn", f"The server {name} cannot be used: {problem}.", FIX)
    left_out = await asyncio.to_thread(_left_out, case.setup)
    for name in found:
        for problem in left_out.get(name, ()):
            yield Finding(TOPIC, "warn", f"Of the server {name} something is not used: {problem}.", LEFT_OUT)
    if found and not any(found.values()):
        text = f"Nothing is missing for the servers in your config file ({len(found)})."
        yield Finding(TOPIC, "pass", text)


def _left_out(setup: Setup) -> Mapping[str, Sequence[str]]:
    """**Returns** what is not used of each server, as far as it was asked what it offers."""
    seal = Seal(GuardedFiles(setup.state_folder, setup.config_file))
    return Pins(setup.state_folder if setup.keeps else None, seal).left_out()
