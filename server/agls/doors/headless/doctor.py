"""`agls doctor`: everything that keeps the agent from working, also when the configuration cannot be read."""

import asyncio
import json
import sys
from collections.abc import Callable, Mapping

from agls.assembly.python_plugins import python_plugins
from agls.checkup import Case, Report, examine
from agls.checkup.case import say_nothing
from agls.config import ConfigError, Setup
from agls.doors.headless.screen import can_change
from agls.doors.headless.streams import write, write_stderr
from agls.views.escape import escape_controls
from agls.workspace.editor import NoEditor
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace

CLEAR = "\r\x1b[K"


def write_findings(
    setup: Setup | ConfigError, folder: str, environment: Mapping[str, str], *, offline: bool, as_json: bool
) -> bool:
    """Write what was found to standard output; whether nothing failed."""
    shown = can_change(sys.stderr)
    report = asyncio.run(
        _look(setup, folder, environment, _progress if shown else say_nothing, offline=offline)
    )
    if shown:
        write_stderr(CLEAR)
    write(f"{json.dumps(report.data(), indent=2)}\n" if as_json else escape_controls(report.text()))
    return report.is_well


def _progress(check: str) -> None:
    """Show at a terminal what is looked at: a model may take a minute to answer."""
    write_stderr(f"{CLEAR}… checking: {check} (Ctrl-C stops)")


async def _look(
    setup: Setup | ConfigError,
    folder: str,
    environment: Mapping[str, str],
    begins: Callable[[str], None],
    *,
    offline: bool,
) -> Report:
    processes = Processes(environment)
    workspace = OpenWorkspace(folder, (), NoEditor(), processes)
    try:
        return await examine(
            Case(
                folder,
                setup,
                environment,
                workspace,
                offline=offline,
                packages=python_plugins,
                begins=begins,
            )
        )
    finally:
        await processes.aclose()
