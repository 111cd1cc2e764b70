"""What is looked at: a folder, and what was said about how to work in it."""

from collections.abc import Mapping
from dataclasses import field

from agls.config import ConfigError, Setup
from agls.engine.ports import Workspace
from agls.frozen import frozen
from agls.redaction import is_secret

SHORTEST = 6  # characters of a secret; shorter values of such variables are settings


@frozen
class Case:
    """One examination. `setup` is the reason instead when the configuration could not be read.

    `environment` are the variables, without keys where they were taken out. `model` is the model to look at,
    "" the default. With `offline` nobody is asked over a network, not even this machine.
    """

    folder: str
    setup: Setup | ConfigError
    environment: Mapping[str, str] = field(repr=False)
    workspace: Workspace
    model: str = ""
    offline: bool = False

    @property
    def secrets(self) -> tuple[str, ...]:
        """What no finding may show: keys, and the values of variables that look like secrets."""
        named = (value for name, value in self.environment.items() if is_secret(name))
        kept = self.setup.secrets if isinstance(self.setup, Setup) else ()
        return tuple(value for value in (*kept, *named) if len(value) >= SHORTEST)
