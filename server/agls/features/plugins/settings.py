"""The `[plugins]` section of the configuration."""

from collections.abc import Mapping
from typing import Any

from agls.room import Table


class Settings(Table):
    """Which installed Python packages take part in runs.

    Each is a table under the name of its entry point, `[plugins.python.NAME]`, with its own settings.
    """

    python: Mapping[str, Mapping[str, Any]] = {}
