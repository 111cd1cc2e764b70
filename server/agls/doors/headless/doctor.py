"""`agls doctor`: everything that keeps the agent from working, also when the configuration cannot be read."""

import asyncio
import json
from collections.abc import Mapping

from agls.assembly.python_plugins import python_plugins
from agls.checkup import Case, Report, examine
from agls.config import ConfigError, Setup
from agls.doors.headless.streams import write
from agls.views.escape import escape_controls
from agls.workspace.editor import NoEditor
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace


def write_findings(
    setup: Setup | ConfigError, folder: str, environment: Mapping[str, str], *, offline: bool, as_json: bool
) -> bool:
    """Write what was found to standard output; whether nothing failed."""
    report = asyncio.run(_look(setup, folder, environment, offline=offline))
    write(f"{json.dumps(report.data(), indent=2)}\n" if as_json else escape_controls(report.text()))
    return report.is_well


async def _look(
    setup: Setup | ConfigError, folder: str, environment: Mapping[str, str], *, offline: bool
) -> Report:
    processes = Processes(environment)
    workspace = OpenWorkspace(folder, (), NoEditor(), processes)
    try:
        return await examine(
            Case(folder, setup, environment, workspace, offline=offline, packages=python_plugins)
        )
    finally:
        await processes.aclose()
