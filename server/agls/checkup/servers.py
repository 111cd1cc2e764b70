"""The check of the servers of tools in the user's own settings."""

import asyncio
from collections.abc import AsyncGenerator, Collection, Sequence

from agls.checkup.case import Case
from agls.checkup.room_files import CaseTexts
from agls.config import ConfigError, GuardedFiles, Seal, Setup
from agls.config.input_values import InputValues
from agls.mcp_servers import Pins
from agls.room.exposed import ServerReading
from agls.room.findings import Finding
from agls.short_text import brief
from agls.workspace.workspace import OpenWorkspace

TOPIC = "MCP servers"
FIX = "Correct it in your config file; docs/mcp.md has the settings. /mcp lists all servers."
UNANSWERED = "The server {} of this folder cannot be used: {}."
GIVE = "Give it; servers have it from the next run on. /mcp.inputs lists all."
NOISY = "The server {} writes text that is not part of the protocol to standard output: {}"
QUIETER = "It still works. Its author should send such output to standard error."
LONGEST_NOISE = 200
LEFT_OUT = "Tell whoever makes the server; its other tools are used. /mcp.tools shows them."


async def own_servers(case: Case) -> AsyncGenerator[Finding, None]:
    """Check that nothing is missing which they need to start. None is started."""
    if isinstance(case.setup, ConfigError):
        return
    try:
        settings = case.setup.load(case.folder).config.exposed(ServerReading)
    except ConfigError:  # the check of the configuration says so
        return
    for finding in await asyncio.to_thread(_unanswered, case, case.setup, settings):
        yield finding
    keys = tuple(case.setup.held_keys)
    found = await asyncio.to_thread(settings.missing, case.folder, case.environment, keys)
    for name, problem in found.items():
        if problem:
            yield Finding(TOPIC, "warn", f"The server {name} cannot be used: {problem}.", FIX)
    for finding in await asyncio.to_thread(_remarks, case.setup, found):
        yield finding
    if found and not any(found.values()):
        text = f"Nothing is missing for the servers in your config file ({len(found)})."
        yield Finding(TOPIC, "pass", text)


def _unanswered(case: Case, setup: Setup, settings: ServerReading) -> Sequence[Finding]:
    """**Returns** a finding for each server of the folder's files that lacks an input."""
    if not isinstance(case.workspace, OpenWorkspace):
        return ()
    values = InputValues(setup.state_folder if setup.keeps else None, _seal(setup))
    texts = CaseTexts(setup, case.workspace)
    found = settings.unanswered(texts, case.environment, values.read)
    return [
        Finding(TOPIC, "warn", UNANSWERED.format(name, "; ".join(problems)), GIVE)
        for name, problems in found.items()
    ]


def _remarks(setup: Setup, names: Collection[str]) -> Sequence[Finding]:
    """**Returns** what is not used of these servers, and who is noisy, as far as they were asked."""
    pins = Pins(setup.state_folder if setup.keeps else None, _seal(setup))
    left_out, noises = pins.left_out(), pins.noises()
    return [
        *(
            Finding(TOPIC, "warn", f"Of the server {name} something is not used: {problem}.", LEFT_OUT)
            for name in names
            for problem in left_out.get(name, ())
        ),
        *(
            Finding(TOPIC, "warn", NOISY.format(name, brief(noise, LONGEST_NOISE)), QUIETER)
            for name in names
            if (noise := noises.get(name))
        ),
    ]


def _seal(setup: Setup) -> Seal:
    return Seal(GuardedFiles(setup.state_folder, setup.config_file))
