"""The check of installed plugins as a whole: their record, and their files."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

from agls.checkup.case import Case
from agls.config import ConfigError, Setup
from agls.room.exposed import NamedPackages
from agls.room.findings import Finding
from agls.room.process_ports import PythonPlugin

TOPIC = "plugins"
AGAIN = "Install it again: agls plugin add {}"
UNUSABLE = "The Python plugin {} cannot be used: {}."
RECORD = "Install your plugins again: agls plugin add"


async def plugins(case: Case) -> AsyncGenerator[Finding, None]:
    """Check that the plugins that are on can be used, and that nothing else wrote their record."""
    for finding in await asyncio.to_thread(_python, case):
        yield finding
    if isinstance(case.setup, ConfigError):
        return
    installed = case.setup.plugins
    for each in await asyncio.to_thread(installed.troubles):
        text = f"The plugin {each.record.name} cannot be used: {each.problem}"
        yield Finding(TOPIC, "warn", text, AGAIN.format(each.record.source))
    if installed.ignored:
        yield Finding(TOPIC, "warn", installed.ignored, RECORD)


def _python(case: Case) -> Sequence[Finding]:
    try:
        config = case.setup.load(case.folder).config if isinstance(case.setup, Setup) else None
    except ConfigError:  # the check of the configuration says so
        return ()
    if not config or not config.exposed(NamedPackages).python:
        return ()
    return [_of_package(each) for each in case.packages(config) if each.is_on]


def _of_package(each: PythonPlugin) -> Finding:
    if each.problem:
        return Finding(TOPIC, "warn", UNUSABLE.format(each.name, each.problem), each.fix)
    return Finding(
        TOPIC, "pass", f"The Python plugin {each.name} can be used ({each.package} {each.version})."
    )
