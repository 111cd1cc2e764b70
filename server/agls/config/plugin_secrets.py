"""Values of plugins' options that may not be shown, kept as keys are: in the keyring or the private file."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agls.config.errors import ConfigError
from agls.config.key_store import KeyFile, Keyring
from agls.json_values import is_object
from agls.plugin_files import PluginProblem

NAME = "plugin {}"  # in the keyring and the file
UNREADABLE = "the values of its options cannot be read: {}"
UNWRITTEN = "the values of its options cannot be kept: {}"


class PluginSecrets:
    """Keeps the values of all options of a plugin as one text. All methods raise `PluginProblem`."""

    def __init__(self, state_folder: Path) -> None:
        self._keyring, self._file = Keyring(), KeyFile(state_folder)

    def read(self, plugin: str) -> Mapping[str, str]:
        """**Returns** the values by the names of their options."""
        name = NAME.format(plugin)
        try:
            kept = self._keyring.get(name) or self._file.read().get(name, "")
            found: Any = json.loads(kept or "{}")
        except (ConfigError, ValueError) as problem:
            raise PluginProblem(UNREADABLE.format(problem)) from None
        return {key: str(value) for key, value in found.items()} if is_object(found) else {}

    def keep(self, plugin: str, values: Mapping[str, str]) -> None:
        """Keep these values and no others; none is to forget the plugin."""
        if not values:
            return self.forget(plugin)
        place = self._keyring if self._keyring.usable else self._file
        try:
            place.set(NAME.format(plugin), json.dumps(values))
        except (ConfigError, OSError) as problem:
            raise PluginProblem(UNWRITTEN.format(problem)) from None

    def forget(self, plugin: str) -> None:
        """Delete the values of a plugin, wherever they are."""
        try:
            for place in (self._keyring, self._file):
                place.remove(NAME.format(plugin))
        except (ConfigError, OSError) as problem:
            raise PluginProblem(UNWRITTEN.format(problem)) from None
