"""The check of installed plugins as a whole: their record, and their files."""

import asyncio
from collections.abc import AsyncGenerator

from agls.checkup.case import Case
from agls.config import ConfigError
from agls.room.findings import Finding

TOPIC = "plugins"
AGAIN = "Install it again: agls plugin add {}"
RECORD = "Install your plugins again: agls plugin add"


async def plugins(case: Case) -> AsyncGenerator[Finding, None]:
    """Check that the plugins that are on can be used, and that nothing else wrote their record."""
    if isinstance(case.setup, ConfigError):
        return
    installed = case.setup.plugins
    for each in await asyncio.to_thread(installed.troubles):
        text = f"The plugin {each.record.name} cannot be used: {each.problem}"
        yield Finding(TOPIC, "warn", text, AGAIN.format(each.record.source))
    if installed.ignored:
        yield Finding(TOPIC, "warn", installed.ignored, RECORD)
