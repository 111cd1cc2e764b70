"""What is looked at: a folder, and what was said about how to work in it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from agls.config import Config, ConfigError, Setup
from agls.engine.ports import Workspace
from agls.frozen import frozen
from agls.redaction import is_secret
from agls.room.process_ports import PythonPlugin

Packages = Callable[[Config], Sequence[PythonPlugin]]
"""**Returns** the Python packages that are named in a configuration, or only installed."""


def say_nothing(check: str) -> None:
    """Ignore the progress of the checks."""


def no_packages(config: Config) -> Sequence[PythonPlugin]:
    """Find none."""
    return ()


SHORTEST = 6  # characters of a secret; shorter values of such variables are settings


@frozen
class Case:
    """One examination. `setup` is the reason instead when the configuration could not be read.

    `environment` are the variables, without keys where they were taken out. `model` is the model to look at,
    "" the default. With `offline` nobody is asked over a network, not even this machine. `packages` finds the
    Python packages that are plugins. `begins` hears the name of each check before it is made.
    """

    folder: str
    setup: Setup | ConfigError
    environment: Mapping[str, str] = field(repr=False)
    workspace: Workspace
    model: str = ""
    offline: bool = False
    packages: Packages = no_packages
    begins: Callable[[str], None] = say_nothing

    @property
    def secrets(self) -> tuple[str, ...]:
        """What no finding may show: keys, and the values of variables that look like secrets."""
        named = (value for name, value in self.environment.items() if is_secret(name))
        kept = self.setup.secrets if isinstance(self.setup, Setup) else ()
        return tuple(value for value in (*kept, *named) if len(value) >= SHORTEST)
