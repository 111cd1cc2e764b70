"""The plugins that the user installed, for the room that shows them: the port `PluginShelf`."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from agls.assembly.services import RunServices
from agls.disk_space import unsaved
from agls.engine.actions import ActionError
from agls.room.process_ports import InstalledPlugin, PythonPlugin

if TYPE_CHECKING:
    from agls.config.plugin_changes import PluginChanges

Answer = TypeVar("Answer")


class UserPlugins:
    """Implements `PluginShelf`."""

    def __init__(self, run: RunServices) -> None:
        self._plugins, self._config = run.setup.plugins, run.config
        self._broken = run.process.broken_packages

    def all(self) -> Sequence[InstalledPlugin]:
        """**Returns** all that are installed."""
        return self._do(lambda changes: [InstalledPlugin(**row) for row in changes.rows()])

    def python(self) -> Sequence[PythonPlugin]:
        """**Returns** those that are Python packages."""
        from agls.assembly.python_plugins import python_plugins  # noqa: PLC0415 - it looks at all that is installed

        return python_plugins(self._config, self._broken())

    def powers(self, name: str) -> Sequence[str]:
        """**Returns** what one brings."""
        return self._do(lambda changes: changes.powers(name))

    def switch(self, name: str, *, on: bool, values: Mapping[str, str]) -> None:
        """Switch one on, with these values of its options, or off."""
        self._do(lambda changes: changes.switch(name, on=on, values=values))

    def remove(self, name: str) -> None:
        """Remove one."""
        self._do(lambda changes: changes.remove(name))

    def _do(self, work: "Callable[[PluginChanges], Answer]") -> Answer:
        """**Returns** what the work came to. **Raises** `ActionError`."""
        from agls.config.plugin_changes import PluginChanges, PluginProblem  # noqa: PLC0415 - few users have plugins

        try:
            return work(PluginChanges(self._plugins))
        except PluginProblem as problem:
            raise ActionError(str(problem)) from None
        except OSError as problem:
            raise ActionError(unsaved(problem)) from None
